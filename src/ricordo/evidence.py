"""Evidence: what speaks for each candidate, as named numbers, and the linear model of them that orders a pool; pure.

A feature counts by how far it lies from its mean in the pool, in units of its usual deviation, the spread:

    part = weight · (x - mean) / spread

Each kind of text (what was said in a conversation, a short note, a longer text) has weights of its own.
The mean only makes the parts readable: what is the same for a whole pool cannot order it. Similarities of vectors
are as wide as their model makes them; their spread is that of the pool, drawn towards the usual one where the pool
is small: sqrt((n · variance + 5 · usual²) / (n + 5)) for n candidates. What a candidate does
not have (a session, a neighbour, a vector) is 0: it speaks neither for nor against. A score is the sum of its
parts. The weights were fitted by listwise softmax (Cao et al., Learning to Rank: From Pairwise Approach to Listwise
Approach, ICML 2007); the file that holds them says on what.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from ricordo.bm25 import idf
from ricordo.likeness import SETTLED, among_like, unit
from ricordo.proximity import proximity
from ricordo.scene import KINDS, NOBODY, NOTE, Asked, Floats, Places, Scene
from ricordo.tokenvectors import windows

__all__ = [
    "IDENTIFIERS",
    "REACH",
    "UNSCALED",
    "Bearing",
    "Model",
    "bearing",
    "judge",
    "load_model",
    "measure",
    "scaled",
]

REACH = 2
"""How many places before and after a candidate are looked at."""

PLACE = 4
"""Stretches of tokens that are one place in a text: a sentence, more or less."""

STEADY = 0.02
"""Added to the deviation of a token's similarities: where all are alike, no difference counts."""

IDENTIFIERS = 20.0
"""What holding every identifier of the question counts. Not fitted: whoever gives a key means that key."""

SIMILARITIES = ("vector", "tokens")
"""How features begin that are as wide as their model makes them."""

UNSCALED = frozenset({"identifiers", "speaker named", "other speaker named", "asks", "after a question"})
"""Features that are shares or yes and no, and mean the same in every pool."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """Weights by kind of text and feature, and the usual spread of each feature in a pool."""

    weights: Mapping[str, Mapping[str, float]]
    spreads: Mapping[str, float]

    @property
    def features(self) -> frozenset[str]:
        return frozenset(name for weights in self.weights.values() for name in weights)

    def of_each(self, feature: str, kinds: Floats) -> Floats:
        """What the feature counts for candidates of these kinds, `(n,)`; `kinds` is `(n, kinds)`."""
        counted: Floats = kinds @ np.array([self.weights[kind].get(feature, 0.0) for kind in KINDS])
        return counted


@lru_cache(maxsize=1)
def load_model() -> Model:
    """The weights that ricordo ships, from `evidence.json`."""
    found = json.loads(files("ricordo").joinpath("evidence.json").read_text(encoding="utf-8"))
    return Model(weights=found["weights"], spreads=found["spreads"])


def judge(scene: Scene, asked: Asked, model: Model) -> dict[str, dict[str, float]]:
    """For each chunk of the pool, what each feature adds to its score; features that add nothing are left out."""
    columns, kinds = scaled(measure(scene, asked), model.spreads), scene.kinds
    parts = {name: column * model.of_each(name, kinds) for name, column in columns.items()}
    pool = [each.chunk.id for each, pooled in zip(scene.candidates, scene.pooled, strict=True) if pooled]
    return {
        chunk_id: {name: float(column[row]) for name, column in parts.items() if abs(column[row]) >= 5e-4}
        for row, chunk_id in enumerate(pool)
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class Bearing:
    """How near a candidate is to the question, whatever else is in the pool.

    `cosine` is that of the vectors, NaN where one is unknown; `held` are the terms of the question that its text
    holds, and `share` is what these score of what a text could that held every form of every word. `note` is how far
    it is a note, and `vector` its own.
    """

    cosine: float
    share: float
    held: frozenset[str]
    note: float
    vector: Floats


def bearing(scene: Scene, asked: Asked) -> dict[str, Bearing]:
    """The bearing of each candidate, by chunk id."""
    words = scene.matched(scene.frequencies, scene.lengths)
    most = (scene.parameters.k1 + 1) * sum(
        weight * idf(asked.statistics.chunks, max(1, asked.statistics.document_frequency.get(term, 0)))
        for term, weight in asked.terms.items()
    )
    cosines, notes = np.full(len(words), np.nan), np.zeros(len(words))
    if asked.vector is not None:
        known = scene.vectors.any(axis=1)
        cosines[known] = scene.vectors[known] @ asked.vector
        notes[scene.pooled] = scene.kinds[:, NOTE]
        notes[~known] = 0
    return {
        each.chunk.id: Bearing(
            cosine=float(cosine),
            share=float(score) / most if most > 0 else 0.0,
            held=frozenset(term for term in each.match.counts if term in asked.terms),
            note=float(note),
            vector=vector,
        )
        for each, cosine, score, note, vector in zip(
            scene.candidates, cosines, words, notes, scene.vectors, strict=True
        )
    }


def measure(scene: Scene, asked: Asked) -> dict[str, Floats]:
    """Each feature of the candidates of the pool, in the order of the scene; NaN where one has none."""
    found = _by_words(scene)
    found |= _by_vectors(scene, asked)
    found |= _by_tokens(scene)
    found |= _by_session(scene, found.get("tokens"))
    found |= _by_speaker(scene, asked)
    found |= _by_text(scene, asked)
    found |= _by_places(scene, asked)
    return {name: numbers[scene.pooled] for name, numbers in found.items()}


def scaled(found: Mapping[str, Floats], spreads: Mapping[str, float]) -> dict[str, Floats]:
    """The features as they are weighed; 0 where a candidate has none."""
    return {name: _scaled(name, numbers, spreads.get(name, 1.0)) for name, numbers in found.items()}


def _scaled(name: str, numbers: Floats, spread: float) -> Floats:
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return np.zeros(len(numbers))
    mean = 0.0 if name == "identifiers" else known.mean()
    if name in UNSCALED:
        spread = 1.0
    elif name.startswith(SIMILARITIES):
        spread = math.sqrt((len(known) * known.var() + SETTLED * spread**2) / (len(known) + SETTLED))
    return np.nan_to_num((numbers - mean) / spread) if spread else np.zeros(len(numbers))


# --- the features, each (n,) over all candidates of the scene ---


def _by_words(scene: Scene) -> dict[str, Floats]:
    """BM25 of a text, and of it and what was said just before it, taken as one; and what all arms together say."""
    has = scene.before != NOBODY
    frequencies, lengths = scene.frequencies.copy(), scene.lengths.copy()
    frequencies[has] += scene.frequencies[scene.before[has]]
    lengths[has] = (lengths[has] + scene.lengths[scene.before[has]]) / 2
    return {
        "words": scene.okapi,
        "fusion": scene.fused,
        "words with what precedes": scene.matched(frequencies, lengths),
    }


def _by_vectors(scene: Scene, asked: Asked) -> dict[str, Floats]:
    """The cosine of the mean of a text's vector with that of what was said before it; and of its own, once the mean of
    the pool is taken off: where all speak of the person that the question names, what is left is what they say of her.
    """
    known = scene.vectors.any(axis=1)
    if asked.vector is None or not (of_pool := scene.pooled & known).any():
        return {}
    centre = scene.vectors[of_pool].mean(axis=0)
    apart = unit(scene.vectors - centre) @ (asked.vector - centre)
    has = scene.before != NOBODY
    together = scene.vectors.copy()
    together[has] += scene.vectors[scene.before[has]]
    found = unit(together) @ asked.vector
    return {
        "vector told apart": np.where(known, apart, np.nan),
        "vector with what precedes": np.where(known, found, np.nan),
        **among_like(scene, asked, np.flatnonzero(of_pool), centre),
    }


def _by_tokens(scene: Scene) -> dict[str, Floats]:
    """Late interaction: of the text, of the best place in it, of it and what precedes it together, of its neighbours.

    What is told apart scales the similarities of each token of the question by their deviation in the pool first, so
    that a token all are near to does not drown one that few are near to.
    """
    near, weights, rare = scene.near, scene.token_weights, scene.rare_weights
    if not near.shape[1] or np.isnan(near[scene.pooled]).all():
        return {}
    own = near @ weights
    together = near.copy()
    has = scene.before != NOBODY
    together[has] = np.fmax(near[has], near[scene.before[has]])
    of_pool = near[scene.pooled]
    usual, told = np.nanmean(of_pool, axis=0), rare / (np.nanstd(of_pool, axis=0) + STEADY)
    places = windows(scene.stretches, scene.of_stretch, PLACE)
    beyond = np.fmax(_two_away(scene, own, scene.before), _two_away(scene, own, scene.after))
    return {
        "tokens": own,
        "tokens told apart": (near - usual) @ told,
        "tokens in one place": _best(scene, places @ weights),
        "tokens told apart in one place": _best(scene, (places - usual) @ told),
        "tokens with what precedes": together @ weights,
        "tokens after": scene.at(own, scene.after),
        "tokens two away": beyond,
    }


def _best(scene: Scene, numbers: Floats) -> Floats:
    """The largest number of the stretches of each candidate."""
    found = np.full(len(scene.candidates), -np.inf)
    np.maximum.at(found, scene.of_stretch, numbers)
    return np.where(np.isinf(found), np.nan, found)


def _two_away(scene: Scene, numbers: Floats, step: Places) -> Floats:
    places = np.where(step == NOBODY, NOBODY, step[step])
    return scene.at(numbers, places)


def _by_session(scene: Scene, tokens: Floats | None) -> dict[str, Floats]:
    """What speaks for the session as a whole, by those of its members that are in the pool."""
    members = np.flatnonzero(scene.pooled & (scene.session != NOBODY))
    if not len(members):
        return {}
    sessions = scene.session[members]
    frequencies = np.zeros((sessions.max() + 1, scene.frequencies.shape[1]))
    np.add.at(frequencies, sessions, scene.frequencies[members])
    # How long a session is, is not known; all count as equally long.
    lengths = np.full(len(frequencies), scene.mean_length)
    own = scene.matched(scene.frequencies, np.full(len(scene.lengths), scene.mean_length))
    found = {"words of the session": _of_session(scene, scene.matched(frequencies, lengths), own)}
    if tokens is not None:
        best = np.full(len(frequencies), -np.inf)
        np.fmax.at(best, sessions, tokens[members])
        found["tokens of the session"] = _of_session(scene, np.where(np.isinf(best), np.nan, best), tokens)
    return found


def _of_session(scene: Scene, numbers: Floats, own: Floats) -> Floats:
    """The number of each candidate's session; a note among sessions is a session of its own."""
    places = np.where(scene.session < len(numbers), scene.session, NOBODY)
    return np.where(scene.session == NOBODY, own, scene.at(numbers, places))


def _by_speaker(scene: Scene, asked: Asked) -> dict[str, Floats]:
    """Whether the question names who speaks, or somebody else who speaks in the pool."""
    asked_words = frozenset(_WORD.findall(asked.text.casefold()))
    speakers = [each.chunk.speaker for each in scene.candidates]
    named = {name for name in set(speakers) if name and asked_words & frozenset(_WORD.findall(name.casefold()))}
    this = np.array([name in named for name in speakers], np.float64)
    other = np.array([bool(named) and name is not None and name not in named for name in speakers], np.float64)
    return {"speaker named": this, "other speaker named": other}


def _by_text(scene: Scene, asked: Asked) -> dict[str, Floats]:
    texts = [each.chunk.text for each in scene.candidates]
    in_group = scene.session != NOBODY
    asks = np.array([text.rstrip().endswith("?") for text in texts], np.float64)
    question = np.array(["?" in text for text in texts], np.float64)
    names = asked.identifiers
    held = [
        sum(name in each.match.counts or name in each.match.context_counts for name in names)
        for each in scene.candidates
    ]
    return {
        "identifiers": np.array(held, np.float64) / max(1, len(names)),
        "asks": np.where(in_group, asks, np.nan),
        "after a question": scene.at(question, scene.before),
    }


def _by_places(scene: Scene, asked: Asked) -> dict[str, Floats]:
    """How near to each other the words of the question stand in a text of the pool that is no turn: those are short."""
    found = np.full(len(scene.candidates), np.nan)
    for row in np.flatnonzero(scene.pooled & (scene.session == NOBODY)):
        found[row] = proximity(scene.candidates[row].chunk.text, asked.words)
    return {"words near each other": found}
