"""How soon a server answers after it is started, what it holds in memory before the first question, what tools cost.

python benchmarks/mcp_start.py [RUNS]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO

__all__ = ["Start", "requests", "start"]

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """Seconds from spawning a server to its answers, its resident bytes then (None where they cannot be read),
    and the characters of its list of tools.
    """

    initialize: float
    tools: float
    resident: int | None
    characters: int


def requests() -> list[bytes]:
    """What a client sends first, as lines."""
    return [json.dumps(request).encode() + b"\n" for request in (INITIALIZE, INITIALIZED, LIST)]


def start(environment: Mapping[str, str]) -> Start:
    """Start a server by the command line, as a client does, ask for its tools, and end it."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "ricordo", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environment)) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        hello, *rest = requests()
        _ask(server.stdin, server.stdout, hello)
        initialize = time.perf_counter() - began
        listed = _ask(server.stdin, server.stdout, b"".join(rest))
        tools = time.perf_counter() - began
        resident = _resident(server.pid)
        server.stdin.close()
    sent = json.dumps(listed["tools"], ensure_ascii=False, separators=(",", ":"))
    return Start(initialize=initialize, tools=tools, resident=resident, characters=len(sent))


def _ask(stdin: IO[bytes], stdout: IO[bytes], line: bytes) -> dict[str, object]:
    """Send a line, and give the result that comes back."""
    stdin.write(line)
    stdin.flush()
    return json.loads(stdout.readline())["result"]  # type: ignore[no-any-return]


def _resident(process: int) -> int | None:
    """Bytes in memory, by Linux's account."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return None
    kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return int(kilobytes) * 1024


def main() -> None:
    """Print the figures."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "RICORDO_HOME": home}
        start(environment)
        starts = [start(environment) for _ in range(runs)]
    print(f"{runs} starts, mcp {version('mcp')}, Python {sys.version.split()[0]}, {os.cpu_count()} CPUs\n")
    for name, seconds in (
        ("spawn to initialize", [each.initialize for each in starts]),
        ("spawn to the list of tools", [each.tools for each in starts]),
    ):
        slow = statistics.quantiles(seconds, n=20)[-1]
        print(f"{name}: p50 {statistics.median(seconds) * 1000:.0f} ms, p95 {slow * 1000:.0f} ms")
    if starts[0].resident is not None:
        print(f"resident then, no model loaded: {max(each.resident or 0 for each in starts) / 2**20:.0f} MiB")
    print(f"list of tools: {starts[0].characters} characters, about {starts[0].characters // 4} tokens")


if __name__ == "__main__":
    main()
