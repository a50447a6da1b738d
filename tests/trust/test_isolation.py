"""Nothing crosses a namespace: whatever is done in one, every door tells another the same as if it had not been."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ricordo import sync
from ricordo.errors import InvalidInput
from ricordo.query import Filters
from ricordo.testing import HashEmbedder, InMemoryStore
from trustworthy import LONG, NOW, OURS, THEIRS, Count, counted
from zygote import Second

DOINGS = ("remember", "revise", "forget", "bury", "ingest", "load", "embed", "drop")
doings = st.lists(st.tuples(st.sampled_from(DOINGS), st.integers(0, 2)), min_size=1, max_size=6)
each_way = settings(
    max_examples=60 if LONG else 6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def do(memory: sync.Engine, second: sync.Engine, what: str, which: int, folder: Path) -> None:
    """Something in the namespace of the others, who have a second model, too."""
    ids = [json.loads(line)["id"] for line in memory.export() if '"type": "memory"' in line]
    if what == "remember" or not ids:
        memory.remember(THEIRS[which], tags=["zyxomma"], metadata={"zyxomma": which})
    elif what == "revise":
        memory.revise(ids[which % len(ids)], f"{THEIRS[which]} again")
    elif what == "forget":
        memory.forget([ids[which % len(ids)]])
    elif what == "bury":
        memory.bury([ids[which % len(ids)]], undo=which == 2)
    elif what == "ingest":
        (folder / "zyxomma.md").write_text("\n\n".join(THEIRS[: which + 1]), encoding="utf-8")
        memory.ingest([folder / "zyxomma.md"])
    elif what == "load":
        memory.load(list(memory.export()))
    elif what == "embed":
        (second if which else memory).embed()
    else:  # also those that are in force, by whoever has another model in force
        dropping, fingerprint = (memory, Second.fingerprint) if which else (second, HashEmbedder.fingerprint)
        with suppress(InvalidInput):  # there are none
            dropping.drop_vectors(fingerprint)


def seen(memory: sync.Engine) -> list[str]:
    """All that Python tells of a namespace."""
    told: list[str] = []
    for question in (*OURS, *THEIRS, "zyxomma", "garden yesterday", "sk-proj-4471"):
        found = memory.recall(question, limit=1000)
        told += [f"{hit.rank} {hit.id} {hit.score:.9f} {dict(hit.arms)} {hit.text}" for hit in found.hits]
        told += [str(found.time), str(found.notices), memory.context(question).text]
    told += [str(memory.timeline(limit=1000, filters=Filters(superseded=True))), *memory.export()]
    return told


@pytest.fixture(params=["memory", "sqlite", pytest.param("server", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str | InMemoryStore:
    """Where all work: whoever opens it is in the same store as the others."""
    if request.param == "memory":
        return InMemoryStore()
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'memory.db'}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def engine(store: str | InMemoryStore) -> Iterator[sync.Engine]:
    with sync.open(store, namespace="ours", embedder=HashEmbedder(), clock=lambda: NOW) as memory:
        for text in OURS:
            memory.remember(text, event_timestamp=NOW)
        yield memory


@pytest.fixture
def second(store: str | InMemoryStore) -> Iterator[sync.Engine]:
    """Others, with another model."""
    with sync.open(store, namespace="theirs", embedder=Second(), clock=lambda: NOW) as memory:
        yield memory


def test_whatever_others_do_a_namespace_tells_the_same(
    second: sync.Engine, engine: sync.Engine, tmp_path: Path, count: Count
) -> None:
    before = seen(engine)
    assert not any("zyxomma" in line for line in engine.export())

    with counted(count, "leaked") as leaked:

        @each_way
        @given(doings)
        def hold(sequence: list[tuple[str, int]]) -> None:
            for what, which in sequence:
                do(engine.within("theirs"), second, what, which, tmp_path)
            after = seen(engine)
            leaked.update(set(after) ^ set(before))
            assert after == before

        hold()


def test_the_command_line_tells_the_same(run: Callable[..., object], tmp_path: Path, count: Count) -> None:
    def tell(*arguments: str, namespace: str = "ours") -> str:
        result = run(*arguments, "--namespace", namespace, "--now", NOW.isoformat())
        return str(getattr(result, "stdout", "")) + str(getattr(result, "stderr", ""))

    def door() -> list[str]:
        asked = [
            tell("recall", word, "--limit", "99").split(" ms")[0].rsplit("in ", 1)[0] for word in ("garden", "zyxomma")
        ]
        return [*asked, tell("context", "zyxomma garden"), tell("timeline"), tell("export"), tell("show", "ffff")]

    for text in OURS:
        tell("remember", text)
    before, leaked = door(), list[str]()
    for text in THEIRS:
        told = tell("remember", text, "--json", namespace="theirs")
        memory_id = json.loads(told)["id"]
        for command in (
            ("show", memory_id),
            ("history", memory_id),
            ("forget", memory_id),
            ("revise", memory_id, "mine"),
        ):
            said = tell(*command).replace(memory_id, "ID")
            of_none = tell(*(part.replace(memory_id, "f" * 24) for part in command)).replace("f" * 24, "ID")
            leaked += [said] if "zyxomma" in said or said != of_none else []
    leaked += [now for now, was in zip(door(), before, strict=True) if now != was]
    count("leaked", len(leaked))
    assert leaked == []


@pytest.mark.anyio
async def test_a_server_for_assistants_reaches_no_namespace_that_it_was_not_given(tmp_path: Path, count: Count) -> None:
    mcpclients = pytest.importorskip("mcpclients")
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    import anyio

    theirs = await anyio.to_thread.run_sync(told_by_others, url)
    calls = [
        ("recall", {"query": "zyxomma garden"}),
        ("timeline", {}),
        ("fetch", {"id": theirs}),
        ("forget", {"ids": [theirs]}),
    ]
    settings = {"RICORDO_STORE": url, "RICORDO_NAMESPACE": "ours"}
    async with mcpclients.working_client(tmp_path, settings=settings) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        answers = [str(await client.call_tool(name, given)) for name, given in calls if name in names]

    leaked = [answer for answer in answers if "says zyxomma" in answer]
    count("leaked", len(leaked))
    assert len(answers) == len(calls)
    assert leaked == []
    assert await anyio.to_thread.run_sync(still_there, url, theirs)


def told_by_others(url: str) -> str:
    with sync.open(url, namespace="theirs", embedder="none") as memory:
        return memory.remember(THEIRS[0]).id


def still_there(url: str, memory_id: str) -> bool:
    with sync.open(url, namespace="theirs", embedder="none") as memory:
        return memory.show(memory_id).text == THEIRS[0]
