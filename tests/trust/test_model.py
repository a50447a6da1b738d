"""The whole engine against a dictionary: whatever is done in whatever order, both say the same."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)
from hypothesis.stateful import run_state_machine_as_test as run_machine

from ricordo import sync
from ricordo.errors import InvalidInput, NotFound
from ricordo.memory import BURIED
from ricordo.query import Filters
from ricordo.testing import HashEmbedder
from trustworthy import LONG, Count
from zygote import Second

NAMESPACES = ("default", "work")
# Each word is a lexeme of its own, and none is another's stem.
WORDS = ("zyxomma", "quillon", "brevet", "nankeen", "щукомор", "ылынка", "sk-proj-4471", "10.0.0.7")
START = datetime(2026, 5, 1, 12, tzinfo=UTC)

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
namespaces = st.sampled_from(NAMESPACES)


class Engine(RuleBasedStateMachine):
    """`model` maps each namespace to its memories, each a list of (id, text), oldest version first."""

    told = Bundle("told")
    url: Callable[[Path], str]
    lasts = True
    """Whether what is stored outlives the engine."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="ricordo-model-"))
        self.now = START
        self.model: dict[str, list[list[tuple[str, str]]]] = {name: [] for name in NAMESPACES}
        self.note: list[str] = []
        self.forgotten: set[tuple[str, str]] = set()
        self.buried: set[tuple[str, str]] = set()

    @initialize()
    def begin(self) -> None:
        self.where = type(self).url(self.folder)
        self.open()

    def open(self) -> None:
        self.memory = sync.open(self.where, embedder=HashEmbedder(), clock=self.tick).__enter__()

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def tick(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def at(self, namespace: str) -> sync.Engine:
        return self.memory.within(namespace)

    # --- what is done ---

    @rule(target=told, namespace=namespaces, text=texts)
    def remember(self, namespace: str, text: str) -> tuple[str, str]:
        done = self.at(namespace).remember(text)
        versions = next((versions for versions in self.model[namespace] if versions[0][1] == text), None)
        if versions is None:
            self.model[namespace].append([(done.id, text)])
        elif versions[-1][1] != text:
            self.replace(namespace, versions, done.id, text)
        else:
            assert not done.created
        self.forgotten.discard((namespace, done.id))
        return namespace, done.id

    @rule(target=told, item=told, text=texts)
    def revise(self, item: tuple[str, str], text: str) -> object:
        namespace, memory_id = item
        versions = self.versions(namespace, memory_id)
        if versions is None:
            with pytest.raises(NotFound):
                self.at(namespace).revise(memory_id, text)
            return multiple()
        new = self.at(namespace).revise(memory_id, text)
        self.replace(namespace, versions, new.id, text)
        return namespace, new.id

    @rule(item=consumes(told))
    def forget(self, item: tuple[str, str]) -> None:
        namespace, memory_id = item
        versions = self.versions(namespace, memory_id)
        if versions is None:
            with pytest.raises(NotFound):
                self.at(namespace).forget([memory_id])
            return
        gone = self.at(namespace).forget([memory_id])
        assert set(gone) == {each for each, _ in versions}
        self.model[namespace].remove(versions)
        self.forgotten |= {(namespace, each) for each in gone}
        self.buried -= self.forgotten

    @rule(item=told, undo=st.booleans())
    def bury(self, item: tuple[str, str], undo: bool) -> None:  # noqa: FBT001  # a rule is given all by name
        namespace, memory_id = item
        versions = self.versions(namespace, memory_id)
        if versions is None:
            with pytest.raises(NotFound):
                self.at(namespace).bury([memory_id], undo=undo)
            return
        ids = self.at(namespace).bury([memory_id], undo=undo)
        assert set(ids) == {each for each, _ in versions}
        named = {(namespace, each) for each in ids}
        self.buried = self.buried - named if undo else self.buried | named
        self.recall(namespace, versions[-1][1].split()[0])

    @rule(parts=st.lists(texts, max_size=4, unique=True))
    def ingest(self, parts: list[str]) -> None:
        note = self.folder / "note.md"
        note.write_text("\n".join(f"## {n}\n\n{part}\n" for n, part in enumerate(parts)), encoding="utf-8")
        self.memory.within("notes").ingest([note])
        self.note = parts

    @rule(namespace=namespaces)
    def import_what_was_exported(self, namespace: str) -> None:
        lines = list(self.at(namespace).export())
        done = self.at(namespace).load(lines)
        assert (done.added, done.forgotten, done.skipped) == (0, 0, ())

    @precondition(lambda self: self.lasts)
    @rule()
    def close_and_open_again(self) -> None:
        self.memory.close()
        self.open()

    @precondition(lambda self: self.lasts)
    @rule()
    def build_a_second_set_of_vectors(self) -> None:
        with sync.open(self.where, embedder=Second()) as memory:
            memory.embed(everything=True)
        stats = self.memory.stats()
        assert stats.embedders.get(Second.fingerprint, 0) == stats.chunks

    @precondition(lambda self: self.lasts)
    @rule()
    def drop_the_second_set_of_vectors(self) -> None:
        if Second.fingerprint in self.memory.stats().embedders:
            self.memory.drop_vectors(Second.fingerprint, everything=True)
        else:
            with pytest.raises(InvalidInput):
                self.memory.drop_vectors(Second.fingerprint, everything=True)
        assert Second.fingerprint not in self.memory.stats().embedders

    # --- what is asked ---

    @rule(namespace=namespaces, word=st.sampled_from(WORDS))
    def recall(self, namespace: str, word: str) -> None:
        hits = self.at(namespace).recall(word, limit=1000).hits
        current = {versions[-1] for versions in self.model[namespace]}
        by_words = {(hit.id, hit.memory.text) for hit in hits if "words" in hit.arms and word in hit.memory.text}
        # Of memories that say the same one is found.
        assert by_words <= {(memory_id, text) for memory_id, text in current if word in text.split()}
        assert {text for _, text in by_words} == {text for _, text in current if word in text.split()}
        assert {(hit.id, hit.memory.text) for hit in hits} <= current
        last = [(namespace, hit.id) in self.buried for hit in hits]
        assert [hit.memory.buried for hit in hits] == last == sorted(last)
        unasked = {(namespace, hit.id) for hit in self.at(namespace).context(word).recall.hits}
        assert not unasked & self.buried

    @rule(namespace=namespaces)
    def timeline(self, namespace: str) -> None:
        shown = self.at(namespace).timeline(limit=1000, filters=Filters(superseded=True)).memories
        everything = {each for versions in self.model[namespace] for each in versions}
        assert {(memory.id, memory.text) for memory in shown} == everything
        withheld = Filters(superseded=True, metadata={BURIED: True})
        listed = self.at(namespace).timeline(limit=1000, filters=withheld).memories
        assert {(namespace, memory.id) for memory in listed} == {each for each in self.buried if each[0] == namespace}

    @rule(item=told)
    def history(self, item: tuple[str, str]) -> None:
        namespace, memory_id = item
        versions = self.versions(namespace, memory_id)
        if versions is not None:
            found = self.at(namespace).history(memory_id)
            assert [(memory.id, memory.text) for memory in found] == versions

    @invariant()
    def counts_agree(self) -> None:
        if not hasattr(self, "memory"):
            return
        held = {name: sum(map(len, versions)) for name, versions in self.model.items() if versions}
        if self.note:
            held["notes"] = self.memory.stats().namespaces.get("notes", 0)
            assert held["notes"] == len(self.note)
        stats = self.memory.stats()
        assert dict(stats.namespaces) == held
        assert stats.embedders.get(HashEmbedder.fingerprint, 0) == stats.chunks
        for namespace, memory_id in self.forgotten:
            with pytest.raises(NotFound):
                self.at(namespace).show(memory_id)

    @rule()
    def check(self) -> None:
        assert self.memory.check() == ()

    def replace(self, namespace: str, versions: list[tuple[str, str]], memory_id: str, text: str) -> None:
        """A new version, which is buried as the one before was."""
        if (namespace, versions[-1][0]) in self.buried:
            self.buried.add((namespace, memory_id))
        versions.append((memory_id, text))
        self.forgotten.discard((namespace, memory_id))

    def versions(self, namespace: str, memory_id: str) -> list[tuple[str, str]] | None:
        return next((v for v in self.model[namespace] if any(each == memory_id for each, _ in v)), None)


def hold(url: Callable[[Path], str], examples: int, steps: int) -> None:
    machine = type("Machine", (Engine,), {"url": staticmethod(url), "lasts": url(Path()) != "memory:"})
    run_machine(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_store_of_tests_is_a_dictionary(count: Count) -> None:
    hold(lambda folder: "memory:", *((100, 30) if LONG else (12, 20)))


def test_a_file_is_a_dictionary(count: Count) -> None:
    hold(lambda folder: f"sqlite:///{folder / 'memory.db'}", *((80, 30) if LONG else (6, 20)))


@contextmanager
def emptied(url: str) -> Iterator[Callable[[Path], str]]:
    """The same server for all examples, empty at the beginning of each."""

    def fresh(folder: Path) -> str:
        with sync.open(url, embedder=HashEmbedder()) as memory:
            for name in (*NAMESPACES, "notes"):
                here = memory.within(name)
                ids = [line.split('"id": "')[1][:24] for line in here.export() if '"type": "memory"' in line]
                while ids:
                    gone = here.forget(ids[:1])
                    ids = [each for each in ids if each not in gone]
        return url

    yield fresh


@pytest.mark.slow
def test_a_server_is_a_dictionary(postgres_url: str) -> None:
    with emptied(postgres_url) as fresh:
        hold(fresh, *((20, 25) if LONG else (2, 15)))
