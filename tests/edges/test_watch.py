"""A folder that is followed: every event here is one of the file system."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

import ricordo
from ricordo.engine import Engine
from ricordo.errors import InvalidInput, MissingExtra
from ricordo.memory import Memory
from ricordo.settings import Settings
from ricordo.stores import open_store
from ricordo.testing import HashEmbedder
from ricordo.watch import Patience, Watched
from ricordo.window import utc_now

pytestmark = pytest.mark.anyio
PATIENCE = Patience(quiet=0.05, latest=0.4, grace=0.4, rest=0.0)
LONG = 15.0
BRIEF = 0.8


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Followed:
    """A folder that is followed, and the memory that knows it."""

    folder: Path
    memory: Engine
    told: list[Watched] = field(default_factory=list)

    async def said(self) -> set[str]:
        return {memory.text async for memory in self.memories()}

    async def memories(self) -> AsyncIterator[Memory]:
        async for _, item in self.memory.reader.store.dump("default"):
            if isinstance(item, Memory):
                yield item

    async def until(self, *texts: str) -> None:
        """Wait until these are all that is remembered."""
        with anyio.move_on_after(LONG):
            while await self.said() != set(texts):
                await anyio.sleep(0.05)
        assert await self.said() == set(texts)

    async def still(self, *texts: str) -> None:
        """Whether these are all that is remembered, and go on to be."""
        await anyio.sleep(BRIEF)
        assert await self.said() == set(texts)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


@asynccontextmanager
async def following(folder: Path, store: Path, *, embedder: HashEmbedder | None = None) -> AsyncIterator[Followed]:
    settings = Settings(store=f"sqlite:///{store.as_posix()}", embedder="none", tz="UTC")
    engine = Engine(
        settings=settings,
        store=open_store(settings.store),
        embedder=embedder or HashEmbedder(),
        analyzer=ricordo.analyzer.STANDARD,
        clock=utc_now,
    )
    async with engine as memory, anyio.create_task_group() as tasks:
        followed = Followed(folder=folder, memory=memory)
        begun = anyio.Event()

        def tell(done: Watched) -> None:
            followed.told.append(done)
            begun.set()

        async def watch() -> None:
            await memory.watch([folder], tell=tell, patience=PATIENCE)

        tasks.start_soon(watch)
        with anyio.fail_after(LONG):
            await begun.wait()
        yield followed
        tasks.cancel_scope.cancel()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    made.mkdir()
    return made


@pytest.fixture
async def followed(folder: Path, tmp_path: Path) -> AsyncIterator[Followed]:
    (folder / "a.txt").write_text("one", encoding="utf-8")
    async with following(folder, tmp_path / "memory.db") as found:
        yield found


async def test_what_is_written_changed_and_deleted_is_followed(followed: Followed) -> None:
    assert await followed.said() == {"one"}
    followed.write("deep/er/b.md", "two")
    await followed.until("one", "two")
    followed.write("a.txt", "three")
    await followed.until("two", "three")
    (followed.folder / "a.txt").unlink()
    await followed.until("two")


async def test_a_file_that_is_moved_takes_its_memories_along(followed: Followed) -> None:
    (before,) = [memory async for memory in followed.memories()]
    await followed.memory.bury([before.id])
    (followed.folder / "sub").mkdir()
    (followed.folder / "a.txt").rename(followed.folder / "sub" / "b.txt")
    with anyio.fail_after(LONG):
        while not any(done.moved for done in followed.told):
            await anyio.sleep(0.05)
    (after,) = [memory async for memory in followed.memories()]
    assert after.origin.uri.endswith("/sub/b.txt")
    assert after.buried
    assert after.created_at == before.created_at
    assert (after.text, after.event_timestamp) == (before.text, before.event_timestamp)
    await followed.still("one")


async def test_a_folder_that_is_renamed_takes_all_along(followed: Followed) -> None:
    followed.write("old/b.txt", "two")
    followed.write("old/c.txt", "three")
    await followed.until("one", "two", "three")
    (followed.folder / "old").rename(followed.folder / "new")
    with anyio.fail_after(LONG):
        while sum(done.moved for done in followed.told) < 2:
            await anyio.sleep(0.05)
    uris = {memory.origin.uri.rpartition("/notes/")[2] async for memory in followed.memories()}
    assert uris == {"a.txt", "new/b.txt", "new/c.txt"}


async def test_what_was_forgotten_is_not_brought_back_by_a_move(followed: Followed) -> None:
    (memory,) = [memory async for memory in followed.memories()]
    page = followed.write("page.md", "# Title\n\nkept\n\n# Other\n\nburied\n")
    await followed.until("one", "# Title\n\nkept", "# Other\n\nburied")
    await followed.memory.forget([each.id async for each in followed.memories() if "buried" in each.text])
    page.rename(followed.folder / "moved.md")
    await anyio.sleep(BRIEF)
    assert await followed.said() == {"one", "# Title\n\nkept"}
    assert memory.text == "one"


async def test_a_move_asks_the_model_nothing(folder: Path, tmp_path: Path) -> None:
    class Counting(HashEmbedder):
        read = 0

        def encode_passages(self, texts: list[str]) -> ricordo.exchange.Encoded:  # type: ignore[override]
            Counting.read += len(texts)
            return super().encode_passages(texts)

    (folder / "a.md").write_text("# Title\n\none\n\n## Deeper\n\ntwo", encoding="utf-8")
    async with following(folder, tmp_path / "memory.db", embedder=Counting()) as followed:
        before = Counting.read
        (folder / "a.md").rename(folder / "b.md")
        with anyio.fail_after(LONG):
            while not any(done.moved for done in followed.told):
                await anyio.sleep(0.05)
        assert Counting.read == before > 0
        stats = await followed.memory.stats()
        assert sum(stats.embedders.values()) == stats.chunks == 2
        assert await followed.memory.check() == ()


async def test_a_file_that_is_put_back_at_once_is_not_forgotten(followed: Followed) -> None:
    path = followed.folder / "a.txt"
    (before,) = [memory async for memory in followed.memories()]
    path.unlink()
    await anyio.sleep(0.2)
    path.write_text("one", encoding="utf-8")
    await followed.still("one")
    assert [memory async for memory in followed.memories()] == [before]


async def test_a_file_that_is_cut_short_to_be_written_anew_keeps_its_memories(followed: Followed) -> None:
    path = followed.folder / "a.txt"
    (before,) = [memory async for memory in followed.memories()]
    with path.open("w", encoding="utf-8") as file:
        file.flush()
        await anyio.sleep(0.2)
        assert await followed.said() == {"one"}
        file.write("one")
    await followed.still("one")
    assert [memory.created_at async for memory in followed.memories()] == [before.created_at]


async def test_a_file_that_stays_empty_says_nothing(followed: Followed) -> None:
    (followed.folder / "a.txt").write_text("", encoding="utf-8")
    await followed.until()


async def test_what_editors_write_beside_a_file_is_not_read(followed: Followed) -> None:
    for name in ("a.txt~", ".a.txt.swp", ".hidden/b.txt", "film.crdownload", "a.tmp"):
        followed.write(name, "noise")
    (followed.folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF")
    await followed.still("one")
    assert [skipped for done in followed.told for skipped in done.ingested.skipped] == []


async def test_a_file_that_is_replaced_as_editors_do_is_read(followed: Followed) -> None:
    temporary = followed.folder / ".a.txt.tmp"
    temporary.write_text("new", encoding="utf-8")
    os.replace(temporary, followed.folder / "a.txt")
    await followed.until("new")


async def test_a_folder_that_is_gone_as_a_whole_loses_nothing(followed: Followed, tmp_path: Path) -> None:
    shutil.move(followed.folder, tmp_path / "elsewhere")
    await followed.still("one")
    followed.folder.mkdir()
    await followed.still("one")


async def test_what_happened_while_nobody_looked_is_made_up_for(folder: Path, tmp_path: Path) -> None:
    for name in ("moved.txt", "gone.txt", "same.txt"):
        (folder / name).write_text(name, encoding="utf-8")
    store = tmp_path / "memory.db"
    async with following(folder, store) as followed:
        await followed.until("moved.txt", "gone.txt", "same.txt")
    (folder / "moved.txt").rename(folder / "there.txt")
    (folder / "gone.txt").unlink()
    async with following(folder, store) as followed:
        assert followed.told[0].moved == 1
        await followed.until("moved.txt", "same.txt")


async def test_a_path_that_is_not_there_cannot_be_followed(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such file or folder"):
        async with ricordo.open(f"sqlite:///{(tmp_path / 'm.db').as_posix()}", embedder="none") as memory:
            await memory.watch([tmp_path / "absent"])


async def test_without_its_library_the_mend_is_named(folder: Path, tmp_path: Path) -> None:
    # Patched because the library is installed here, and its absence cannot be had otherwise.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "watchfiles", None)
        async with ricordo.open(f"sqlite:///{(tmp_path / 'm.db').as_posix()}", embedder="none") as memory:
            with pytest.raises(MissingExtra, match=r"ricordo\[watch\]"):
                await memory.watch([folder])


async def test_a_single_file_is_followed_through_its_replacements(folder: Path, tmp_path: Path) -> None:
    path = folder / "a.txt"
    path.write_text("one", encoding="utf-8")
    async with following(path, tmp_path / "memory.db") as followed:
        (folder / "other.txt").write_text("other", encoding="utf-8")
        (folder / "new").write_text("two", encoding="utf-8")
        os.replace(folder / "new", path)
        await followed.until("two")


# --- transcripts ---


def line(number: int, speaker: str, text: str) -> str:
    role = "user" if speaker == "user" else "assistant"
    record = {
        "type": role,
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "parentUuid": f"00000000-0000-4000-8000-{number - 1:012d}" if number > 1 else None,
        "sessionId": "5e551011-0000-4000-8000-000000000001",
        "timestamp": f"2026-11-16T09:{number:02d}:00.000Z",
        "isSidechain": False,
        "cwd": "/home/mira/boat",
        "message": {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]},
    }
    return json.dumps(record) + "\n"


async def test_a_live_transcript_is_read_line_by_line_and_outlives_its_file(folder: Path, tmp_path: Path) -> None:
    path = folder / "5e551011-0000-4000-8000-000000000001.jsonl"
    async with following(folder, tmp_path / "memory.db") as followed:
        path.write_text(line(1, "user", "Where is the spare key of the boat?"), encoding="utf-8")
        await followed.until("Where is the spare key of the boat?")
        answer = line(2, "assistant", "It hangs behind the compass.")
        with path.open("a", encoding="utf-8") as file:
            file.write(answer[:-25])
            file.flush()
            await followed.still("Where is the spare key of the boat?")
            file.write(answer[-25:])
        await followed.until("Where is the spare key of the boat?", "It hangs behind the compass.")
        assert [skipped for done in followed.told for skipped in done.ingested.skipped if skipped.loses_memories] == []
        path.unlink()
        await followed.still("Where is the spare key of the boat?", "It hangs behind the compass.")


async def test_a_transcript_that_never_rests_is_read_all_the_same(folder: Path, tmp_path: Path) -> None:
    path = folder / "5e551011-0000-4000-8000-000000000001.jsonl"
    async with following(folder, tmp_path / "memory.db") as followed:
        deadline = time.monotonic() + LONG
        for number in range(1, 50):
            with path.open("a", encoding="utf-8") as file:
                file.write(line(number, "user", f"Message {number} about the boat."))
            await anyio.sleep(0.05)
            if await followed.said():
                break
        assert time.monotonic() < deadline
        assert number < 49


async def test_a_transcript_that_is_cut_renamed_and_deleted_while_half_a_line_is_written_loses_nothing(
    folder: Path, tmp_path: Path
) -> None:
    path = folder / "5e551011-0000-4000-8000-000000000001.jsonl"
    asked, answered = "Where is the spare key of the boat?", "It hangs behind the compass."
    path.write_text(line(1, "user", asked) + line(2, "assistant", answered), encoding="utf-8")
    async with following(folder, tmp_path / "memory.db") as followed:
        await followed.until(asked, answered)
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole[:80], encoding="utf-8")
        await followed.still(asked, answered)
        path = path.rename(folder / "renamed.jsonl")
        path.write_text(whole + line(3, "user", "Thank you for it.") + '{"type":', encoding="utf-8")
        await followed.until(asked, answered, "Thank you for it.")
        path.unlink()
        await followed.still(asked, answered, "Thank you for it.")


# --- the command ---


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="an interrupt cannot be sent to one process there")
def test_the_command_follows_until_it_is_interrupted(folder: Path, tmp_path: Path) -> None:
    (folder / "a.txt").write_text("one", encoding="utf-8")
    environment = {**os.environ, "RICORDO_HOME": str(tmp_path / "home"), "RICORDO_EMBEDDER": "none"}
    process = subprocess.Popen(
        [sys.executable, "-m", "ricordo", "ingest", str(folder), "--watch"],
        env=environment | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "1 added" in process.stdout.readline()
    (folder / "b.txt").write_text("two", encoding="utf-8")
    assert "1 added" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LONG)
    assert process.returncode == 0
    assert errors.strip().endswith("no longer following")
