"""A retriever for LlamaIndex.

::

    with ricordo.sync.open() as memory:
        nodes = RicordoRetriever(memory).retrieve("who owns Baikal?")
"""

from __future__ import annotations

from anyio import to_thread
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from ricordo.disarm import disarmed
from ricordo.query import EVERYTHING, Filters, Hit
from ricordo.sync import Engine

__all__ = ["RicordoRetriever"]


class RicordoRetriever(BaseRetriever):
    """The best passages of a memory, as nodes with their provenance."""

    def __init__(self, memory: Engine, *, limit: int = 8, filters: Filters = EVERYTHING) -> None:
        super().__init__()
        self._memory = memory
        self._limit = limit
        self._filters = filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._memory.recall(query_bundle.query_str, limit=self._limit, filters=self._filters)
        return [_node(hit) for hit in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await to_thread.run_sync(self._retrieve, query_bundle)


def _node(hit: Hit) -> NodeWithScore:
    provenance = {
        "memory_id": hit.id,
        "event_timestamp": hit.event_timestamp.isoformat() if hit.event_timestamp else None,
        "source": hit.origin.uri,
        "title": hit.origin.title,
        "context": hit.chunk.context,
    }
    return NodeWithScore(node=TextNode(id_=hit.chunk.id, text=disarmed(hit.text), metadata=provenance), score=hit.score)
