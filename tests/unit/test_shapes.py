"""What is of another type than it should be is named with its place."""

from __future__ import annotations

import pytest

from ricordo.sources.shapes import ANY, Shape, misshapen, refuse

SHAPE: Shape = {"name": str, "said!": (str, [{"text!": str}]), "by": {ANY: [str]}}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"said": "x"}, []),
        ({"said": [{"text": "x"}, None], "name": None, "by": {"a": ["b"], "c": None}, "other": 7}, []),
        ([], ["it is a list"]),
        ({}, ["it has no said"]),
        ({"said": None, "name": 1.5}, ["name is a number", "it has no said"]),
        ({"said": {"a": 1}}, ["said is an object"]),
        (
            {"said": [{"text": []}, {}, True]},
            ["said 1, text is a list", "said 2 has no text", "said 3 is a truth value"],
        ),
        ({"said": "x", "by": {"a": ["b", 3]}}, ["by, a 2 is a number"]),
    ],
)
def test_each_place_is_named(value: object, found: list[str]) -> None:
    assert list(misshapen(value, SHAPE)) == found


def test_a_refusal_names_the_first_few() -> None:
    with pytest.raises(ValueError, match=r"^said 1 has no text; said 2 has no text; said 3 has no text; said 4"):
        refuse({"said": [{}] * 100}, SHAPE)
