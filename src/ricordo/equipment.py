"""What an engine works with: the models that its settings ask for, the chunker that suits them, and both paths."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial

from ricordo.analyzer import Analyzer
from ricordo.bm25 import Bm25
from ricordo.chunking import StructureChunker, word_chunker
from ricordo.models import AUTO, NONE, choose_embedder, find_reranker, load_embedder, load_reranker
from ricordo.occasions import time_options
from ricordo.protocols import Chunker, Embedder, Reranker, Store
from ricordo.query import Notice
from ricordo.recall import Reader
from ricordo.remember import Writer
from ricordo.reread import DeferredReranker
from ricordo.settings import Settings
from ricordo.skips import SkipRecord
from ricordo.window import Calendar

__all__ = ["chosen_embedder", "chosen_reranker", "chunker_for", "reader_for", "writer_for"]


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


def writer_for(
    settings: Settings,
    store: Store,
    embedder: Embedder | None,
    analyzer: Analyzer,
    skips: SkipRecord | None = None,
) -> Writer:
    """The write path of the namespace that is set."""
    return Writer(
        store=store,
        chunker=chunker_for(embedder),
        embedder=embedder,
        namespace=settings.namespace,
        analyzer=analyzer,
        token_vectors=settings.token_vectors == "stored",
        redacts=settings.redact == "on",
        skips=skips,
    )


def reader_for(
    writer: Writer, settings: Settings, clock: Callable[[], datetime], notices: tuple[Notice, ...]
) -> Reader:
    """The read path of what this writer writes. Raises InvalidInput for an unknown reranker."""
    return Reader(
        store=writer.store,
        embedder=writer.embedder,
        analyzer=writer.analyzer,
        bm25=Bm25(k1=settings.k1, b=settings.b),
        calendar=Calendar(clock=clock, zone=settings.zone(), options=time_options(settings)),
        token_vectors=settings.token_vectors,
        reranker=chosen_reranker(settings),
        patience=settings.rerank_ms / 1000,
        notices=notices,
    )
