"""Fetching a hub row from a real server on this machine: resumed, checked, locked, and refused with a reason."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ricordo.errors import ModelError
from ricordo.models import download, load_embedder
from ricordo.models.catalog import ENCODERS
from ricordo.models.download import fetch
from ricordo.models.embedder import OnnxEmbedder
from ricordo.models.hub import HubFile, hub_folder
from ricordo.models.specs import ModelSpec, ready
from tinyhub import COMMIT, MODEL, TOKENIZER, Hub, served
from tinymodels import DIMENSION, MAX_TOKENS, write_encoder

REPOSITORY = "tiny/encoder"

SPEC = replace(
    ENCODERS["sentence-transformers/all-MiniLM-L6-v2"],
    name=REPOSITORY,
    model=HubFile(name=MODEL, repository=REPOSITORY, licence="Apache-2.0"),
    tokenizer=HubFile(name=TOKENIZER, repository=REPOSITORY, licence="Apache-2.0"),
    dimension=DIMENSION,
    max_tokens=MAX_TOKENS,
)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with served(tmp_path) as hub:
        # The environment is how a user names another hub; the pause would only make the tests slow.
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setattr(download, "PAUSE", 0.0)
        yield hub


def embedded(spec: ModelSpec = SPEC) -> list[float]:
    row: list[float] = OnnxEmbedder(ready(spec)).embed_queries(["tea"])[0].tolist()
    return row


def test_a_fetched_model_embeds(hub: Hub) -> None:
    arrived = fetch(SPEC)
    assert [(file.name, file.downloaded) for file in arrived] == [(MODEL, True), (TOKENIZER, True)]
    assert np.linalg.norm(embedded()) == pytest.approx(1.0)
    fingerprint = OnnxEmbedder(ready(SPEC)).fingerprint
    assert fingerprint == f"tiny/encoder/{arrived[0].sha256[:8]}-{arrived[1].sha256[:8]}/float32/mean/{DIMENSION}"


def test_what_is_here_is_not_asked_for_again(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch(SPEC)
    hub.asked.clear()
    monkeypatch.setenv("RICORDO_OFFLINE", "1")
    assert [file.downloaded for file in fetch(SPEC)] == [False, False]
    assert hub.asked == []
    embedded()


def test_all_files_are_of_one_commit_and_the_lock_says_which(hub: Hub) -> None:
    fetch(SPEC)
    assert ("HEAD", f"/{REPOSITORY}/resolve/{COMMIT}/{TOKENIZER}", None) in hub.asked
    lock = json.loads((hub_folder(REPOSITORY) / "ricordo.lock.json").read_text())
    assert lock["files"][MODEL] == {
        "sha256": hashlib.sha256(hub.files[MODEL]).hexdigest(),
        "size": len(hub.files[MODEL]),
        "commit": COMMIT,
    }


def test_a_broken_connection_is_taken_up_where_it_broke(hub: Hub) -> None:
    hub.cut_after = [100, 50]
    told: list[int] = []
    fetch(SPEC, lambda name, here, size: told.append(here) if name == MODEL else None)
    assert [ranges for verb, path, ranges in hub.asked if verb == "GET" and "elsewhere" in path] == [
        None,
        "bytes=100-",
        "bytes=150-",
    ]
    assert told == [100, 150, len(hub.files[MODEL])]
    embedded()


def test_a_later_fetch_goes_on_where_an_earlier_one_gave_up(hub: Hub) -> None:
    hub.cut_after = [100, *[0] * download.ATTEMPTS]
    with pytest.raises(
        ModelError, match=rf"broke off after 100 of {len(hub.files[MODEL])} bytes .*ricordo models fetch"
    ):
        fetch(SPEC)
    hub.asked.clear()
    fetch(SPEC)
    assert ("GET", f"/elsewhere/{MODEL}", "bytes=100-") in hub.asked
    embedded()


def test_a_server_that_knows_no_ranges_starts_again(hub: Hub) -> None:
    hub.cut_after, hub.ranges = [100], False
    fetch(SPEC)
    embedded()


@pytest.mark.parametrize(("name", "said"), [(MODEL, "0" * 64), (TOKENIZER, "0" * 40)])
def test_content_of_another_hash_is_not_kept(hub: Hub, name: str, said: str) -> None:
    hub.said = {name: said}
    with pytest.raises(
        ModelError, match=rf"{name} of tiny/encoder came damaged: .* the hub says {said}; nothing of it"
    ):
        fetch(SPEC)
    assert not list(hub_folder(REPOSITORY).rglob(f"*{Path(name).name}*"))


def test_content_other_than_the_row_pins_is_not_kept(hub: Hub) -> None:
    pinned = replace(SPEC, model=HubFile(name=MODEL, repository=REPOSITORY, licence="MIT", sha256="0" * 64))
    with pytest.raises(ModelError, match="is another file on the hub now"):
        fetch(pinned)


def test_a_file_that_changed_on_the_hub_is_not_taken_for_the_first(hub: Hub) -> None:
    fetch(SPEC)
    (hub_folder(REPOSITORY) / MODEL).unlink()
    hub.files[MODEL] += b"\0"
    with pytest.raises(ModelError, match=r"another file on the hub now: .* run: ricordo models remove tiny/encoder"):
        fetch(SPEC)


def test_a_damaged_file_is_named_when_loaded_and_mended_by_a_fetch(hub: Hub) -> None:
    fetch(SPEC)
    path = hub_folder(REPOSITORY) / MODEL
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(ModelError, match=re.escape(f"{path} is damaged: its sha256 is ")):
        embedded()
    assert [file.downloaded for file in fetch(SPEC)] == [True, False]
    embedded()


def test_a_file_the_hub_does_not_have_is_named(hub: Hub) -> None:
    del hub.files[TOKENIZER]
    with pytest.raises(ModelError, match=r"tokenizer\.json of tiny/encoder does not exist there: http://127\.0\.0\.1"):
        fetch(SPEC)


def test_a_server_that_is_no_hub_is_refused(hub: Hub) -> None:
    hub.said = {MODEL: "no-hash"}
    with pytest.raises(ModelError, match="does not say the size and hash of the file, as a model hub does"):
        fetch(SPEC)


def test_no_server_is_an_error_that_says_what_to_put_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # the environment is how a user names another hub
    with pytest.raises(ModelError, match=r"cannot reach http://127\.0\.0\.1:9/.*put it at .*tiny--encoder"):
        fetch(SPEC)


def test_offline_nothing_is_asked_for(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RICORDO_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"is not here and RICORDO_OFFLINE is set; unset it and run: ricordo models"):
        fetch(SPEC)
    assert hub.asked == []


def test_a_hub_model_that_was_not_fetched_is_an_error_that_names_the_fix() -> None:
    with pytest.raises(ModelError, match=r"run: ricordo models fetch intfloat/multilingual-e5-small, or download"):
        load_embedder("intfloat/multilingual-e5-small")


def test_files_put_there_by_hand_are_locked_as_they_are_found(tmp_path: Path) -> None:
    source, folder = write_encoder(tmp_path / "export"), hub_folder(REPOSITORY)
    (folder / "onnx").mkdir(parents=True)
    (source / "model.onnx").rename(folder / MODEL)
    (source / TOKENIZER).rename(folder / TOKENIZER)
    embedded()
    (folder / TOKENIZER).write_text((folder / TOKENIZER).read_text() + "\n")
    with pytest.raises(ModelError, match=r"tokenizer\.json is damaged"):
        embedded()


def test_a_damaged_lock_is_named(hub: Hub) -> None:
    fetch(SPEC)
    lock = hub_folder(REPOSITORY) / "ricordo.lock.json"
    lock.write_text("{}")
    with pytest.raises(ModelError, match=re.escape(f"{lock} is damaged")):
        ready(SPEC)
