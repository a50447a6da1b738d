"""What an engine works with: the models that its settings ask for, and the chunker that suits them."""

from __future__ import annotations

from functools import partial

from ricordo.chunking import StructureChunker, word_chunker
from ricordo.models import AUTO, NONE, choose_embedder, find_reranker, load_embedder, load_reranker
from ricordo.protocols import Chunker, Embedder, Reranker
from ricordo.query import Notice
from ricordo.reread import DeferredReranker
from ricordo.settings import Settings

__all__ = ["chosen_embedder", "chosen_reranker", "chunker_for"]


def chosen_embedder(settings: Settings) -> tuple[Embedder | None, tuple[Notice, ...]]:
    """The embedder the settings ask for. Only `auto` may come to none without having asked for it."""
    if settings.embedder != AUTO:
        embedder = load_embedder(settings.embedder, threads=settings.threads)
        notice = Notice(code="no_embedder", message="searched by words alone: the embedder is set to none")
        return embedder, () if embedder else (notice,)
    choice = choose_embedder(threads=settings.threads)
    notice = Notice(code="embedder_unavailable", message=f"searched by words alone: {choice.reason}")
    return choice.embedder, () if choice.embedder else (notice,)


def chosen_reranker(settings: Settings) -> Reranker | None:
    """The cross-encoder that is set, to be loaded when it is first asked. Raises InvalidInput for an unknown name."""
    if settings.reranker == NONE:
        return None
    find_reranker(settings.reranker)
    return DeferredReranker(partial(load_reranker, settings.reranker, threads=settings.threads))


def chunker_for(embedder: Embedder | None) -> Chunker:
    """The chunker whose pieces the embedder reads whole."""
    if embedder is None:
        return word_chunker()
    return StructureChunker(measure=embedder.count_tokens, limit=embedder.max_tokens, name=embedder.fingerprint)
