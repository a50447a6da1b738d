"""Rows read from the pages of a file without its trees, https://sqlite.org/fileformat.html: for damaged files alone."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

__all__ = ["PAGE", "Value", "table_rows"]

PAGE = 4096
LEAF = 13
MIN_LOCAL = (PAGE - 12) * 32 // 255 - 23
MAX_LOCAL = PAGE - 35
WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
REAL, ZERO, ONE, FIRST_BLOB = 7, 8, 9, 12

Value = int | float | str | bytes | None


def table_rows(file: Path, columns: int) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """(rowid, values) of every row of so many columns on any page that is sound, whichever table it is of."""
    data = file.read_bytes()
    for start in range(0, len(data) - PAGE + 1, PAGE):
        header = start + (100 if start == 0 else 0)
        if data[header] != LEAF:
            continue
        cells = struct.unpack_from(">H", data, header + 3)[0]
        for number in range(min(cells, PAGE // 4)):
            try:
                place = struct.unpack_from(">H", data, header + 8 + 2 * number)[0]
                rowid, values = _row(data, start + place, columns)
            except (IndexError, ValueError, struct.error):
                continue
            if values:
                yield rowid, values


def _row(data: bytes, place: int, columns: int) -> tuple[int, tuple[Value, ...]]:
    length, place = _varint(data, place)
    rowid, place = _varint(data, place)
    record = _payload(data, place, length)
    end, at = _varint(record, 0)
    kinds: list[int] = []
    while at < end and len(kinds) <= columns:
        kind, at = _varint(record, at)
        kinds.append(kind)
    if len(kinds) != columns:
        return rowid, ()
    values: list[Value] = []
    at = end
    for kind in kinds:
        value, at = _value(record, at, kind)
        values.append(value)
    return rowid, tuple(values)


def _payload(data: bytes, place: int, length: int) -> bytes:
    """What a cell holds, its overflow pages included."""
    if length > len(data):
        raise ValueError("longer than the file")
    if length <= MAX_LOCAL:
        return data[place : place + length]
    local = MIN_LOCAL + (length - MIN_LOCAL) % (PAGE - 4)
    local = local if local <= MAX_LOCAL else MIN_LOCAL
    parts, left = [data[place : place + local]], length - local
    following = struct.unpack_from(">I", data, place + local)[0]
    while left > 0:
        if following == 0:
            raise ValueError("an overflow page is missing")
        start = (following - 1) * PAGE
        parts.append(data[start + 4 : start + 4 + min(left, PAGE - 4)])
        following, left = struct.unpack_from(">I", data, start)[0], left - (PAGE - 4)
    return b"".join(parts)


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for at in range(place, place + 8):
        value = value << 7 | data[at] & 0x7F
        if data[at] < 0x80:
            return value, at + 1
    return value << 8 | data[place + 8], place + 9


def _value(record: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in (ZERO, ONE):
        return kind - ZERO, at
    if kind == REAL:
        return struct.unpack_from(">d", record, at)[0], at + 8
    if kind in WIDTHS:
        end = at + WIDTHS[kind]
        return int.from_bytes(record[at:end], "big", signed=True), end
    if kind < FIRST_BLOB:
        raise ValueError("no such type")
    end = at + (kind - FIRST_BLOB) // 2
    if end > len(record):
        raise ValueError("a value is cut off")
    return (record[at:end].decode() if kind % 2 else record[at:end]), end
