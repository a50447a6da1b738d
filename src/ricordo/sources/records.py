"""JSON files of any size, one record at a time: an array's elements, one object, or one object a line.

An event parser stops for good at the first broken byte. Here a record's bytes are found by their brackets and parsed
by themselves, so that a broken one costs itself alone, and no more than one is held in memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ricordo.errors import SourceError
from ricordo.exchange import Skipped
from ricordo.sources.blobs import Blob

__all__ = ["MAX_RECORD", "Record", "elements", "keys_of_records", "lines"]

MAX_RECORD = 64 * 2**20
"""Bytes of a record, beyond which it is skipped."""

OUTSIDE = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
REST_OF_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*+)"\s*(:)?|([\[{])|([\]}])', re.DOTALL)
BLANK = b" \t\r\n"
BETWEEN = BLANK + b","
QUOTE, ARRAY_END, OPENING = ord('"'), ord("]"), b"[{"
SCALAR = rb'(?:"(?:[^"\\]++|\\.)*+"|[\w.+-]++)'
BEGINNING = re.compile(
    rb'\{\s*("(?:[^"\\]++|\\.)*+")\s*:\s*' + SCALAR + rb'\s*,\s*("(?:[^"\\]++|\\.)*+")\s*:', re.DOTALL
)
CUT = "is cut off by the end of the file"
BROKEN = "is broken JSON: it does not end before the next record begins"
TOO_LARGE = f"is larger than {MAX_RECORD // 2**20} MiB"
MOST_SNIFFED, MOST_NESTED = 100, 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """A record: its number in the file, counted from 1, its value, and the offset of the byte after it."""

    number: int
    value: object
    end: int = 0


def elements(blob: Blob, within: str | None = None) -> Iterator[Record | Skipped]:
    """The elements of the array that a file holds, or the objects that stand in it one after another.

    The array may be the value of the key `within` of one object, behind others with plain values. What is broken, too
    large, cut off by the end of the file, or neither object nor array, comes as Skipped. Raises SourceError.
    """
    start = _array_within(blob.head(), within) if within is not None else 0
    splitter = _Splitter(within=start > 0)
    for number, found in enumerate(_found(blob, splitter, start), start=1):
        where = f"{blob.where}, record {number}"
        if not isinstance(found, bytes):
            yield Skipped(where=where, why=found)
            continue
        parsed = _parsed(found, number, where)
        if isinstance(parsed, Record):
            splitter.learn(found)
        else:
            splitter.go_back()
        yield parsed


def _array_within(head: bytes, key: str) -> int:
    """Where the array begins that is the value of the key in the object that this begins with, no more than plain
    values before it; 0 without one.
    """
    name = rb'"' + re.escape(key).encode() + rb'"\s*:\s*(?=\[)'
    found = re.match(rb"\s*\{(?:\s*" + SCALAR + rb"\s*:\s*" + SCALAR + rb"\s*,)*+\s*" + name, head, re.DOTALL)
    return found.end() if found else 0


def lines(blob: Blob) -> Iterator[Record | Skipped]:
    """The JSON values of a file that holds one a line; numbers are those of the lines, blank ones left out.

    A broken line comes as Skipped. A last line without an end that is broken is still being written, or was when the
    file was copied: it loses nothing yet. Raises SourceError.
    """
    rest, number, end = b"", 0, 0
    for chunk in blob.chunks():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            number, end = number + 1, end + len(line) + 1
            if line.strip():
                yield _parsed(line, number, f"{blob.where}, line {number}", end)
        if len(rest) > MAX_RECORD:
            raise SourceError(blob.where, f"line {number + 1} is longer than {MAX_RECORD // 2**20} MiB")
    if rest.strip():
        last = _parsed(rest, number + 1, f"{blob.where}, line {number + 1}", end + len(rest))
        if isinstance(last, Skipped):
            last = Skipped(where=last.where, why=CUT, loses_memories=False)
        yield last


def keys_of_records(head: bytes) -> tuple[frozenset[str], ...]:
    """The keys of each record that begins in the head of a JSON file, and as `key.inner` those one level further in.

    Records are the elements of an array, or the objects one after another. The last may be incomplete.
    """
    base = 1 if head.lstrip(BLANK).startswith(b"[") else 0
    if not head.lstrip(BLANK).startswith((b"[", b"{")):
        return ()
    records: list[set[str]] = []
    names: list[str] = []
    depth, key = 0, ""
    for token in TOKEN.finditer(head):
        text, colon, opening, closing = token.groups()
        if opening:
            if depth == base and len(records) < MOST_SNIFFED:
                records.append(set())
            names.append(key)
            key, depth = "", depth + 1
        elif closing:
            del names[-1:]
            depth -= 1
        elif colon and records and depth < MOST_NESTED:
            key = text.decode("utf-8", "replace")
            outer = [name for name in names[base + 1 :] if name]
            if len(outer) < 2:
                records[-1].add(".".join([*outer, key]))
    return tuple(map(frozenset, records))


def _found(blob: Blob, splitter: _Splitter, start: int) -> Iterator[bytes | str]:
    for chunk in blob.chunks():
        yield from splitter.feed(chunk[start:])
        start = max(0, start - len(chunk))
    yield from splitter.finish()


def _parsed(data: bytes, number: int, where: str, end: int = 0) -> Record | Skipped:
    try:
        return Record(number=number, value=json.loads(data.decode("utf-8", "replace")), end=end)
    except (ValueError, RecursionError) as error:
        return Skipped(where=where, why=f"is broken JSON: {error}")


class _Splitter:
    """Finds the bytes of each record, or says why they cannot be had, in one pass over chunks.

    A lost quote or bracket would turn all that follows inside out. What a record begins with is learned from the first
    whole one; where a broken one holds such a beginning, the next record is taken to begin there. What stands behind an
    array `within` something else is none of it.
    """

    def __init__(self, *, within: bool = False) -> None:
        self.buffer = bytearray()
        self.position = 0  # everything before it was looked at
        self.start = 0  # where the record begins, or the gap before the next one
        self.depth = 0
        self.base: int | None = None  # the depth at which records lie
        self.within = within
        self.is_over = False
        self.beginning: re.Pattern[bytes] | None = None
        self.in_string = False
        self.stray = False
        self.too_large = False

    def feed(self, chunk: bytes) -> Iterator[bytes | str]:
        if self.is_over:
            return
        self.buffer += chunk
        if self.base is None and (begin := self.buffer.lstrip(BLANK)[:1]):
            self.base = 1 if begin == b"[" else 0
        yield from self._scan()
        while self._is_overlong() and self.go_back():
            yield BROKEN
            yield from self._scan()
        self._let_go()

    def finish(self) -> Iterator[bytes | str]:
        if self.is_over:
            return
        yield from self._gap(len(self.buffer) if not self.depth else self.start)
        while self.depth > (self.base or 0) and self.go_back():
            yield BROKEN
            yield from self._scan()
        if self.depth > (self.base or 0):
            yield CUT
        elif self.depth or self.in_string:
            yield "is missing: the file ends before its array does"

    def learn(self, record: bytes) -> None:
        """Take the first whole record for an example of how they begin: two keys, the first with a plain value."""
        if self.beginning is None and (found := BEGINNING.match(record)):
            first, second = (re.escape(name) for name in found.groups())
            self.beginning = re.compile(rb"\{\s*" + first + rb"\s*:\s*" + SCALAR + rb"\s*,\s*" + second + rb"\s*:")

    def go_back(self) -> bool:
        """Go back to the next beginning of a record within the one just looked at, which is broken; False without."""
        found = self.beginning.search(self.buffer, self.start + 1, self.position) if self.beginning else None
        if found is None or self.too_large:
            return False
        self.position = self.start = found.start()
        self.depth, self.in_string, self.is_over = self.base or 0, False, False
        return True

    def _scan(self) -> Iterator[bytes | str]:
        while self._advance():
            bracket = self.buffer[self.position]
            yield from self._open() if bracket in OPENING else self._close()

    def _is_overlong(self) -> bool:
        return self.depth > (self.base or 0) and self.position - self.start > MAX_RECORD

    def _advance(self) -> bool:
        """Go on to the next bracket; False when there is none in the buffer."""
        while not self.is_over and self.position < len(self.buffer):
            match = (REST_OF_STRING if self.in_string else OUTSIDE).match(self.buffer, self.position)
            self.position = match.end() if match else self.position
            if self.position == len(self.buffer) or (self.in_string and self.buffer[self.position] != QUOTE):
                return False  # the string goes on, perhaps after half an escape
            if self.buffer[self.position] != QUOTE:
                return True
            self.in_string = not self.in_string
            self.position += 1
        return False

    def _open(self) -> Iterator[str]:
        if self.depth == self.base:
            yield from self._gap(self.position)
            self.start = self.position
        self.depth += 1
        self.position += 1
        if self.depth == self.base:
            self.start = self.position

    def _close(self) -> Iterator[bytes | str]:
        base = self.base or 0
        inside = self.depth > base
        # Only its own bracket ends the array: another one too many belongs to a broken record.
        ends = inside or (self.depth == base == 1 and self.buffer[self.position] == ARRAY_END)
        if not inside:
            self.stray = self.stray or not ends
            yield from self._gap(self.position)
        self.position += 1
        self.depth = max(0, self.depth - ends)
        self.is_over = self.within and not self.depth
        if inside and self.depth == base:
            yield TOO_LARGE if self.too_large else bytes(self.buffer[self.start : self.position])
            self.too_large = False
        if self.depth <= base:
            self.start = self.position

    def _gap(self, end: int) -> Iterator[str]:
        if self.stray or self._is_stray(end):
            yield "is neither an object nor an array"
        self.stray = False

    def _is_stray(self, end: int) -> bool:
        return bool(self.buffer[self.start : end].strip(BETWEEN))

    def _let_go(self) -> None:
        """Keep no more of the buffer than the record that is not whole yet."""
        if self.depth <= (self.base or 0):
            self.stray = self.stray or self._is_stray(self.position)
            self.start = self.position
        elif self._is_overlong():
            self.too_large = True
            self.start = self.position
        del self.buffer[: self.start]
        self.position, self.start = self.position - self.start, 0
