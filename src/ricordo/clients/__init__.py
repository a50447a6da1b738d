"""The assistants that use ricordo: what stands in their configuration files, put in and taken out."""

from __future__ import annotations
