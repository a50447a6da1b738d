"""Measuring what recall is worth: datasets, a harness around the engine, metrics, reports."""

from __future__ import annotations
