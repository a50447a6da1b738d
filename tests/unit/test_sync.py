"""The blocking surface is the asynchronous one without `await`."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime

import pytest

import ricordo
from ricordo import engine, sync
from ricordo.errors import NotFound
from ricordo.testing import HashEmbedder, InMemoryStore

RENAMED = {"__aenter__": "__enter__", "__aexit__": "__exit__"}


def surface(kind: type) -> dict[str, list[tuple[str, object, object]]]:
    return {
        RENAMED.get(name, name): [
            (parameter.name, parameter.kind, parameter.default)
            for parameter in inspect.signature(method).parameters.values()
        ]
        for name, method in vars(kind).items()
        if inspect.isfunction(method) and (not name.startswith("_") or name in {*RENAMED, *RENAMED.values()})
    }


def test_both_surfaces_have_the_same_names_parameters_and_defaults() -> None:
    assert surface(sync.Engine) == surface(engine.Engine)
    assert inspect.signature(sync.open).parameters == inspect.signature(ricordo.open).parameters


def test_the_blocking_surface_answers_and_raises_the_same() -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    with sync.open(InMemoryStore(), embedder=HashEmbedder(), namespace="n", clock=lambda: now) as memory:
        kept = memory.remember("the port is 8080", tags=["net"])
        revised = memory.revise(kept.id[:10], "the port is 9090")

        assert memory.recall("which port?").hits[0].text == "the port is 9090"
        assert [version.text for version in memory.history(revised.id)] == ["the port is 8080", "the port is 9090"]
        assert [each.text for each in memory.timeline().memories] == ["the port is 9090"]
        assert len(list(memory.export())) == 3
        assert memory.namespace == "n"
        with pytest.raises(NotFound):
            memory.show("ffff")
        assert len(memory.forget([revised.id])) == 2
        assert memory.stats().memories == 0
        assert memory.check() == ()


def test_another_namespace_is_a_step_away_and_sees_nothing_of_the_first() -> None:
    with sync.open(InMemoryStore(), embedder=HashEmbedder(), namespace="work") as memory:
        memory.remember("the port is 8080")
        private = memory.within("private")
        private.remember("the code is 4471")

        assert private.namespace == "private"
        assert [hit.text for hit in private.recall("which port, which code?")] == ["the code is 4471"]
        assert [hit.text for hit in memory.recall("which port, which code?")] == ["the port is 8080"]
