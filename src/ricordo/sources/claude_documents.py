"""Documents that a conversation on claude.ai made: artifacts and files, as they were in the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from ricordo.sources.conversations import ASSISTANT, Turn
from ricordo.sources.values import fields, text

__all__ = ["Documents"]

WHOLE = ("create", "rewrite")
LONGEST_NAME = 200


@dataclass(kw_only=True, slots=True)
class _Document:
    name: str
    content: str
    message: str
    time: datetime | None


class Documents:
    """Follows a conversation's tool calls, in order; a document is kept as it was last written."""

    def __init__(self) -> None:
        self._documents: dict[str, _Document] = {}

    def follow(self, blocks: Iterable[Mapping[str, object]], message: str, time: datetime | None) -> None:
        """Take what the blocks of a message write. An edit of what is not there changes nothing."""
        for block in blocks:
            if text(block.get("type")) == "tool_use":
                self._follow(text(block.get("name")), fields(block.get("input")), message, time)

    def _follow(self, tool: str, given: Mapping[str, object], message: str, time: datetime | None) -> None:
        if tool == "artifacts":
            self._write(f"artifact/{text(given.get('id'))}", text(given.get("title")), given, message, time)
        elif tool == "create_file":
            path = text(given.get("path"))
            self._write(f"file/{path}", path, {"content": given.get("file_text")}, message, time)
        elif tool == "str_replace":
            self._write(f"file/{text(given.get('path'))}", "", given, message, time)

    def _write(self, key: str, name: str, given: Mapping[str, object], message: str, time: datetime | None) -> None:
        known = self._documents.get(key)
        content = text(given.get("content"))
        if not content and known is not None and (old := text(given.get("old_str"))):
            content = known.content.replace(old, text(given.get("new_str")), 1)
        if content:
            name = name or (known.name if known else "")
            self._documents[key] = _Document(name=name, content=content, message=message, time=time)

    def written_by(self, message: str) -> Iterator[Turn]:
        """The documents that this message was the last to write, each a turn of the assistant."""
        for key, document in self._documents.items():
            if document.message == message:
                yield Turn(
                    key=key,
                    text=document.content,
                    speaker=ASSISTANT,
                    time=document.time,
                    context=" ".join(document.name.split())[:LONGEST_NAME],
                    metadata={"document": key.partition("/")[2]},
                )
