"""What becomes of transcripts in a store: read again, grown, forked, edited, gone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import ricordo
from agentfiles import NOW, Session, rollout, thread, write, write_lines
from ricordo.engine import Engine
from ricordo.testing import HashEmbedder, InMemoryStore

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["memory", "sqlite"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    store = InMemoryStore() if request.param == "memory" else f"sqlite:///{tmp_path / 'store.db'}"
    async with ricordo.open(store, embedder=HashEmbedder(), clock=lambda: NOW) as engine:
        yield engine


@pytest.fixture
def session() -> Session:
    made = Session()
    made.user("Weave a scarf.")
    made.assistant("A scarf of wool.")
    made.user("Add fringes to it.")
    return made


async def kept(memory: Engine) -> list[tuple[str, str]]:
    """Every text in the store with the origin that says it, each a chunk."""
    found = (await memory.timeline(limit=100)).memories
    assert (await memory.stats()).chunks == (await memory.stats()).memories == len(found)
    return sorted((each.origin.uri, each.text) for each in found)


def uri(session: Session) -> str:
    return f"claude-code:{session.session}"


async def test_what_is_read_again_changes_nothing(memory: Engine, session: Session, tmp_path: Path) -> None:
    path = session.save(tmp_path / "project")
    write_lines(tmp_path / "rollout.jsonl", rollout(("user", "Weave."), ("assistant", "Woven.")))
    write(tmp_path / "conversations.json", [thread(("user", "What is a reef?"))])
    first, second = [await memory.ingest([tmp_path / "project", tmp_path]) for _ in range(2)]
    assert (first.added, first.memories, first.skipped) == (6, 6, ())
    assert (second.added, second.unchanged, second.forgotten, second.memories) == (0, 6, 0, 6)
    assert path.exists()


async def test_growth_adds_what_is_new_alone(memory: Engine, session: Session, tmp_path: Path) -> None:
    await memory.ingest([session.save(tmp_path)])
    session.assistant("Fringes added.")
    session.beside("ai-title", aiTitle="A scarf with fringes")
    session.compact("Summary")
    done = await memory.ingest([session.save(tmp_path)])
    assert (done.added, done.unchanged, done.forgotten) == (1, 3, 0)
    (hit,) = await memory.recall("fringes added", limit=1)
    assert (hit.memory.origin.title, hit.memory.metadata["branch"]) == ("A scarf with fringes", "pre-compact")


async def test_one_edit_changes_one_memory(memory: Engine, session: Session, tmp_path: Path) -> None:
    path = session.save(tmp_path)
    await memory.ingest([path])
    path.write_bytes(path.read_bytes().replace(b"of wool", b"of silk"))
    done = await memory.ingest([path])
    assert (done.added, done.unchanged, done.forgotten) == (1, 2, 1)


@pytest.mark.parametrize("marked", [True, False])
async def test_a_fork_says_only_what_is_its_own(
    memory: Engine, session: Session, tmp_path: Path, *, marked: bool
) -> None:
    fork = session.fork("fork", marked=marked)
    fork.assistant("Fringes of silk.")
    for path in (session.save(tmp_path), fork.save(tmp_path)):
        await memory.ingest([path])
    done = await memory.ingest([tmp_path])
    assert (done.added, done.forgotten) == (0, 0)
    first = [(uri(session), text) for text in ("A scarf of wool.", "Add fringes to it.", "Weave a scarf.")]
    assert await kept(memory) == sorted([*first, (uri(fork), "Fringes of silk.")])


async def test_two_sessions_in_one_run_share_what_they_share(memory: Engine, session: Session, tmp_path: Path) -> None:
    fork = session.fork("fork")
    fork.assistant("Fringes of silk.")
    session.save(tmp_path)
    fork.save(tmp_path)
    assert (await memory.ingest([tmp_path])).added == 4
    assert len(await kept(memory)) == 4


async def test_a_rehearsal_counts_what_is_shared_once(memory: Engine, session: Session, tmp_path: Path) -> None:
    for number in range(100):
        session.user(f"Row {number}")
    session.save(tmp_path)
    fork = session.fork("fork")
    fork.assistant("Fringes of silk.")
    fork.save(tmp_path)
    rehearsed = await memory.ingest([tmp_path], dry_run=True)
    done = await memory.ingest([tmp_path])
    assert rehearsed.added == done.added == 104


async def test_a_fork_that_is_read_first_keeps_what_it_said(memory: Engine, session: Session, tmp_path: Path) -> None:
    fork = session.fork("fork")
    fork.assistant("Fringes of silk.")
    await memory.ingest([fork.save(tmp_path)])
    session.assistant("Fringes of wool.")
    await memory.ingest([session.save(tmp_path)])
    fork.user("Thanks.")
    await memory.ingest([fork.save(tmp_path)])
    assert len(await kept(memory)) == 6


async def test_what_a_session_no_longer_says_is_forgotten_and_its_forks_own_words_are_not(
    memory: Engine, session: Session, tmp_path: Path
) -> None:
    fork = session.fork("fork")
    fork.assistant("Fringes of silk.")
    await memory.ingest([session.save(tmp_path)])
    await memory.ingest([fork.save(tmp_path)])
    path = session.save(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"of wool", b"of flax"))
    await memory.ingest([path])
    texts = {text for _, text in await kept(memory)}
    assert texts == {"Weave a scarf.", "A scarf of flax.", "Add fringes to it.", "Fringes of silk."}


async def test_a_session_that_its_tool_deleted_is_still_known(memory: Engine, session: Session, tmp_path: Path) -> None:
    path = session.save(tmp_path)
    await memory.ingest([tmp_path])
    path.unlink()
    fork = session.fork("fork")
    fork.assistant("Fringes of silk.")
    fork.save(tmp_path)
    await memory.ingest([tmp_path])
    assert len(await kept(memory)) == 4


async def test_a_transcript_that_was_cut_short_forgets_nothing(
    memory: Engine, session: Session, tmp_path: Path
) -> None:
    await memory.ingest([session.save(tmp_path)])
    session.records.pop()
    done = await memory.ingest([session.save(tmp_path)])
    assert (done.added, done.forgotten) == (0, 0)
    assert len(await kept(memory)) == 3


async def test_what_was_forgotten_on_purpose_does_not_come_back_by_a_fork(
    memory: Engine, session: Session, tmp_path: Path
) -> None:
    await memory.ingest([session.save(tmp_path)])
    (hit,) = await memory.recall("wool", limit=1)
    await memory.forget([hit.id])
    fork = session.fork("fork")
    fork.assistant("Fringes of silk.")
    await memory.ingest([fork.save(tmp_path)])
    assert "A scarf of wool." not in {text for _, text in await kept(memory)}
