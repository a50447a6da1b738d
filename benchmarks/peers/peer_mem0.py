"""mem0 without its language model: texts are added as they stand, one by one, and found by vectors and BM25."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seat import Record, Seat

__all__ = ["Store", "fill", "open"]

USER = "everybody"
DIMENSIONS = 384
BM25 = "models--Qdrant--bm25"
LANGUAGES = (
    "arabic danish dutch english finnish french german greek hungarian italian norwegian portuguese romanian russian "
    "spanish swedish turkish"
)
STOP_WORDS = (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself they them their theirs themselves what which who whom this that these those am is are "
    "was were be been being have has had having do does did doing a an the and but if or because as until while "
    "of at by for with about against between into through during before after above below to from up down in out "
    "on off over under again further then once here there when where why how all any both each few more most "
    "other some such no nor not only own same so than too very s t can will just don should now"
)


class Store:
    """An open memory."""

    model_s = 0.0
    model_mib = 0.0

    def __init__(self, seat: Seat) -> None:
        os.environ.update(settings(seat))
        from mem0 import Memory

        self.memory: Any = Memory.from_config(config(seat))

    def ask(self, question: str, vector: object, limit: int) -> list[str]:
        found = self.memory.search(question, top_k=limit, filters={"user_id": USER}, threshold=0.0)
        return [each["metadata"]["record"] for each in found["results"]]

    def close(self) -> None:
        self.memory.close()


def open(seat: Seat) -> Store:
    """Open what `fill` made."""
    return Store(seat)


def fill(seat: Seat, records: Sequence[Record], vectors: object) -> float:
    """Add one by one: there is no other way."""
    store = Store(seat)
    for record in records:
        metadata = {"record": record.id, "created_at": record.when}
        store.memory.add(record.text, user_id=USER, metadata=metadata, infer=False)
    store.close()
    return 0.0


def config(seat: Seat) -> dict[str, Any]:
    """Everything in the folder of the store. The language model is named, as it must be, and never asked."""
    endpoint = {"openai_base_url": seat.url, "api_key": "none", "model": seat.model, "embedding_dims": DIMENSIONS}
    place = {"path": str(seat.store / "qdrant"), "on_disk": True, "embedding_model_dims": DIMENSIONS}
    return {
        "embedder": {"provider": "openai", "config": endpoint},
        "llm": {"provider": "openai", "config": {"openai_base_url": seat.url, "api_key": "none"}},
        "vector_store": {"provider": "qdrant", "config": place},
        "history_db_path": str(seat.store / "history.db"),
    }


def settings(seat: Seat) -> dict[str, str]:
    """No telemetry; and a cache that holds what fastembed's BM25 would fetch from a hub: lists of stop words."""
    cache = seat.store.parent / "fastembed"
    bm25(cache / BM25)
    return {
        "MEM0_TELEMETRY": "False",
        "MEM0_DIR": str(seat.store.parent / "mem0"),
        "FASTEMBED_CACHE_PATH": str(cache),
        "HF_HUB_OFFLINE": "1",
    }


def bm25(folder: Path) -> None:
    """Lay out the files as the hub's client does. The English list is Snowball's; only English is asked for."""
    revision = "0" * 40
    snapshot = folder / "snapshots" / revision
    snapshot.mkdir(parents=True, exist_ok=True)
    (folder / "refs").mkdir(exist_ok=True)
    (folder / "refs" / "main").write_text(revision, encoding="ascii")
    (snapshot / "config.json").write_text("{}", encoding="ascii")
    for language in LANGUAGES.split():
        words = STOP_WORDS.split() if language == "english" else []
        (snapshot / f"{language}.txt").write_text("\n".join(words), encoding="ascii")
