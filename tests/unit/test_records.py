"""JSON files one record at a time: where each record lies, what is broken, and what is known by its keys."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricordo.protocols import Skipped
from ricordo.sources.blobs import Blob
from ricordo.sources.records import MAX_RECORD, Record, elements, keys_of_records, lines

TEXTS = st.text(st.sampled_from('a"\\[]{},: \n\u2028é'), max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(TEXTS, JSON, max_size=3), max_size=4)


def blob(data: bytes, step: int = 2**20) -> Blob:
    """A blob that gives so many bytes at once."""
    return Blob(name="b", where="b", size=len(data), opened=lambda: _Slow(data, step))


class _Slow(io.BytesIO):
    def __init__(self, data: bytes, step: int) -> None:
        super().__init__(data)
        self.step = step

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(self.step, size) if size and size > 0 else self.step)


def values(found: Iterable[Record | Skipped]) -> list[object]:
    return [item.value if isinstance(item, Record) else item.why.partition(":")[0] for item in found]


@settings(deadline=None)
@given(OBJECTS, st.booleans(), st.sampled_from([1, 2, 7, 1000]), st.sampled_from([None, 2]))
def test_an_array_gives_its_elements_however_it_is_written_and_read(
    objects: list[dict[str, object]],
    escaped: bool,  # noqa: FBT001
    step: int,
    indent: int | None,
) -> None:
    data = json.dumps(objects, ensure_ascii=escaped, indent=indent).encode("utf-8", "surrogatepass")
    assert values(elements(blob(data, step))) == json.loads(data.decode("utf-8", "replace"))


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([1, 3, 1000]))
def test_lines_and_objects_one_after_another_are_the_same(objects: list[dict[str, object]], step: int) -> None:
    data = "".join(json.dumps(value) + "\n" for value in objects).encode()
    assert values(lines(blob(data, step))) == values(elements(blob(data, step))) == objects


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'[{"a":1},{"b":tru},{"c":2}]', [{"a": 1}, "is broken JSON", {"c": 2}]),
        (b'[{"a":1},null,5,"x",{"c":2}]', [{"a": 1}, "is neither an object nor an array", {"c": 2}]),
        (b'[{"a":1},{"b":', [{"a": 1}, "is cut off by the end of the file"]),
        (b'[{"a":1},', [{"a": 1}, "is missing"]),
        (b'\xef\xbb\xbf[{"a":"\\ud800"}]', [{"a": "\ud800"}]),
        (b'[{"a":NaN}]', None),
        (b"[]", []),
        (b"", []),
        (b"hello", ["is neither an object nor an array"]),
        ('[{"a":"д"}]'.encode("utf-16"), [{"a": "д"}]),
        (b'{"a":{"b":[1,{"c":"]"}]}}', [{"a": {"b": [1, {"c": "]"}]}}]),
        (b'[{"a":' + b"9" * 5000 + b"}]", ["is broken JSON"]),
    ],
)
def test_what_is_broken_costs_itself_alone(data: bytes, said: list[object] | None) -> None:
    found = values(elements(blob(data)))
    assert said is None or found == said


@pytest.mark.parametrize("lost", [b'"', b"{", b"}", b"[", b"]", b":", b","])
def test_a_lost_character_costs_no_more_than_its_record(lost: bytes) -> None:
    records = [{"uuid": f"u{n}", "name": f"Talk {n}", "said": [{"uuid": "m", "text": "x"}]} for n in range(6)]
    whole = [json.dumps(record).encode() for record in records]
    place = whole[2].index(b'"said"') + 2
    broken = whole[2][:place] + whole[2][place:].replace(lost, b"", 1)
    found = values(elements(blob(b"[" + b", ".join([*whole[:2], broken, *whole[3:]]) + b"]")))
    kept = [value for value in found if isinstance(value, dict) and "said" in value]

    assert [value for value in records if value not in kept] == [records[2]]
    assert any(isinstance(value, str) for value in found)


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([100, 2**20]), st.dictionaries(st.sampled_from("abc"), st.integers(), max_size=2))
def test_the_array_may_stand_in_an_object(objects: list[dict[str, object]], step: int, before: dict[str, int]) -> None:
    data = json.dumps({**before, "found": objects, "z": {}}).encode()
    assert values(elements(blob(data, step), "found")) == objects


@pytest.mark.parametrize("data", [b'{"found": [{"a": 1}', b'{"found": [{"a": 1}, {"b"', b'{"found": [{"a": 1}, "x"]}'])
def test_what_is_lost_of_an_array_in_an_object_is_told(data: bytes) -> None:
    first, fault = elements(blob(data), "found")
    assert values([first]) == [{"a": 1}]
    assert isinstance(fault, Skipped)


def test_a_line_holds_what_only_some_take_for_the_end_of_one() -> None:
    data = '{"a":"one\u2028two\u0085three"}\n{"b":1}\n'.encode()
    assert values(lines(blob(data))) == [{"a": "one\u2028two\u0085three"}, {"b": 1}]


def test_a_last_line_that_is_still_being_written_loses_nothing_yet() -> None:
    whole, cut = lines(blob(b'{"a":1}\n{"b'))
    assert isinstance(whole, Record)
    assert (whole.number, whole.end) == (1, 8)
    assert isinstance(cut, Skipped)
    assert not cut.loses_memories


def test_a_record_that_is_too_large_is_skipped_and_not_held() -> None:
    huge = b'{"a":"' + b"x" * (MAX_RECORD + 2**21) + b'"}'
    assert values(elements(blob(b"[" + huge + b',{"b":1}]'))) == ["is larger than 64 MiB", {"b": 1}]


def test_keys_are_told_of_records_and_of_what_lies_in_them() -> None:
    head = b'[{"a":{"b":{"c":1}},"d":[{"e":"x: {"}]},{"f":"cut'
    assert keys_of_records(head) == (frozenset({"a", "a.b", "d", "d.e"}), frozenset({"f"}))


@pytest.mark.parametrize("head", [b"", b"# A note", b"[link](to)", b"\x00\xff", b"a,b\n1,2"])
def test_what_is_no_json_has_no_keys(head: bytes) -> None:
    assert not any(keys_of_records(head))
