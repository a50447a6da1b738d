"""LoCoMo (Maharana et al., Evaluating very long-term conversational memory of LLM agents, ACL 2024).

Each turn of a conversation is a memory, each conversation a namespace. What answers a question are the turns
that its evidence names, read in one of three ways, or as an audit (github.com/dial481/locomo-audit) corrects them.
Nothing else of the file (answers, categories, summaries) reaches the engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from ricordo.errors import InvalidInput
from ricordo.eval import datasets
from ricordo.eval.datasets import EPOCH, Dataset, Question
from ricordo.eval.jsonfile import Node, read_json
from ricordo.memory import Memory, Origin

__all__ = ["AUDITED", "CATEGORIES", "DEFAULT_GOLD", "DEFAULT_TEXT", "GOLDS", "TEXTS", "read_locomo"]

CATEGORIES: Mapping[int, str] = MappingProxyType(
    {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: "5 adversarial"}
)
"""The names that the paper's own counts fix; many later works permute them."""

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D0*(\d+):0*(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


def _plain(turn: Node, date: str) -> str:
    said = turn.get("text")
    return f"{turn['speaker'].text()}: {said.value if said else ''}"


def _with_caption(turn: Node, date: str) -> str:
    caption = turn.get("blip_caption")
    return f"{_plain(turn, date)} [{caption.text()}]" if caption else _plain(turn, date)


def _dated(turn: Node, date: str) -> str:
    return f"[{date}] {_with_caption(turn, date)}"


TEXTS: Mapping[str, Callable[[Node, str], str]] = MappingProxyType(
    {"plain": _plain, "caption": _with_caption, "dated": _dated}
)
"""What a memory says of a turn: speaker and text, then the caption of a picture, then the session's date."""

DEFAULT_TEXT = "caption"


def _exact(evidence: Sequence[str], turns: Mapping[str, Memory]) -> frozenset[str]:
    return frozenset(turns[each].id for each in evidence if each in turns)


def _repaired(evidence: Sequence[str], turns: Mapping[str, Memory]) -> frozenset[str]:
    named = [f"D{session}:{turn}" for each in evidence for session, turn in _TURN.findall(each)]
    return _exact(named, turns)


def _paper(evidence: Sequence[str], turns: Mapping[str, Memory]) -> frozenset[str]:
    """What names no turn stands for a memory that cannot be found, and so does no evidence at all."""
    return frozenset(turns[each].id if each in turns else f"no turn {each}" for each in evidence or [""])


_Reading = Callable[[Sequence[str], Mapping[str, Memory]], frozenset[str]]
_Gold = tuple[_Reading, Mapping[str, Sequence[str]]]
"""How evidence is read, and the evidence that is right for questions whose own is not."""

GOLDS: Mapping[str, _Reading] = MappingProxyType({"exact": _exact, "repaired": _repaired, "paper": _paper})
"""How evidence is read: what names a turn exactly; also what does after its misprints are mended; or as the
paper does, where every string counts and one that names no turn, or none at all, is a miss.
"""

DEFAULT_GOLD = "exact"
AUDITED = "audited"
"""The evidence `repaired`, with what an audit found wrong corrected or left out."""

_WRONG_CITATION = "WRONG_CITATION"


def read_locomo(
    file: Path,
    *,
    only: Collection[str] = (),
    text: str = DEFAULT_TEXT,
    gold: str = DEFAULT_GOLD,
    audit: Sequence[Path] = (),
) -> Dataset:
    """All conversations, or `only` those named, with their questions; those without gold are left out.

    `audit` are files of an audit's findings, which the gold `audited` needs. Raises InvalidInput.
    """
    if (gold == AUDITED) != bool(audit):
        raise InvalidInput("the gold 'audited' and files of an audit's findings (--audit) go together")
    found = {sample["sample_id"].text(): sample for sample in read_json(file)}
    unknown = sorted(set(only) - set(found))
    if unknown:
        raise InvalidInput(f"{file} has no conversation {', '.join(unknown)}; it has {', '.join(found)}")
    chosen = [name for name in found if not only or name in only]
    corrected = dict(_findings(audit))
    read = GOLDS["repaired" if audit else gold]
    return Dataset(
        name="locomo",
        collections=tuple(_conversation(name, found[name], text, (read, corrected)) for name in chosen),
        settings={"file": file.name, "only": ", ".join(chosen), "text": text, "gold": gold},
    )


def _findings(audit: Sequence[Path]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each question that has a fault, with the evidence that is right; with none where the fault is another."""
    for finding in (finding for file in audit for finding in read_json(file)):
        cited = finding["error_type"].text() == _WRONG_CITATION
        yield (
            finding["question"].text(),
            tuple(each.text() for each in finding["correct_evidence"]) if cited else (),
        )


def _conversation(name: str, sample: Node, text: str, gold: _Gold) -> datasets.Collection:
    turns = dict(_turns(name, sample["conversation"], TEXTS[text]))
    return datasets.Collection(
        name=name,
        # The same words said twice are one memory, which answers for both turns.
        memories=tuple({memory.id: memory for memory in turns.values()}.values()),
        questions=tuple(_questions(name, sample["qa"], gold, turns)),
    )


def _turns(name: str, conversation: Node, write: Callable[[Node, str], str]) -> Iterator[tuple[str, Memory]]:
    """Turns by their ids, in the order they were said."""
    matches = [_SESSION.fullmatch(key) for key, _ in conversation.items()]
    position = 0
    for number in sorted(int(match[1]) for match in matches if match):
        date = conversation[f"session_{number}_date_time"]
        for turn in conversation[f"session_{number}"]:
            yield (
                turn["dia_id"].text(),
                Memory(
                    text=write(turn, date.text()),
                    origin=Origin(kind="locomo", uri=f"locomo:{name}", title=name),
                    created_at=EPOCH,
                    updated_at=EPOCH,
                    event_timestamp=_moment(date),
                    group=f"session {number}",
                    speaker=turn["speaker"].text(),
                    position=position,
                ),
            )
            position += 1


def _moment(date: Node) -> datetime:
    try:
        return datetime.strptime(date.text(), _DATE).replace(tzinfo=UTC)
    except ValueError as error:
        raise date.mistake("a time such as '1:56 pm on 8 May, 2023'") from error


def _questions(name: str, asked: Node, gold: _Gold, turns: Mapping[str, Memory]) -> Iterator[Question]:
    read, corrected = gold
    for number, question in enumerate(asked):
        wording = question["question"].text()
        stated = [each.text() for each in question["evidence"]]
        relevant = read(corrected.get(wording, stated), turns)
        category = question["category"].whole()
        if category not in CATEGORIES:
            raise question["category"].mistake("a category from 1 to 5")
        if relevant:
            yield Question(
                id=f"{name}/{number}",
                text=wording,
                relevant=relevant,
                category=CATEGORIES[category],
            )
