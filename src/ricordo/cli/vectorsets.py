"""What `ricordo doctor` says of vectors: which are missing, and which no model that is here can search any more."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping

from ricordo.embedding import named, shortest_name
from ricordo.models.catalog import ENCODERS
from ricordo.models.specs import ModelSpec
from ricordo.protocols import Embedder, Stats
from ricordo.render.reports import Finding

__all__ = ["vector_sets"]

EMBED = "ricordo store embed"


def vector_sets(
    stats: Stats, embedder: Embedder | None, makers: Mapping[str, str], *, tokens_stored: bool
) -> Iterator[Finding]:
    """Findings on the sets of vectors in a store, the embedder in force first.

    `makers` are the fingerprints that installed models make, with the models' names.
    """
    if embedder is not None:
        yield from _lacking(stats, embedder, tokens_stored=tokens_stored)
    kept = {embedder.fingerprint, embedder.token_fingerprint or ""} if embedder else set()
    sets = {*stats.embedders, *stats.token_embedders}
    others = sorted(sets - kept)
    for fingerprint in others:
        # The token vectors of a model go with its vectors.
        if not any(fingerprint in named(other, others) for other in others if other != fingerprint):
            yield _unused(stats, fingerprint, _name(fingerprint, (sets | kept) - named(fingerprint, sets)), makers)


def _lacking(stats: Stats, embedder: Embedder, *, tokens_stored: bool) -> Iterator[Finding]:
    unread = stats.chunks - stats.embedders.get(embedder.fingerprint, 0)
    if unread > 0:
        message = f"missing for {unread:,} of {stats.chunks:,} chunks, by the embedder in force: only words find them"
        yield Finding(name="vectors", status="fault", message=message, mend=EMBED)
    if not tokens_stored or embedder.token_fingerprint is None:
        return
    without = stats.chunks - stats.token_embedders.get(embedder.token_fingerprint, 0)
    if without > max(unread, 0):  # where vectors are missing as well, that has been said
        message = f"missing for {without:,} of {stats.chunks:,} chunks, which are ranked without them"
        yield Finding(name="token vectors", status="note", message=message, mend=EMBED)


def _unused(stats: Stats, fingerprint: str, name: str, makers: Mapping[str, str]) -> Finding:
    pooled = fingerprint in stats.embedders
    count = stats.embedders[fingerprint] if pooled else stats.token_embedders[fingerprint]
    why, use = _standing(fingerprint, makers)
    drop = f"ricordo store drop-vectors {shlex.quote(name)}"
    return Finding(
        name="vectors" if pooled else "token vectors",
        status="note",
        message=f"{count:,} by {fingerprint}: {why}",
        mend=f"{drop}; or {use}" if use else drop,
    )


def _name(fingerprint: str, rest: Collection[str]) -> str:
    """What names this set and none of the rest: the model's name if it can."""
    known = _known(fingerprint)
    return known.name if known and not named(known.name, rest) else shortest_name(fingerprint, rest)


def _known(fingerprint: str) -> ModelSpec | None:
    """The row of the model of that name, whichever revision the fingerprint is of."""
    return next((spec for spec in ENCODERS.values() if named(spec.name, [fingerprint])), None)


def _standing(fingerprint: str, makers: Mapping[str, str]) -> tuple[str, str | None]:
    """What has become of the model that made them, and how it can be used again."""
    if maker := makers.get(fingerprint):
        return "that model is installed, but not in force", f"search with --embedder {maker}"
    spec = _known(fingerprint)
    if spec is None:
        local = "name its folder with --embedder local:FOLDER" if fingerprint.startswith("local:") else None
        return "no model that is installed can search them", local
    if spec.name in makers.values():
        return "the model of that name that is installed is another revision, and cannot search them", None
    return "no model that is installed can search them", spec.model.mend
