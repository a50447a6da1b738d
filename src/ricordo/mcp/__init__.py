"""The memory as a server of the Model Context Protocol, for assistants; the official SDK does the protocol."""

from __future__ import annotations
