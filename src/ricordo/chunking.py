"""Memories → chunks small enough to be embedded, cut where their text has joints; pure.

A text that does not fit is parted at its strongest joints: between paragraphs, list items, lines,
sentences, words and, at last, characters, each only inside what is still too large. The parts are then
put together again into chunks as large as they may be. Code fences and tables stay whole when they fit.
A chunk that begins inside a sentence repeats the words before it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ricordo.characters import UNSPACED
from ricordo.errors import InvalidInput
from ricordo.memory import Chunk, Memory
from ricordo.structure import FINDERS, Joint, Joints, opening_heading, table_heads, tables

__all__ = ["WORDS_LIMIT", "StructureChunker", "count_words", "word_chunker"]

# Raised whenever the same memory would be cut differently than before.
VERSION = 2

WORDS_LIMIT = 200
"""Words of a chunk when no embedder sets a limit: about what the smallest models read at once."""

MIN_LIMIT = 16
CONTEXT_SHARE = 3
OVERLAP_SHARE = 8
TAIL_SHARE = 4
HEAD_SHARE = 4

CONTEXT_JOINT = re.compile(r"(?<=\n)|(?<= › )")
WORD_JOINT = re.compile(r"(?<=\s)(?=\S)")
COUNTED_WORD = re.compile(f"[{UNSPACED}]|[^\\s{UNSPACED}]+")
LONG_WORD = 20
# WordPiece reads a word of more than 100 characters as one unknown token, and would call a page of base64 short.
ENDLESS_LENGTH = 100
ENDLESS_WORD = re.compile(f"(?<![^\\W{UNSPACED}])[^\\W{UNSPACED}]{{{ENDLESS_LENGTH + 1},}}")
ENDLESS_CHARACTERS = 8


def count_words(texts: Sequence[str]) -> list[int]:
    """Words of each text, where a letter of a script without spaces is a word and 20 characters are one at most."""
    return [sum(1 + (len(word) - 1) // LONG_WORD for word in COUNTED_WORD.findall(text)) for text in texts]


def word_chunker() -> StructureChunker:
    """The chunker for when no embedder sets a limit."""
    return StructureChunker(measure=count_words, limit=WORDS_LIMIT, name="words")


class _Part(NamedTuple):
    """A stretch of text that is not parted further, what it costs, and the joint before it."""

    start: int
    end: int
    cost: int
    joint: Joint


class StructureChunker:
    """Cuts memories so that context and text of each chunk, a line break between them, measure `limit` at most.

    `measure` counts each of the texts it is given, and `name` says what it counts (words, the tokens of a
    certain model). It must not count much more for a whole than for its parts. A run of more than 100
    letters or digits counts an eighth of its length on top, because no tokenizer reads it well.

    A memory that fits is one chunk, with its text and context as they are. Otherwise a context of more than
    a third of the limit loses its outer parts, and chunks after the first carry the heading that opens the
    text in their context. One that begins within a table has the table's head there. Of two chunks of a memory
    with the same text and context, which would have the same id, only the first is kept. Raises InvalidInput for
    a limit below 16.
    """

    def __init__(self, *, measure: Callable[[Sequence[str]], list[int]], limit: int, name: str) -> None:
        if limit < MIN_LIMIT:
            raise InvalidInput(f"a chunk limited to {limit} says nothing; allow at least {MIN_LIMIT}")
        self._measure = measure
        self._limit = limit
        self._name = name

    @property
    def name(self) -> str:
        return f"structure-{VERSION}:{self._name}:{self._limit}"

    def chunks(self, memory: Memory) -> tuple[Chunk, ...]:
        text, context = memory.text, memory.context
        if self._costs([_passage(context, text)])[0] <= self._limit:
            return _number([_chunk(memory, context, text)])
        context = self._shorten(context)
        heading = opening_heading(text)
        following = self._shorten(" › ".join(filter(None, (context, heading))))
        heads = {head: cost for head, cost in self._heads(text) if cost <= self._limit // HEAD_SHARE}
        budget = self._limit - max(self._costs([f"{context}\n", f"{following}\n"])) - max(heads.values(), default=0)
        pieces = self._fit(text, budget, budget)
        above = (head if head in heads else "" for head in table_heads(pieces))
        return _number(
            _chunk(memory, "\n".join(filter(None, (following if position else context, head))), piece)
            for position, (piece, head) in enumerate(zip(pieces, above, strict=True))
        )

    def _heads(self, text: str) -> Iterable[tuple[str, int]]:
        """The heads of the tables, and what each costs on a line of its own."""
        heads = tables(text)
        return zip(heads, self._costs([f"{head}\n" for head in heads]), strict=True)

    def _costs(self, texts: Sequence[str]) -> list[int]:
        counts = self._measure(texts) if texts else []
        return [count + _surcharge(text) for count, text in zip(counts, texts, strict=True)]

    def _shorten(self, context: str) -> str:
        """The end of the context, from a heading, a line, or at least a word on, that leaves room for text."""
        allowed = self._limit // CONTEXT_SHARE
        if self._costs([context])[0] <= allowed:
            return context
        for joint in (CONTEXT_JOINT, WORD_JOINT):
            parts = joint.split(context)
            kept = _within(reversed(self._costs(parts)), allowed)
            if kept:
                return "".join(parts[-kept:])
            context = parts[-1]
        return context[-allowed // 2 :]

    def _fit(self, text: str, budget: int, target: int) -> list[str]:
        """Pieces that cost `budget` at most, cut as if only `target` were allowed.

        What parts cost does not quite foretell what they cost together, so what came out too large is
        cut again, smaller.
        """
        fitting: list[str] = []
        pieces = self._cut(text, target)
        for piece, cost in zip(pieces, self._costs(pieces), strict=True):
            if cost <= budget or target == 1:
                fitting.append(piece)
            else:
                fitting += self._fit(piece, budget, max(1, target * budget * 9 // (cost * 10)))
        return fitting

    def _cut(self, text: str, target: int) -> list[str]:
        parts = self._parts(text, target)
        firsts = _pack(parts, target)
        bounds = zip([0, *firsts], firsts, [*firsts[1:], len(parts)], strict=False)
        spans = ((parts[_overlap(parts, bound, target)].start, parts[bound[2] - 1].end) for bound in bounds)
        pieces = (text[start:end].strip("\n").rstrip() for start, end in spans)
        return [piece for piece in pieces if piece]

    def _parts(self, text: str, target: int) -> list[_Part]:
        parts = [_Part(0, len(text), target + 1, Joint.HEADING)]
        for find in FINDERS:
            parts = self._part(text, parts, target, find)
        while any(part.cost > target and part.end - part.start > 1 for part in parts):
            parts = self._part(text, parts, target, characters)
        return parts

    def _part(self, text: str, parts: list[_Part], target: int, find: Callable[[str], Joints]) -> list[_Part]:
        """Part further what costs more than the target, and measure the new parts."""
        parted: list[_Part] = []
        for part in parts:
            found = find(text[part.start : part.end]) if part.cost > target else []
            if not found:
                parted.append(part)
                continue
            starts = [part.start, *(part.start + offset for offset, _ in found)]
            ends = [*starts[1:], part.end]
            costs = self._costs([text[start:end] for start, end in zip(starts, ends, strict=True)])
            joints = [part.joint, *(joint for _, joint in found)]
            # Nothing is free: parts that cost nothing alone may cost something together.
            parted += [
                _Part(*each) for each in zip(starts, ends, [max(1, cost) for cost in costs], joints, strict=True)
            ]
        return parted


def characters(text: str) -> Joints:
    """Eighths of a text without joints, moved off marks that belong to the character before them."""
    offsets = sorted({_after_marks(text, len(text) * eighth // 8) for eighth in range(1, 8)} - {0, len(text)})
    return [(offset, Joint.CHARACTER) for offset in offsets or [len(text) // 2]]


def _after_marks(text: str, offset: int) -> int:
    while offset < len(text) and (unicodedata.combining(text[offset]) or text[offset] in "\u200d\ufe0f"):
        offset += 1
    return offset


def _pack(parts: list[_Part], target: int) -> list[int]:
    """The first part of each chunk."""
    firsts = [0]
    while (end := _reach(parts, firsts[-1], target)) < len(parts):
        firsts.append(_best_cut(parts, firsts[-1], end, target))
    if len(firsts) > 1:
        firsts[-1] = _balance(parts, firsts[-2], firsts[-1], target)
    return firsts


def _capacity(parts: list[_Part], first: int, target: int) -> int:
    """What a chunk may hold beside the words it repeats."""
    return target - target // OVERLAP_SHARE if first and parts[first].joint is Joint.WORD else target


def _reach(parts: list[_Part], first: int, target: int) -> int:
    """The first part that the chunk has no room for; a chunk holds one part at least."""
    costs = (parts[index].cost for index in range(first, len(parts)))
    return first + max(1, _within(costs, _capacity(parts, first, target)))


def _best_cut(parts: list[_Part], first: int, end: int, target: int) -> int:
    """The last of the strongest joints at which the chunk is at least half full."""
    best, left = end, sum(part.cost for part in parts[first:end])
    for index in range(end - 1, first, -1):
        left -= parts[index].cost
        if left * 2 < target:
            break
        if parts[index].joint > parts[best].joint:
            best = index
    return best if parts[best].joint else _before_headings(parts, first, best, target)


def _before_headings(parts: list[_Part], first: int, end: int, target: int) -> int:
    """The joint before the headings above `end`, so that they go with what they head, if both fit together."""
    cut, cost = end, parts[end].cost
    while cut > first and not parts[cut].joint:
        cut -= 1
        cost += parts[cut].cost
    return cut if cut > first and cost <= target else end


def _balance(parts: list[_Part], first: int, cut: int, target: int) -> int:
    """A cut between the last two chunks that leaves no tiny tail, when a joint as good allows one."""
    left, right = (sum(part.cost for part in stretch) for stretch in (parts[first:cut], parts[cut:]))
    best, best_key = cut, (right * TAIL_SHARE >= target, 0, 0)
    if best_key[0]:
        return cut
    for index in range(cut - 1, first, -1):
        left, right = left - parts[index].cost, right + parts[index].cost
        if right > _capacity(parts, index, target):
            break
        joint = parts[index].joint
        key = (left * TAIL_SHARE >= target and right * TAIL_SHARE >= target, int(joint), min(left, right))
        if key > best_key and joint >= min(parts[cut].joint, Joint.SENTENCE):
            best, best_key = index, key
    return best if best_key[0] else cut


def _overlap(parts: list[_Part], bounds: tuple[int, int, int], target: int) -> int:
    """Where a chunk that begins inside a sentence starts to repeat it: some words back, within the chunk before."""
    before, first, last = bounds
    room = min(target // OVERLAP_SHARE, target - sum(part.cost for part in parts[first:last]))
    while first - 1 > before and parts[first].joint is Joint.WORD <= parts[first - 1].joint:
        room -= parts[first - 1].cost
        if room < 0:
            break
        first -= 1
    return first


def _within(costs: Iterable[int], allowed: int) -> int:
    """How many of the costs, from the first on, are allowed together."""
    count = 0
    for cost in costs:
        allowed -= cost
        if allowed < 0:
            break
        count += 1
    return count


def _surcharge(text: str) -> int:
    if len(text) <= ENDLESS_LENGTH:
        return 0
    return sum(len(run) // ENDLESS_CHARACTERS for run in ENDLESS_WORD.findall(text))


def _passage(context: str, text: str) -> str:
    return f"{context}\n{text}" if context else text


def _chunk(memory: Memory, context: str, text: str) -> Chunk:
    return Chunk(
        memory_id=memory.id,
        origin_uri=memory.origin.uri,
        text=text,
        context=context,
        group=memory.group,
        speaker=memory.speaker,
    )


def _number(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """Each chunk once, with its position."""
    first: dict[str, Chunk] = {}
    for chunk in chunks:
        first.setdefault(chunk.id, chunk)
    return tuple(replace(chunk, position=position) for position, chunk in enumerate(first.values()))
