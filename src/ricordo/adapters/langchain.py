"""A retriever for LangChain.

::

    with ricordo.sync.open() as memory:
        retriever = RicordoRetriever(memory=memory, limit=5)
        documents = retriever.invoke("who owns Baikal?")
"""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import InstanceOf

from ricordo.disarm import disarmed
from ricordo.query import EVERYTHING, Hit
from ricordo.sync import Engine

__all__ = ["RicordoRetriever"]


class RicordoRetriever(BaseRetriever):
    """The best passages of a memory, as documents with their provenance."""

    memory: InstanceOf[Engine]
    limit: int = 8
    filters: Any = EVERYTHING
    """A `ricordo.Filters`, whose metadata is too recursive a type for pydantic to describe."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self._found(query)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return await to_thread.run_sync(self._found, query)

    def _found(self, query: str) -> list[Document]:
        return [_document(hit) for hit in self.memory.recall(query, limit=self.limit, filters=self.filters)]


def _document(hit: Hit) -> Document:
    provenance = {
        "memory_id": hit.id,
        "score": hit.score,
        "arms": dict(hit.arms),
        "event_timestamp": hit.event_timestamp.isoformat() if hit.event_timestamp else None,
        "source": hit.origin.uri,
        "title": hit.origin.title,
        "context": hit.chunk.context,
    }
    return Document(id=hit.chunk.id, page_content=disarmed(hit.text), metadata=provenance)
