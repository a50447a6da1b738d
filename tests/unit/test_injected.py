"""What programs put into a conversation is told from what was said."""

from __future__ import annotations

import time

import pytest

from ricordo.sources.injected import without_injected


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hello", "Hello"),
        ('Before\n<ricordo note="data">\n- an old fact\n</ricordo>\nAfter', "Before\n\nAfter"),
        ("<ricordo-context n='1'>fact</ricordo-context>", ""),
        ("<system-reminder>be brief</system-reminder>Fix it", "Fix it"),
        ("a <ricordo>x</ricordo> b <ricordo>y</ricordo> c", "a  b  c"),
        ("Fix it\n<system-reminder>and the text was cut", "Fix it"),
        ("<RICORDO>x</RICORDO>y", "y"),
        ("<ricordo><ricordo>x</ricordo>y</ricordo>z", "z"),
        ("The `<ricordo>` element marks what is quoted.", "The `<ricordo>` element marks what is quoted."),
        ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
    ],
)
def test_only_what_was_said_is_kept(text: str, kept: str) -> None:
    assert without_injected(text) == kept


@pytest.mark.parametrize("part", ["<ricordo>", "</ricordo>", "<ricordo ", "x <ricordo>", "<a"])
def test_many_marks_take_no_longer_than_few(part: str) -> None:
    began = time.perf_counter()
    without_injected(part * 100_000)
    assert time.perf_counter() - began < 20
