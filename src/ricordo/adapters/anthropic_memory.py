"""Anthropic's memory tool, its files kept in a folder and their contents recalled like any note.

::

    with ricordo.sync.open() as memory:
        tool = MemoryTool("~/agent", memory)
        client.beta.messages.tool_runner(model=…, tools=[tool], messages=…)

The SDK's own implementation does the files, so that what Claude reads is word for word what it knows.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from anthropic.lib.tools import BetaFunctionToolResultType
from anthropic.tools import BetaLocalFilesystemMemoryTool
from anthropic.types.beta import BetaMemoryTool20250818Command

from ricordo.sync import Engine

__all__ = ["MemoryTool"]


class MemoryTool(BetaLocalFilesystemMemoryTool):
    """The memory tool over a folder; whatever Claude writes there can be recalled at once."""

    def __init__(self, folder: str | Path, memory: Engine) -> None:
        super().__init__(str(Path(folder).expanduser()))
        self._memory = memory

    def execute(self, command: BetaMemoryTool20250818Command) -> BetaFunctionToolResultType:
        """Do what Claude asks, and read again what it changed. Raises ToolError, StoreError."""
        result = super().execute(command)
        if command.command != "view":
            self._read()
        return result

    def clear_all_memory(self) -> str:
        """Delete all files, and forget what they said."""
        for path in self.memory_root.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        self._read()
        return "All memory cleared"

    def _read(self) -> None:
        # The folder above, which is never empty: of one that is, more likely its disk is gone, nothing is forgotten.
        self._memory.ingest([self.base_path], prune=True)
