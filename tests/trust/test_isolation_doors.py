"""Nothing crosses a namespace at the doors that other programs use: REST, and the hooks of an assistant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ricordo
from ricordo.engine import Engine
from ricordo.hooks.telling import brief, context
from ricordo.hooks.workplace import Workplace
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder
from trustworthy import LONG, NOW, OURS, THEIRS, Count, counted
from website import Site, running

STRANGE = "f" * 24
each_way = settings(
    max_examples=60 if LONG else 5,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
of_a_program = st.lists(
    st.tuples(st.sampled_from(("remember", "revise", "bury", "forget", "ingest", "import")), st.integers(0, 2)),
    min_size=1,
    max_size=5,
)
of_an_assistant = st.lists(
    st.tuples(st.sampled_from(("remember", "revise", "forget", "ingest")), st.integers(0, 2)), min_size=1, max_size=5
)

# --- REST ---


@pytest.fixture
def site() -> Iterator[Site]:
    with running() as opened:
        for text in OURS:
            opened.program.post("/api/remember", params={"namespace": "ours"}, json={"text": text})
        yield opened


def ask(site: Site, path: str, **query: str | int) -> tuple[int, str]:
    """What is answered about ours, without how long it took and who asked."""
    answer = site.program.get(f"/api/{path}", params={"namespace": "ours", **query})
    told = answer.text if path == "export" else answer.json()
    if isinstance(told, dict):
        told.pop("timings_ms", None)
        told.pop("instance", None)
    return answer.status_code, json.dumps(told, ensure_ascii=False, sort_keys=True)


def answered(site: Site) -> list[tuple[int, str]]:
    """All that REST tells of ours."""
    told = [ask(site, "recall", query=text, limit=100) for text in (*OURS, "zyxomma", "garden yesterday")]
    told += [ask(site, path) for path in ("timeline", "survey", "sources", "export")]
    prompt = {"prompt": "zyxomma garden watered"}
    said = site.program.post("/api/context", params={"namespace": "ours"}, json=prompt).json()
    told.append((200, json.dumps([hit["text"] for hit in said["hits"]])))
    ours = json.loads(told[0][1])["hits"][0]["id"]
    return told + [ask(site, f"{path}/{ours}") for path in ("show", "history", "near")]


def ids_of(site: Site, namespace: str) -> list[str]:
    lines = site.program.get("/api/export", params={"namespace": namespace}).text.splitlines()
    return [entry["id"] for entry in map(json.loads, lines) if entry.get("type") == "memory"]


def send(site: Site, what: str, which: int) -> None:
    """Something in the namespace of the others."""
    theirs = ids_of(site, "theirs")
    one = theirs[which % len(theirs)] if theirs else ""
    path, sent = "remember", dict[str, Any](json={"text": THEIRS[which], "tags": ["zyxomma"]})
    match what if theirs else "remember":
        case "revise":
            path, sent = f"revise/{one}", {"json": {"text": f"{THEIRS[which]} again"}}
        case "bury" | "forget":
            path, sent = what, {"json": {"ids": [one]}}
        case "ingest":
            path, sent = "ingest", {"files": {"files": ("zyxomma.md", "\n\n".join(THEIRS[: which + 1]).encode())}}
        case "import":
            exported = site.program.get("/api/export", params={"namespace": "theirs"}).content
            path, sent = "import", {"content": exported, "headers": {"Content-Type": "application/x-ndjson"}}
    answer = site.program.post(f"/api/{path}", params={"namespace": "theirs"}, **sent)
    assert answer.status_code < 300, answer.text


def test_rest_tells_the_same_whatever_is_done_elsewhere(site: Site, count: Count) -> None:
    before = answered(site)

    assert "zyxomma" not in "".join(text for status, text in before if status == 200).replace('"query": "zyxomma"', "")
    with counted(count, "leaked") as leaked:

        @each_way
        @given(of_a_program)
        def hold(sequence: list[tuple[str, int]]) -> None:
            for what, which in sequence:
                send(site, what, which)
            after = answered(site)
            leaked.update(set(after) ^ set(before))
            assert after == before

        hold()


@pytest.mark.parametrize("path", ["show", "history", "near", "revise", "bury", "forget"])
def test_rest_knows_no_more_of_an_id_from_elsewhere_than_of_none(site: Site, path: str, count: Count) -> None:
    theirs = site.program.post("/api/remember", params={"namespace": "theirs"}, json={"text": THEIRS[0]}).json()["id"]

    def of(memory_id: str) -> tuple[int, str]:
        if path in ("show", "history", "near"):
            status, text = ask(site, f"{path}/{memory_id}")
        else:
            where = f"/api/revise/{memory_id}" if path == "revise" else f"/api/{path}"
            body = {"text": "mine"} if path == "revise" else {"ids": [memory_id]}
            answer = site.program.post(where, params={"namespace": "ours"}, json=body)
            status, text = answer.status_code, answer.text
        return status, text.replace(memory_id, "ID")

    answer, of_none = of(theirs), of(STRANGE)
    count("leaked", int(answer != of_none))
    assert answer == of_none
    assert answer[0] == 404
    assert ids_of(site, "theirs") == [theirs]


# --- hooks ---


@pytest.fixture(params=["memory", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path / 'memory.db'}"}[request.param]


async def do(memory: Engine, what: str, which: int, folder: Path) -> None:
    """What happens while an assistant works on another project."""
    ids = [json.loads(line)["id"] async for line in memory.export() if '"type": "memory"' in line]
    if what == "remember" or not ids:
        await memory.remember(THEIRS[which], tags=["zyxomma"])
    elif what == "revise":
        await memory.revise(ids[which % len(ids)], f"{THEIRS[which]} again")
    elif what == "forget":
        await memory.forget([ids[which % len(ids)]])
    else:
        (folder / "zyxomma.md").write_text("\n\n".join(THEIRS[: which + 1]), encoding="utf-8")
        await memory.ingest([folder / "zyxomma.md"])


async def told_by_hooks(memory: Engine, place: Workplace) -> list[str]:
    prompts = (*OURS, *THEIRS, "When is the garden watered?", "what about zyxomma")
    return [*[await context(memory, prompt, place, NOW) for prompt in prompts], await brief(memory, place, NOW)]


def test_the_hooks_of_a_project_tell_the_same_whatever_is_done_in_another(
    url: str, tmp_path: Path, count: Count
) -> None:
    for name in ("ours", "theirs"):
        (tmp_path / name / ".git").mkdir(parents=True)
    ours, theirs = (
        Workplace(personal="default", project=str(tmp_path / name), directory=str(tmp_path / name))
        for name in ("ours", "theirs")
    )

    async def hold(sequence: list[tuple[str, int]]) -> tuple[list[str], list[str]]:
        settings = Settings(store=url, tz="UTC")
        async with ricordo.open(settings=settings, embedder=HashEmbedder(), clock=lambda: NOW) as memory:
            for text in OURS:
                await memory.within(ours.scope().home).remember(text, event_timestamp=NOW)
            before = await told_by_hooks(memory, ours)
            for what, which in sequence:
                await do(memory.within(theirs.scope().home), what, which, tmp_path)
            return before, await told_by_hooks(memory, ours)

    with counted(count, "leaked") as leaked:

        @each_way
        @given(of_an_assistant)
        def each(sequence: list[tuple[str, int]]) -> None:
            before, told = anyio.run(hold, sequence)
            leaked.update(set(told) ^ set(before), (text for text in told if "zyxomma" in text))
            assert told == before
            assert any("watered at six" in text for text in told)
            assert not any("zyxomma" in text for text in told)

        each()
