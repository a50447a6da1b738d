"""A folder of notes, documents and programs from end to end: read once, kept as it changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ricordo import sync
from ricordo.memory import Memory
from ricordo.settings import Settings
from ricordo.sources import find_sources

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
VAULT = {
    ".obsidian/app.json": "{}",
    ".trash/Old.md": "Old.",
    "Templates/day.md": "# {{title}}",
    "Daily/2026-05-14.md": "# 2026-05-14\n\n## Stand-up\n- [x] Call the office #admin\n- [ ] Ask [[Ann Lee|Ann]]\n",
    "People/Ann Lee.md": "---\naliases: [Ann]\ntags: [person]\nbirthday: 1991-05-03\n---\nA sailor.\n",
    "Projects/Boat.md": "---\ndate: 2024-02-20\n---\n## Decisions\n- 2024-03-08: paint it\n- 2026-09-07: sell it\n",
    "Broken.md": "---\ncreated: 03/04/2026\nbroken: [unclosed\n---\n# Broken\n\nStill here.\n",
    "boat.py": "def sail():\n    return 1\n\n\ndef row():\n    return 2\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for name, text in VAULT.items():
        path = tmp_path / "vault" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "vault"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[sync.Engine]:
    store = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    with sync.open(settings=Settings(store=store, embedder="none", tz="UTC")) as opened:
        yield opened


def test_a_vault_is_read_once_and_then_only_what_changed(memory: sync.Engine, vault: Path) -> None:
    first = memory.ingest([vault])
    assert (first.added, first.forgotten) == (10, 0)
    assert sorted(skipped.where.rpartition("/")[2] for skipped in first.skipped) == [
        "Broken.md (front matter)",
        "day.md",
    ]

    second = memory.ingest([vault])
    assert (second.added, second.forgotten, second.unchanged) == (0, 0, 10)

    note = vault / "Daily" / "2026-05-14.md"
    note.write_text(note.read_text(encoding="utf-8").replace("the office", "the harbour"), encoding="utf-8")
    third = memory.ingest([vault])
    assert (third.added, third.forgotten, third.unchanged) == (1, 1, 9)


def test_what_a_page_still_says_was_said_when_it_was_first_read(memory: sync.Engine, tmp_path: Path) -> None:
    page = tmp_path / "boat.md"
    early, late = datetime(2026, 5, 3, tzinfo=UTC), datetime(2026, 6, 3, tzinfo=UTC)
    for moment, text in (
        (early, "# Hull\n\nGreen.\n\n# Sail\n\nWhite.\n"),
        (late, "# Hull\n\nGreen.\n\n# Sail\n\nRed.\n"),
    ):
        page.write_text(text, encoding="utf-8")
        os.utime(page, (0, moment.timestamp()))
        memory.ingest([page])
    found = {hit.text: hit.event_timestamp for hit in memory.recall("hull sail", limit=5).hits}
    assert found == {"# Hull\n\nGreen.": early, "# Sail\n\nRed.": late}


def test_a_pruning_takes_along_what_was_moved(memory: sync.Engine, vault: Path) -> None:
    memory.ingest([vault])
    before = {hit.text: hit.memory.created_at for hit in memory.recall("sell", limit=1).hits}
    (vault / "Projects").rename(vault / "Done")
    (vault / "Broken.md").unlink()
    counts = memory.ingest([vault], prune=True)
    assert (counts.memories, counts.added, counts.unchanged, counts.forgotten) == (8, 0, 8, 2)
    (hit,) = memory.recall("sell", limit=1).hits
    assert hit.memory.origin.uri.endswith("/Done/Boat.md")
    assert {hit.text: hit.memory.created_at} == before
    assert memory.ingest([vault], prune=True).unchanged == 8


def test_links_tags_names_and_properties_are_found(memory: sync.Engine, vault: Path) -> None:
    memory.ingest([vault])
    assert "[[Ann Lee|Ann]]" in memory.recall("Ann Lee", limit=3).hits[0].text + memory.recall("Ann Lee").hits[1].text
    assert memory.recall("birthday of Ann", limit=1).hits[0].text.startswith("birthday: 1991-05-03")
    assert memory.recall("sell", limit=1).hits[0].event_timestamp == datetime(2026, 9, 7, tzinfo=UTC)


# --- the published samples ---

SAMPLES = Path(os.environ.get("RICORDO_TEST_SAMPLES", Path(__file__).parents[3] / "shared" / "samples"))


@pytest.mark.skipif(not (SAMPLES / "obsidian_vault").is_dir(), reason="the sample vault is not here")
def test_the_sample_vault_is_read_as_it_says(memory: sync.Engine) -> None:
    sources = [each for each in find_sources([SAMPLES / "obsidian_vault"], now=NOW) if not hasattr(each, "why")]
    said = [item for source in sources for item in source.memories() if isinstance(item, Memory)]
    by_text = {memory.text: memory for memory in said}
    pages = {memory.origin.uri.rpartition("/")[2] for memory in said}
    assert pages == {"2026-05-14.md", "Caf%C3%A9%20%E2%80%94%20na%C3%AFve%20Bayes.md", "Ilse%20Varga.md", "Tidepool.md"}
    assert not any("private comment" in text or "{{" in text for text in by_text)
    order = by_text["- [>] Order new tablets"]
    assert (order.event_timestamp, order.metadata["task"]) == (datetime(2026, 5, 14, 8, 30, tzinfo=UTC), "moved")
    uuid = next(memory for memory in said if "is a UUID" in memory.text)
    assert uuid.event_timestamp == datetime(2026, 9, 7, tzinfo=UTC)
    assert any("birthday: 1991-11-30" in text for text in by_text)
    assert any("created: 03/04/2026" in text for text in by_text)
    assert any("Second line with CRLF." in text for text in by_text)
    code = next(memory for memory in said if "[[not a link]]" in memory.text)
    assert "not a link" not in str(code.metadata["links"])
    assert "not-a-tag" not in code.tags
    assert "work" in code.tags
    assert memory.ingest([SAMPLES / "obsidian_vault"]).added == len(said)
    again = memory.ingest([SAMPLES / "obsidian_vault"])
    assert (again.added, again.forgotten) == (0, 0)
