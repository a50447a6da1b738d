"""What Google lets people take along of Gemini: the activity of the application, and the sessions of its command line.

The activity is a list of prompts, each with its answer, and without conversations; those that follow each other within
half an hour are taken as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from html import unescape

from ricordo.exchange import Skipped
from ricordo.memory import Origin, clean, digest
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.conversations import ASSISTANT, USER, Conversation, ConversationSource, Turn
from ricordo.sources.records import elements
from ricordo.sources.scaffolding import opening_line, spoken
from ricordo.sources.shapes import Shape, faults_in
from ricordo.sources.values import fields, items, moment, text

__all__ = ["activity", "sessions"]

KIND = "gemini"
# Raised whenever the same file would give other turns than before.
READER = "gemini-1"

ACTIVITY: Shape = {"header": str, "title": str, "products": [str], "safeHtmlItem": [{"html!": str}]}
SESSION: Shape = {"messages!": [{"type!": str, "content": (str, [{"text": str}])}]}

PAUSE = timedelta(minutes=30)
SPEAKERS = {"user": USER, "gemini": ASSISTANT, "model": ASSISTANT}
# The first word of an activity's title says what was done, in the language of the account.
_PROMPTED = re.compile(r"(?:Prompted|Запрос|Preguntaste|Solicitaste|Solicitou|Perguntou|Said)\s*:?\s+", re.IGNORECASE)
_BREAK = re.compile(r"<(?:br|/p|/div|/li|/h\d|/tr|/pre)\b[^<>]*>", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_BLANK_LINES = re.compile(r"\n\s*\n+")


def activity(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource | Skipped]:
    """The conversations of an activity file; what is not of Gemini is passed over."""
    asked: list[tuple[datetime, Mapping[str, object]]] = []
    for record in elements(blob):
        if isinstance(record, Skipped):
            yield record
            continue
        found = fields(record.value)
        at = moment(found.get("time"))
        if not any("gemini" in text(name).lower() for name in [found.get("header"), *items(found.get("products"))]):
            continue
        where = f"{blob.where}, record {record.number}"
        yield from faults_in(record.value, ACTIVITY, where)
        if at is None:
            yield Skipped(where=where, why="has no time")
        else:
            asked.append((at, found))
    for number, group in enumerate(_groups(sorted(asked, key=lambda pair: pair[0]))):
        if (found_conversation := _conversation(group, number)).turns:
            yield ConversationSource(conversation=found_conversation, circumstances=circumstances, reader=READER)


def sessions(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource | Skipped]:
    """The session of Gemini's command line that a file holds."""
    for record in elements(blob):
        if isinstance(record, Skipped):
            yield record
            continue
        whole = fields(record.value)
        turns = tuple(
            Turn(
                key=text(message.get("id")) or str(number),
                text=said,
                speaker=SPEAKERS[text(message.get("type"))],
                time=moment(message.get("timestamp")) or moment(whole.get("startTime")),
            )
            for number, message in enumerate(map(fields, items(whole.get("messages"))))
            if text(message.get("type")) in SPEAKERS and (said := spoken(_content(message.get("content"))))
        )
        session = text(whole.get("sessionId")) or digest(*(clean(turn.key) for turn in turns))
        opening = next((turn.text for turn in turns if turn.speaker == USER), "")
        origin = Origin(kind=KIND, uri=f"{KIND}:{clean(session)}", title=clean(opening_line(opening)) or None)
        found = Conversation(origin=origin, turns=turns, updated_at=moment(whole.get("lastUpdated")))
        faults = faults_in(record.value, SESSION, f"{blob.where}, record {record.number}")
        yield ConversationSource(conversation=found, circumstances=circumstances, reader=READER, faults=faults)


def _groups(
    asked: Sequence[tuple[datetime, Mapping[str, object]]],
) -> Iterator[list[tuple[datetime, Mapping[str, object]]]]:
    group: list[tuple[datetime, Mapping[str, object]]] = []
    for at, found in asked:
        if group and at - group[-1][0] > PAUSE:
            yield group
            group = []
        group.append((at, found))
    if group:
        yield group


def _conversation(group: Sequence[tuple[datetime, Mapping[str, object]]], number: int) -> Conversation:
    turns: list[Turn] = []
    for at, found in group:
        asked = spoken(_PROMPTED.sub("", text(found.get("title")), count=1))
        answers = (_plain(text(fields(item).get("html"))) for item in items(found.get("safeHtmlItem")))
        answer = "\n\n".join(filter(None, answers))
        key = at.isoformat()
        turns += [Turn(key=f"{key}?", text=asked, speaker=USER, time=at)] if asked else []
        turns += [Turn(key=f"{key}!", text=answer, speaker=ASSISTANT, time=at)] if answer else []
    began = group[0][0].isoformat()
    title = opening_line(turns[0].text) if turns else ""
    return Conversation(
        origin=Origin(kind=KIND, uri=f"{KIND}:activity/{began}", title=clean(title) or None),
        turns=tuple(turns),
        updated_at=group[-1][0],
    )


def _content(value: object) -> str:
    """The text of a message, which newer versions hold in parts."""
    return value if isinstance(value, str) else "\n".join(text(fields(part).get("text")) for part in items(value))


def _plain(html: str) -> str:
    """The words of an answer, a paragraph or a list item a line."""
    lines = _TAG.sub("", _ITEM.sub("- ", _BREAK.sub("\n", html)))
    return _BLANK_LINES.sub("\n\n", unescape(lines)).strip()
