"""The parts of hooks and of the keeper that need no process: events, frames, places, the queue, the journal."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documentation import ROOT
from ricordo.hooks.events import EVENTS, Unreadable, answer, event_named, read_payload
from ricordo.hooks.guard import born
from ricordo.hooks.queue import Queued, TranscriptQueue
from ricordo.hooks.workplace import Workplace
from ricordo.journal import LARGEST, note
from ricordo.keeper.frames import HEAD, VERSION, FrameError, length, older, pack, unpack
from ricordo.keeper.place import Insecure, Place, place_for, store_file
from ricordo.settings import Settings

unix = pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
WORKPLACE = Workplace(personal="default", directory="/home/mira/atlas")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner), max_leaves=8
)


@pytest.mark.parametrize(
    ("name", "event"),
    [
        *((ours, ours) for ours in EVENTS),
        *((theirs, ours) for ours, theirs in EVENTS.items()),
        ("user_prompt_submit", "prompt-submit"),
        ("PreToolUse", None),
        ("", None),
        ("-", None),
    ],
)
def test_an_event_is_known_by_any_of_its_names(name: str, event: str | None) -> None:
    assert event_named(name) == event


@given(st.binary())
def test_whatever_comes_is_a_payload_or_unreadable(data: bytes) -> None:
    try:
        payload = read_payload(data, "stop")
    except Unreadable:
        return
    assert payload.event == "stop"


@given(st.dictionaries(st.sampled_from(["prompt", "cwd", "transcript_path"]), json_values))
def test_a_field_of_another_type_is_as_if_not_sent(sent: dict[str, object]) -> None:
    payload = read_payload(json.dumps(sent).encode(), "stop")

    prompt = sent.get("prompt")
    assert payload.prompt == (prompt if isinstance(prompt, str) else "")


def test_the_answer_has_what_both_assistants_take() -> None:
    said = {"hookEventName": "UserPromptSubmit", "additionalContext": "«да»"}

    assert json.loads(answer("prompt-submit", "«да»")) == {"hookSpecificOutput": said}
    assert answer("prompt-submit", "") == b""
    assert answer("stop", "text") == b""
    assert answer("prompt-submit", "x" * 10_000) == b"", "rather nothing than the beginning of it"


@given(st.dictionaries(st.text(), json_values))
def test_a_frame_holds_what_was_put_in(document: dict[str, object]) -> None:
    frame = pack(document)

    assert length(frame[:HEAD]) == len(frame) - HEAD
    assert unpack(frame[HEAD:]) == document


@given(st.binary(max_size=50))
def test_what_is_no_frame_is_told(data: bytes) -> None:
    try:
        assert isinstance(unpack(data), dict)
    except FrameError:
        return


def test_a_frame_has_a_largest_size() -> None:
    with pytest.raises(FrameError, match="more than a frame may have"):
        pack({"text": "x" * (1 << 20)})
    with pytest.raises(FrameError, match="a frame of 1213486160 bytes"):
        length(b"HTTP")


@pytest.mark.parametrize(
    ("version", "than", "is_older"),
    [
        ("0.1.0", "0.1.0", False),
        ("0.1.0", "0.1.1", True),
        ("0.9.0", "0.10.0", True),
        ("1.0", "0.9.9", False),
        (None, "0.1.0", True),
        ("nonsense", "0.1.0", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version: object, than: str, *, is_older: bool) -> None:
    assert older(version, than) is is_older


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["version"] == VERSION
    assert project["scripts"]["ricordo"] == "ricordo.__main__:main"


@unix
def test_each_store_and_model_has_a_place_and_namespaces_share_it(tmp_path: Path) -> None:
    environment = {"RICORDO_HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}

    def place(**settings: object) -> Place:
        return place_for(Settings(**{"store": "sqlite:////a.db", **settings}), environment)  # type: ignore[arg-type]

    assert place(namespace="work", keeper_minutes=3) == place()
    assert len({place(), place(store="sqlite:////b.db"), place(embedder="none"), place(tz="UTC")}) == 4
    assert place().folder == tmp_path / "ricordo"
    assert place_for(Settings(), {"RICORDO_HOME": "/h", "TMPDIR": "/t"}).folder == Path(f"/t/ricordo-{os.getuid()}")


@unix
def test_a_relative_store_is_another_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(store="sqlite:///memory.db")
    here = place_for(settings, {"RICORDO_HOME": "/h"})

    monkeypatch.chdir(tmp_path)  # the folder is what is tested

    assert place_for(settings, {"RICORDO_HOME": "/h"}) != here


@unix
def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    place = Place(folder=tmp_path / "ricordo", key="a")
    place.secure()
    assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
    place.secure()
    place.folder.chmod(0o755)
    with pytest.raises(Insecure):
        place.secure()
    link = Place(folder=tmp_path / "link", key="a")
    link.folder.symlink_to(tmp_path)
    with pytest.raises(Insecure):
        link.secure()


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:////home/mira/a%20b.db", Path("/home/mira/a b.db")),
        ("sqlite:///relative.db", Path("relative.db")),
        ("postgresql://mira@db/memory", None),
        ("memory:", None),
    ],
)
def test_a_store_in_a_file_is_told_from_others(url: str, file: Path | None) -> None:
    assert store_file(url) == file


def test_a_transcript_is_queued_once_and_taken_once(tmp_path: Path) -> None:
    queue = TranscriptQueue(folder=tmp_path / "queue")
    assert queue.waiting() == 0
    for name in ("a", "b", "a"):
        queue.put(Queued(transcript=Path(name), workplace=WORKPLACE))

    assert queue.waiting() == 2
    assert queue.waiting(settled=60) == 0
    assert {str(queued.transcript) for queued in queue.take()} == {"a", "b"}
    assert list(queue.take()) == []
    assert list(queue.folder.iterdir()) == []


def test_two_that_take_at_once_share_the_work(tmp_path: Path) -> None:
    queue = TranscriptQueue(folder=tmp_path)
    for number in range(10):
        queue.put(Queued(transcript=Path(str(number)), workplace=WORKPLACE))

    first, second = queue.take(), queue.take()
    taken = [str(next(taker).transcript) for _ in range(5) for taker in (first, second)]

    assert sorted(taken, key=int) == [str(number) for number in range(10)]
    assert [*first, *second] == []


def test_work_that_fails_waits_again(tmp_path: Path) -> None:
    queue = TranscriptQueue(folder=tmp_path)
    queue.put(Queued(transcript=Path("a"), workplace=WORKPLACE))
    taker = queue.take()
    next(taker)
    assert queue.waiting() == 0

    with pytest.raises(ZeroDivisionError):
        taker.throw(ZeroDivisionError())  # type: ignore[attr-defined]

    assert queue.waiting() == 1


def test_what_is_queued_while_it_is_read_waits(tmp_path: Path) -> None:
    queue = TranscriptQueue(folder=tmp_path)
    queue.put(Queued(transcript=Path("a"), workplace=WORKPLACE))

    for queued in queue.take():
        queue.put(queued)
        break

    assert queue.waiting() == 1


def test_an_entry_whose_taker_died_waits_again_after_a_while(tmp_path: Path) -> None:
    queue = TranscriptQueue(folder=tmp_path)
    queue.put(Queued(transcript=Path("a"), workplace=WORKPLACE))
    (entry,) = tmp_path.iterdir()
    taken = entry.rename(entry.with_suffix(".taken"))
    assert list(queue.take()) == []

    os.utime(taken, (time.time() - 4000,) * 2)

    assert len(list(queue.take())) == 1


def test_an_entry_that_cannot_be_read_is_dropped(tmp_path: Path) -> None:
    queue = TranscriptQueue(folder=tmp_path)
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text('{"transcript": "x", "workplace": {}}')

    assert list(queue.take()) == []
    assert list(tmp_path.iterdir()) == []


@given(st.builds(Workplace, personal=st.text(), asked=st.none() | st.text(), directory=st.none() | st.text()))
def test_a_workplace_survives_its_way_as_json(workplace: Workplace) -> None:
    assert Workplace.from_document(json.loads(json.dumps(workplace.document()))) == workplace


def test_a_workplace_comes_to_namespaces(tmp_path: Path) -> None:
    (tmp_path / "atlas" / ".git").mkdir(parents=True)
    inside = Workplace(personal="mine", directory=str(tmp_path / "atlas"))

    home, personal = inside.scope().searched
    assert home.startswith("atlas-")
    assert personal == "mine"
    assert Workplace(personal="mine").scope().searched == ("mine",)
    assert Workplace(personal="mine", asked="work", directory=inside.directory).scope().searched == ("work",)
    assert Workplace(personal="mine", project=inside.directory, directory="/").scope().home == home


def test_a_journal_is_its_owners_and_does_not_grow_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "state" / "hooks.log"
    note(file, "one\nline")
    assert file.read_text().endswith("] one line\n")
    assert os.name == "nt" or stat.S_IMODE(file.stat().st_mode) == 0o600

    file.write_text("x" * (LARGEST + 1))
    note(file, "anew")

    assert file.read_text().count("\n") == 1
    assert file.with_suffix(".old.log").stat().st_size > LARGEST


def test_a_journal_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    note(tmp_path / "file" / "hooks.log", "nowhere")

    assert (tmp_path / "file").read_text() == ""


def test_it_is_known_since_when_this_process_is() -> None:
    assert 0 < time.monotonic() - born() < 86_400


def test_a_deadline_that_is_moved_nearer_is_kept() -> None:
    code = (
        "import time; from ricordo.hooks.guard import Guard; "
        "guard = Guard(time.monotonic() + 60, lambda: None); time.sleep(0.1); "
        "guard.deadline = time.monotonic() + 0.1; time.sleep(60)"
    )

    assert subprocess.run([sys.executable, "-c", code], timeout=30, check=False).returncode == 0
