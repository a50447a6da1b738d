"""Long-term memory for AI assistants that lives on its owner's machine."""

from __future__ import annotations
