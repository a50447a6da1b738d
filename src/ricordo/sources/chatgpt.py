"""Conversations of a ChatGPT export: a tree of messages, of which one branch is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from ricordo.exchange import Skipped
from ricordo.memory import Json, Origin, clean, digest
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.conversations import ASSISTANT, USER, Branch, Conversation, ConversationSource, Turn
from ricordo.sources.injected import without_injected
from ricordo.sources.lineage import ancestry
from ricordo.sources.records import elements
from ricordo.sources.scaffolding import opening_line
from ricordo.sources.shapes import ANY, Shape, faults_in
from ricordo.sources.values import fields, items, moment, text

__all__ = ["conversation", "conversations"]

KIND = "chatgpt"
# Raised whenever the same conversation would give other turns than before.
READER = "chatgpt-1"
LINK = "https://chatgpt.com/c/"

SPEAKERS = frozenset({ASSISTANT, USER})
READ_TYPES = frozenset({"multimodal_text", "text"})

MESSAGE: Shape = {
    "author!": {"role!": str},
    "recipient": str,
    "content!": {"content_type!": str, "text": str, "parts": [(str, {"content_type!": str, "text": str})]},
}
SHAPE: Shape = {"mapping": {ANY: {"parent": str, "children": [str], "id!": str, "message": MESSAGE}}}

# The application puts marks into an answer, which it shows as something else: \ue200 kind \ue202 values \ue201.
_MARK = re.compile("[ \t]?\ue200(?P<kind>[^\ue200-\ue202]*)(?:\ue202(?P<values>[^\ue200\ue201]*))?\ue201")
_STRAY_MARKS = re.compile("[\ue200-\ue206]")
# What older answers have in place of them: 【12†source】.
_OLD_MARK = re.compile(r"【\d+(?::\d+)?†[^】]*】")


def conversations(blob: Blob, circumstances: Circumstances) -> Iterator[ConversationSource | Skipped]:
    """The conversations of an export, or of one part of it. What has no tree of messages comes as Skipped."""
    for record in elements(blob, within="conversations"):
        if isinstance(record, Skipped):
            yield record
            continue
        where = f"{blob.where}, record {record.number}"
        found = conversation(fields(record.value))
        if found is None:
            yield Skipped(where=where, why="is no conversation of ChatGPT")
            continue
        faults = faults_in(record.value, SHAPE, where)
        if found.turns:
            yield ConversationSource(conversation=found, circumstances=circumstances, reader=READER, faults=faults)
        else:
            yield from faults


def conversation(element: Mapping[str, object]) -> Conversation | None:
    """The conversation that an element of the export's array is: the turns that are shown, then those that were left.

    None when it has no tree of messages.
    """
    mapping = element.get("mapping")
    if not isinstance(mapping, dict):
        return None
    nodes = {name: fields(node) for name, node in mapping.items()}
    parents = _parents(nodes)
    shown = ancestry(_leaf(nodes, parents, element.get("current_node")), parents)
    left = sorted(set(nodes).difference(shown), key=lambda name: (_seconds(nodes[name]), name))
    turns = [_turn(name, nodes[name], element, Branch.MAIN) for name in shown]
    turns += [_turn(name, nodes[name], element, Branch.ABANDONED) for name in left]
    told = [turn for turn in turns if turn is not None]
    title = " ".join(text(element.get("title")).split()) or opening_line(told[0].text if told else "")
    name = text(element.get("conversation_id")) or text(element.get("id"))
    uri = LINK + clean(name) if name else f"{KIND}:{digest(*map(clean, nodes))}"
    return Conversation(
        origin=Origin(kind=KIND, uri=uri, title=clean(title) or None),
        turns=tuple(told),
        updated_at=moment(element.get("update_time")),
        link=LINK + clean(name) if name else None,
    )


def _parents(nodes: Mapping[str, dict[str, object]]) -> dict[str, str | None]:
    """Who follows whom; where a node names no parent, the one that names it as a child."""
    parents: dict[str, str | None] = {name: text(node.get("parent")) or None for name, node in nodes.items()}
    for name, node in nodes.items():
        for child in items(node.get("children")):
            if isinstance(child, str) and child in parents and parents[child] is None and child != name:
                parents[child] = name
    return parents


def _leaf(nodes: Mapping[str, dict[str, object]], parents: Mapping[str, str | None], current: object) -> str | None:
    """The node that the conversation is shown up to: the one that it names, else the newest leaf."""
    if isinstance(current, str) and current in nodes:
        return current
    followed = set(parents.values())
    leaves = [name for name in nodes if name not in followed] or list(nodes)
    return max(leaves, key=lambda name: _seconds(nodes[name]), default=None)


def _seconds(node: Mapping[str, object]) -> float:
    at = moment(fields(node.get("message")).get("create_time"))
    return at.timestamp() if at else 0.0


def _turn(name: str, node: Mapping[str, object], whole: Mapping[str, object], branch: Branch) -> Turn | None:
    """The turn of a node; None when it is hidden, a call of a tool, or says nothing."""
    message = fields(node.get("message"))
    speaker, metadata = text(fields(message.get("author")).get("role")), fields(message.get("metadata"))
    if speaker not in SPEAKERS or message.get("recipient") not in (None, "all") or _is_hidden(metadata):
        return None
    said = _said(fields(message.get("content")))
    if not said:
        return None
    model = text(metadata.get("model_slug")) or text(whole.get("default_model_slug"))
    made: dict[str, Json] = {"model": model} if model and speaker == ASSISTANT else {}
    return Turn(
        key=text(message.get("id")) or name,
        text=said,
        speaker=speaker,
        time=moment(message.get("create_time")) or moment(whole.get("create_time")),
        branch=branch,
        metadata=made,
    )


def _is_hidden(metadata: Mapping[str, object]) -> bool:
    return (
        metadata.get("is_visually_hidden_from_conversation") is True or metadata.get("is_user_system_message") is True
    )


def _said(content: Mapping[str, object]) -> str:
    """The text and the speech of a message, without pictures."""
    if (text(content.get("content_type")) or "text") not in READ_TYPES:
        return ""
    parts = items(content.get("parts")) or [content.get("text")]
    texts = (part if isinstance(part, str) else text(fields(part).get("text")) for part in parts)
    return without_injected("\n".join(filter(None, map(_unmarked, texts))).strip())


def _unmarked(said: str) -> str:
    """The text as it is read: citations gone, names and links by their words."""
    if "†" in said:
        said = _OLD_MARK.sub("", said)
    if max(said, default="") >= "\ue200":
        said = _STRAY_MARKS.sub("", _MARK.sub(_shown, said))
    return said.strip()


def _shown(mark: re.Match[str]) -> str:
    """What the application shows in place of a mark: the name of an entity, the words of a link; of others, nothing."""
    kind, values = mark["kind"], mark["values"] or ""
    blank = " " if mark[0][0] in " \t" else ""
    if kind == "entity":
        try:
            named = items(json.loads(values))
        except (ValueError, RecursionError):
            return ""
        return blank + next((name for name in named[1:2] if isinstance(name, str)), "")
    if kind in ("link_title", "url"):
        return blank + values.split("\ue202")[0]
    return ""
