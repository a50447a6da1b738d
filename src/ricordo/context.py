"""What is put before a prompt unasked: a few memories that surely bear on it, quoted as data."""

from __future__ import annotations

from dataclasses import dataclass

from ricordo.query import Notice, Recall

__all__ = ["BUDGET", "BUDGET_TOO_SMALL", "MOST", "Context"]

BUDGET = 400
"""Tokens, where nothing else is asked for."""

MOST = 5
"""Memories, where nothing else is asked for."""

BUDGET_TOO_SMALL = Notice(code="budget_too_small", message="the budget has no room for the first memory; raise it")


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What is put before a prompt, empty when nothing surely bears on it, and the hits that it tells."""

    recall: Recall
    text: str
