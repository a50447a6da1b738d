"""Clients of the server: the official one in Python, and another from npm, each as an assistant would start it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.session import ListRootsFnT

__all__ = ["COMMAND", "NODE_CLIENT", "environment", "node_client", "texts", "told", "working_client"]

COMMAND = [sys.executable, "-m", "ricordo", "mcp"]
NPM = "@modelcontextprotocol/sdk@^1.20"

NODE_CLIENT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [calls, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "npm", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const { tools } = await client.listTools();
const results = [];
let last;
for (const [name, given] of JSON.parse(calls)) {
  const filled = JSON.parse(JSON.stringify(given).replaceAll("LAST", last ?? ""));
  const result = await client.callTool({ name, arguments: filled });
  last = result.structuredContent?.id ?? last;
  results.push(result);
}
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: resources[0].uri });
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), results, contents }));
await client.close();
"""


def environment(home: Path, **settings: str) -> dict[str, str]:
    """The environment of a server that has a home of its own and answers by words alone unless told."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RICORDO_", "CLAUDE"))}
    own = {"RICORDO_HOME": str(home), "RICORDO_EMBEDDER": "none", "RICORDO_TZ": "UTC"}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **own, **settings}


@asynccontextmanager
async def working_client(
    directory: Path,
    *arguments: str,
    settings: Mapping[str, str] = {},
    mode: str = "legacy",
    roots: ListRootsFnT | None = None,
) -> AsyncIterator[Client]:
    """The official client of a server that was started by the command, in a directory, with its home beside that."""
    environ = environment(directory.parent / "home", **settings)
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *arguments], env=environ, cwd=directory, encoding="utf-8"
    )
    async with Client(server, mode=mode, list_roots_callback=roots) as client:
        yield client


async def told(client: Client, name: str, **given: object) -> dict[str, Any]:
    """The document that a call answers; a failed call fails the test."""
    result = await client.call_tool(name, given)
    assert not result.is_error, result.content
    return dict(result.structured_content)


async def texts(client: Client, query: str, **given: object) -> list[str]:
    """The texts that a recall answers."""
    return [memory["text"] for memory in (await told(client, "recall", query=query, **given))["memories"]]


def node_client(folder: Path) -> list[str]:
    """The command of the client from npm, installed into a folder. Skips where that cannot be had."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("the client from npm needs node and npm")
    script = folder / "client.mjs"
    if not (folder / "node_modules" / "@modelcontextprotocol").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        install = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), NPM]
        try:
            done = subprocess.run(install, capture_output=True, text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            pytest.skip(f"npm could not reach its registry to install {NPM}")
        if done.returncode != 0:
            pytest.skip(f"npm could not install {NPM}: {done.stderr[-200:]}")
    script.write_text(NODE_CLIENT, encoding="utf-8")
    return [node, str(script)]
