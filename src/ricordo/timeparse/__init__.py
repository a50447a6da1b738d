"""Dates in questions: "what changed last week?" → the interval, the words that said so, how sure that is.

A pure function with a lexicon for each language (`lexicons/*.toml`) and one grammar for all of them. What is
yearless means the past: "in May" is the last May that has begun. Fields that name one thing (versions, addresses,
orders) never become dates.
"""

from __future__ import annotations

from ricordo.timeparse.hints import EventHint, Grain, Relation, TimeHint, TimeOptions, TimeReading
from ricordo.timeparse.lexicon import available_languages
from ricordo.timeparse.reading import read_times

__all__ = [
    "EventHint",
    "Grain",
    "Relation",
    "TimeHint",
    "TimeOptions",
    "TimeReading",
    "available_languages",
    "read_times",
]
