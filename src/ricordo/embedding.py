"""Vectors of what is stored already: the missing ones are made, those that nobody wants any more are dropped.

Both leave alone whatever else is there. So a second set of vectors is built while the first serves; and since
the store says what is missing, building goes on where it was broken off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from ricordo.errors import InvalidInput
from ricordo.remember import Writer

__all__ = ["Dropped", "Embedded", "Embedding", "drop", "embed", "named", "shortest_name"]

PAGE = 64
NO_EMBEDDER = "vectors are made by an embedder, and none is in force: name one with --embedder, or ask `ricordo doctor`"


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedding:
    """How far it has come: chunks read, of how many that lacked something."""

    chunks: int
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedded:
    """Whose vectors, and whose token vectors (None where none are kept), all chunks have now; how many lacked some."""

    fingerprint: str
    token_fingerprint: str | None
    chunks: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Dropped:
    """The fingerprints of the sets dropped, and how many chunks had vectors of each."""

    chunks: Mapping[str, int]


@dataclass(slots=True)
class _Run:
    writer: Writer
    namespaces: Collection[str]
    fingerprint: str
    seen: dict[str, set[str]] = field(default_factory=dict)

    async def pages(self) -> list[tuple[str, list[str]]]:
        """The chunks that lack something and have not been read yet, with their namespaces."""
        found = []
        for name in self.namespaces:
            seen = self.seen.setdefault(name, set())
            unread = await self.writer.store.unread(name, self.fingerprint, self.writer.token_fingerprint)
            ids = [key for key in unread if key not in seen]
            seen.update(ids)
            found += [(name, ids[start : start + PAGE]) for start in range(0, len(ids), PAGE)]
        return found


async def embed(
    writer: Writer, *, everything: bool = False, tell: Callable[[Embedding], None] | None = None
) -> Embedded:
    """Make the vectors, and the token vectors where those are kept, that chunks of a namespace, or of all, lack.

    One transaction a page; what others write meanwhile is read too. `tell` is called after each page.
    Raises InvalidInput without an embedder, ModelError, StoreError.
    """
    if writer.embedder is None:
        raise InvalidInput(NO_EMBEDDER)
    namespaces = (await writer.store.stats()).namespaces if everything else (writer.namespace,)
    run, chunks = _Run(writer=writer, namespaces=namespaces, fingerprint=writer.embedder.fingerprint), 0
    while pages := await run.pages():
        total = chunks + sum(len(page) for _, page in pages)
        for name, page in pages:
            await replace(writer, namespace=name).fill(page)
            chunks += len(page)
            if tell is not None:
                tell(Embedding(chunks=chunks, total=total))
    return Embedded(fingerprint=run.fingerprint, token_fingerprint=writer.token_fingerprint, chunks=chunks)


async def drop(writer: Writer, name: str, *, everything: bool = False) -> Dropped:
    """Drop the sets of vectors that `name` names: a fingerprint, or how fingerprints begin, such as a model's name.

    Raises InvalidInput when there is none, and when the writer makes one of them.
    """
    stats = await writer.store.stats()
    here = {*stats.embedders, *stats.token_embedders}
    wanted = named(name, here)
    if not wanted:
        raise InvalidInput(f"no vectors here are by {name!r}; those that are here: {', '.join(sorted(here)) or 'none'}")
    in_force = {writer.embedder.fingerprint, writer.token_fingerprint} if writer.embedder else set()
    if needed := wanted & in_force:
        raise InvalidInput(
            f"{min(needed)} is in force, and recall needs its vectors; name more of the fingerprint you mean, "
            "or set another embedder first"
        )
    namespaces = stats.namespaces if everything else (writer.namespace,)
    chunks = {}
    for fingerprint in sorted(wanted):
        chunks[fingerprint] = sum([await writer.store.drop_vectors(each, fingerprint) for each in namespaces])
    await writer.store.purge()
    return Dropped(chunks=chunks)


def named(name: str, fingerprints: Collection[str]) -> set[str]:
    """Those of the fingerprints that are `name`, or begin with it and a slash."""
    return {found for found in fingerprints if found == name or found.startswith(f"{name.rstrip('/')}/")}


def shortest_name(fingerprint: str, others: Collection[str]) -> str:
    """The shortest beginning of a fingerprint that names none of the others, such as the model's name."""
    parts = fingerprint.split("/")
    names = ("/".join(parts[:length]) for length in range(1, len(parts)))
    return next((name for name in names if not named(name, others)), fingerprint)
