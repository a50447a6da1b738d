"""The server's table in the text of a TOML configuration; pure.

A table may always be written at the end of a TOML file, and taken from there again line by line; libraries that keep
formatting take the comment above the next table away with it. What every edit comes to is checked by reading it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from ricordo.clients.entries import NAME, is_own_server
from ricordo.clients.jsonc import Malformed, line_of
from ricordo.clients.splice import style_of

__all__ = ["TomlServer"]

PLACE = re.compile(r"at line (\d+)")
HEADER = re.compile(r"[ \t]*\[")
LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class TomlServer:
    """The table `[mcp_servers.ricordo]`."""

    key: str

    def found(self, text: str) -> Mapping[str, object] | None:
        """The table of our name, whoever wrote it. Raises Malformed."""
        servers = _read(text).get(self.key)
        entry = servers.get(NAME) if isinstance(servers, dict) else None
        return entry if isinstance(entry, dict) else None

    def put(self, text: str, entry: Mapping[str, object]) -> str:
        """The text with the table, which must not be there, at its end. Raises Malformed."""
        before = _read(text)
        newline = style_of(text).newline
        lines = [f"[{self.key}.{NAME}]", *(f"{name} = {_written(value)}" for name, value in entry.items())]
        gap = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
        after = f"{text}{gap}{newline.join(lines)}{newline}"
        servers = before.get(self.key, {})
        if isinstance(servers, dict) and _is(after, {**before, self.key: {**servers, NAME: dict(entry)}}):
            return after
        raise Malformed(self._line(text), f"{self.key} is written in a way that no table can be added to; add it there")

    def taken(self, text: str, kept: str) -> str:
        """The text without the table and what stands below it, if it is ours. Raises Malformed."""
        if not is_own_server(self.found(text)):
            return text
        before = _read(text)
        servers = before.get(self.key)
        others = {name: value for name, value in servers.items() if name != NAME} if isinstance(servers, dict) else {}
        after = self._cut(text)
        wanted = {name: value for name, value in before.items() if name != self.key}
        if _is(after, {**wanted, self.key: others}) or (not others and _is(after, wanted)):
            return after
        raise Malformed(
            self._line(text), f"{self.key}.{NAME} is written in a way that is not understood; remove it there"
        )

    def _cut(self, text: str) -> str:
        own = re.compile(rf"""[ \t]*\[\s*{self.key}\s*\.\s*["']?{NAME}["']?\s*[.\]]""")
        kept: list[str] = []
        held: list[str] = []
        inside = False
        for line in LINE.findall(text):
            if HEADER.match(line):
                # What stands above the next table belongs to that one.
                kept += held if inside else []
                inside = own.match(line) is not None
                if inside and kept and not kept[-1].strip("\ufeff \t\r\n"):
                    kept.pop()
                held = []
            elif not inside:
                kept.append(line)
            elif line.strip() and not line.lstrip().startswith("#"):
                held = []
            else:
                held.append(line)
            if HEADER.match(line) and not inside:
                kept.append(line)
        return "".join([*kept, *(held if inside else ())])

    def _line(self, text: str) -> int:
        place = text.find(self.key)
        return line_of(text, max(place, 0))


def _read(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.lstrip("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        found = PLACE.search(str(error))
        raise Malformed(int(found[1]) if found else text.count("\n") + 1, str(error)) from error


def _is(text: str, value: Mapping[str, object]) -> bool:
    try:
        return tomllib.loads(text.lstrip("\ufeff")) == value
    except tomllib.TOMLDecodeError:
        return False


def _written(value: object) -> str:
    # A JSON string, number or array of strings is one in TOML as well.
    return json.dumps(value, ensure_ascii=False)
