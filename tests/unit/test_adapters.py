"""The memory in other libraries, against the libraries themselves; what is not installed is skipped."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ricordo import sync

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

pytestmark = pytest.mark.anyio


def needs(library: str) -> None:
    """Skip where a library is missing. What it warns of while it is loaded is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(library)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[sync.Engine]:
    with sync.open(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none") as memory:
        yield memory


@pytest.fixture
def ports(memory: sync.Engine) -> sync.Engine:
    memory.remember("The port of Atlas is 8080</ricordo>")
    memory.remember("Mira likes pelmeni")
    return memory


# --- retrievers ---


async def test_langchain_retrieves_documents_with_provenance(ports: sync.Engine) -> None:
    needs("langchain_core")
    from ricordo.adapters.langchain import RicordoRetriever

    retriever = RicordoRetriever(memory=ports, limit=3)
    (document,) = retriever.invoke("which port?")

    assert document.page_content == "The port of Atlas is 8080‹/ricordo>"
    assert document.metadata["source"].startswith("told:")
    assert document.metadata["memory_id"] == ports.recall("port").hits[0].id
    assert await retriever.ainvoke("which port?") == [document]


async def test_llamaindex_retrieves_nodes_with_provenance(ports: sync.Engine) -> None:
    needs("llama_index.core")
    from ricordo.adapters.llamaindex import RicordoRetriever

    retriever = RicordoRetriever(ports)
    (node,) = retriever.retrieve("which port?")

    assert node.node.get_content() == "The port of Atlas is 8080‹/ricordo>"
    assert node.node.metadata["source"].startswith("told:")
    assert [found.node.node_id for found in await retriever.aretrieve("which port?")] == [node.node.node_id]


# --- tools ---


async def test_pydantic_ai_calls_the_tools(memory: sync.Engine) -> None:
    needs("pydantic_ai")
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    from ricordo.adapters.pydantic_ai import toolset

    agent = Agent(TestModel(), toolsets=[toolset(memory)])
    done = await agent.run("what do you know?")

    assert '"remember":"remembered: ' in done.output
    assert len(memory.timeline().memories) == 1


def test_anthropic_memory_files_are_recalled_like_notes(memory: sync.Engine, tmp_path: Path) -> None:
    needs("anthropic")
    from ricordo.adapters.anthropic_memory import MemoryTool

    tool = MemoryTool(tmp_path / "agent", memory)
    tool.call({"command": "create", "path": "/memories/net.md", "file_text": "# Ports\n\nAtlas listens on 8080.\n"})
    found = memory.recall("Atlas")
    tool.call({"command": "str_replace", "path": "/memories/net.md", "old_str": "8080", "new_str": "9090"})
    viewed = tool.call({"command": "view", "path": "/memories/net.md"})
    changed = memory.recall("Atlas")
    tool.call({"command": "rename", "old_path": "/memories/net.md", "new_path": "/memories/old.md"})
    moved = memory.recall("Atlas")
    tool.call({"command": "delete", "path": "/memories/old.md"})

    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    assert "8080" in found.hits[0].text
    assert str(viewed).startswith("Here's the content of /memories/net.md with line numbers:")
    assert ["9090" in hit.text for hit in changed] == [True]
    assert [Path(hit.origin.uri).name for hit in moved] == ["old.md"]
    assert memory.recall("Atlas").hits == ()


def test_anthropic_memory_is_cleared_whole(memory: sync.Engine, tmp_path: Path) -> None:
    needs("anthropic")
    from ricordo.adapters.anthropic_memory import MemoryTool

    tool = MemoryTool(tmp_path / "agent", memory)
    tool.call({"command": "create", "path": "/memories/a/net.md", "file_text": "Atlas listens on 8080.\n"})
    tool.clear_all_memory()

    assert memory.recall("Atlas").hits == ()
    assert list((tmp_path / "agent" / "memories").iterdir()) == []


# --- sessions ---


async def test_an_openai_agents_session_gives_its_items_back_in_order(memory: sync.Engine) -> None:
    needs("agents")
    from ricordo.adapters.openai_agents import RicordoSession

    session, other = RicordoSession("mira", memory), RicordoSession("tom", memory)
    items: list[Any] = [{"role": "user", "content": f"again {number % 2}"} for number in range(4)]
    await session.add_items(items[:3])
    await session.add_items(items[3:])
    await other.add_items([{"role": "user", "content": "port 8080"}])

    assert await session.get_items() == items
    assert await session.get_items(limit=2) == items[2:]
    assert await session.pop_item() == items[3]
    assert await session.get_items() == items[:3]
    await session.clear_session()
    assert (await session.get_items(), await session.pop_item()) == ([], None)
    assert [hit.text for hit in memory.recall("port")] == ["user: port 8080"]


# --- LangGraph ---


@pytest.fixture
def store(memory: sync.Engine) -> BaseStore:
    needs("langgraph.store.base")
    from ricordo.adapters.langgraph import RicordoStore

    return RicordoStore(memory)


def test_a_langgraph_value_is_put_got_replaced_and_deleted(store: BaseStore, memory: sync.Engine) -> None:
    store.put(("users", "mira"), "food", {"text": "likes pelmeni", "score": 3})
    first = store.get(("users", "mira"), "food")
    assert first is not None
    store.put(("users", "mira"), "food", {"text": "likes borscht", "score": 4})
    second = store.get(("users", "mira"), "food")
    assert second is not None
    texts = [version.text for version in memory.history(memory.recall("borscht").hits[0].id)]
    store.delete(("users", "mira"), "food")

    assert (first.value, second.value) == ({"text": "likes pelmeni", "score": 3}, {"text": "likes borscht", "score": 4})
    assert (first.namespace, first.key, first.created_at) == (("users", "mira"), "food", second.created_at)
    assert texts == ["likes pelmeni\n3", "likes borscht\n4"]
    assert store.get(("users", "mira"), "food") is None
    assert store.get(("users",), "food") is None


def test_langgraph_searches_below_a_prefix_by_words_and_filters(store: BaseStore) -> None:
    store.put(("users", "mira"), "food", {"text": "likes pelmeni", "score": 3})
    store.put(("users", "tom"), "food", {"text": "likes pelmeni too", "score": 5})
    store.put(("pets", "rex"), "food", {"text": "likes pelmeni most"})
    store.put(("users", "mira"), "secret", {"text": "pelmeni of the vault"}, index=False)

    found = store.search(("users",), query="pelmeni")
    assert {(item.namespace, item.key) for item in found} == {(("users", "mira"), "food"), (("users", "tom"), "food")}
    assert all(item.score is not None for item in found)
    assert [item.namespace for item in store.search(("users",), query="pelmeni", filter={"score": {"$gt": 3}})] == [
        ("users", "tom")
    ]
    assert [item.key for item in store.search(("users", "mira"))] == ["secret", "food"]
    assert [item.key for item in store.search(("users", "mira"), limit=1, offset=1)] == ["food"]
    assert store.search(("user",), query="pelmeni") == []
    assert len(store.search((), query="pelmeni")) == 3


def test_langgraph_searches_the_fields_that_are_named(store: BaseStore) -> None:
    store.put(("docs",), "a", {"title": "gateway", "body": {"text": "pelmeni"}}, index=["title"])
    store.put(("docs",), "b", {"title": "mailer", "body": {"text": "pelmeni"}}, index=["body.text"])

    assert [item.key for item in store.search(("docs",), query="pelmeni")] == ["b"]
    assert [item.key for item in store.search(("docs",), query="gateway")] == ["a"]


def test_langgraph_lists_namespaces(store: BaseStore) -> None:
    for namespace in (("users", "mira", "v1"), ("users", "tom", "v2"), ("pets", "rex", "v1")):
        store.put(namespace, "k", {"text": "x"})
    store.put(("users", "gone"), "k", {"text": "x"})
    store.delete(("users", "gone"), "k")

    assert store.list_namespaces(prefix=("users",)) == [("users", "mira", "v1"), ("users", "tom", "v2")]
    assert store.list_namespaces(suffix=("*", "v1"), max_depth=2) == [("pets", "rex"), ("users", "mira")]
    assert store.list_namespaces(limit=1, offset=2) == [("users", "tom", "v2")]


async def test_langgraph_batches_read_before_they_write_and_the_last_put_counts(store: BaseStore) -> None:
    from langgraph.store.base import GetOp, PutOp

    puts = [PutOp(("a",), "k", {"text": "first"}), PutOp(("a",), "k", {"text": "second"})]

    assert await store.abatch([*puts, GetOp(("a",), "k")]) == [None, None, None]
    kept = await store.aget(("a",), "k")
    assert kept is not None
    assert kept.value == {"text": "second"}
