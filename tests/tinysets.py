"""Datasets of a few lines in the formats of the public ones."""

from __future__ import annotations

__all__ = ["LOCOMO"]

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I saw an owl."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Where?"},
            ],
        },
        "qa": [
            {"question": "What did Ana see?", "evidence": ["D1:1"], "category": 4},
            {"question": "Who asked where?", "evidence": ["D1:2"], "category": 1},
        ],
    }
]
