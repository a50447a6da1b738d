"""The web edge: pages for people and REST for programs, over one engine, on this machine.

A request passes `guard` (who may ask), `limits` (how much, how fast), then a page or a REST handler, which parses,
calls the engine and renders.
"""

from __future__ import annotations
