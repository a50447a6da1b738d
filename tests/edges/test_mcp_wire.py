"""The server as assistants start it: by the command, over stdio and HTTP, many at once, with clients of two makers."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from anyio import to_thread
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import FileUrl

from mcpclients import COMMAND, environment, node_client, texts, told, working_client
from ricordo import sync
from ricordo.errors import InvalidInput
from ricordo.projects import project_namespace
from trustworthy import LONG

pytestmark = pytest.mark.anyio

SERVERS, ROUNDS = 20 if LONG else 8, 4
MOST_RESIDENT = 120 * 2**20
TOKEN = "a-token-of-the-tests"
PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}

# Whatever a library may do to stdout: at once, from C, from a thread, from a child, buffered until the end.
CHATTY = """
import atexit, ctypes, os, subprocess, sys, threading, time
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp":
            sys.meta_path.remove(self)
            print("chatty: print", file=sys.__stdout__)
            print("chatty: print", flush=True)
            sys.stdout.write("chatty: left in the buffer")
            os.write(1, b"chatty: write\\n")
            ctypes.CDLL(None).puts(b"chatty: puts")
            subprocess.run(["echo", "chatty: child"])
            threading.Thread(target=self.talk, daemon=True).start()
            atexit.register(print, "chatty: at exit")
    def talk(self):
        while True:
            os.write(1, b"chatty: thread\\n")
            time.sleep(0.01)
sys.meta_path.insert(0, Finder())
"""


class RawServer:
    """A server whose lines are sent and read as they stand."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.answered: list[object] = []
        self._number = 0

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Send a request, and give its answer; whatever comes must be a message."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message: dict[str, Any] = json.loads(self._line())
            assert message["jsonrpc"] == "2.0"
            self.answered.append(message.get("id"))
            if message.get("id") == self._number:
                return message

    def call(self, name: str, **arguments: object) -> dict[str, Any]:
        answer = self.ask("tools/call", name=name, arguments=arguments)
        return answer["result"]  # type: ignore[no-any-return]

    def send(self, message: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _line(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def hello(self) -> dict[str, Any]:
        answer = self.ask("initialize", **PARAMS)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def leave(self) -> bytes:
        """Close the wire, and give what the server still says before it ends."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        rest = self.process.stdout.read()
        self.process.wait(timeout=20)
        return rest


@contextmanager
def raw_server(home: Path, *arguments: str, **settings: str) -> Iterator[RawServer]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    environ = environment(home, **settings)
    with subprocess.Popen([*COMMAND, *arguments], env=environ, cwd=home.parent, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield RawServer(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawServer]:
    """A server where the locale knows ASCII only."""
    home = tmp_path_factory.mktemp("mcp") / "home"
    with raw_server(home, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0") as server:
        server.hello()
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "atlas" / ".git").mkdir(parents=True)
    return tmp_path / "atlas"


def kept(project: Path, text: str, namespace: str | None = None) -> None:
    """What was remembered before, in the project's namespace unless told."""
    store = f"sqlite:///{project.parent / 'home' / 'memory.db'}"
    with sync.open(store, namespace=namespace or project_namespace(project), embedder="none") as memory:
        memory.remember(text)


# --- a real client ---


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_lists_and_calls_every_tool_over_stdio(project: Path, mode: str) -> None:
    async with working_client(project, mode=mode) as client:
        await call_every_tool(client)


async def call_every_tool(client: Client) -> None:
    tools = [tool.name for tool in (await client.list_tools()).tools]
    first = await told(client, "remember", text="Ключ от архива лежит у Веры")
    revised = await told(client, "revise", id=first["id"], text="Ключ от архива лежит у Анны")

    assert tools == ["recall", "remember", "revise", "forget", "timeline", "fetch"]
    assert await texts(client, "ключи архива") == ["Ключ от архива лежит у Анны"]
    assert len((await told(client, "timeline"))["memories"]) == 1
    assert len((await told(client, "fetch", id=revised["id"], history=True))["memories"]) == 2
    assert "Анны" in str((await client.read_resource(f"ricordo://memory/{revised['id']}")).contents[0])
    assert len((await told(client, "forget", ids=[revised["id"]]))["forgotten"]) == 2


@pytest.mark.slow
def test_a_client_of_another_maker_calls_every_tool(project: Path, request: pytest.FixtureRequest) -> None:
    assert request.config.cache is not None
    command = node_client(request.config.cache.mkdir("mcp-client"))
    calls = [
        ("remember", {"text": "The port is 8080"}),
        ("revise", {"id": "LAST", "text": "The port is 9090"}),
        ("recall", {"query": "which port?"}),
        ("timeline", {}),
        ("fetch", {"id": "LAST"}),
        ("forget", {"ids": ["LAST"]}),
    ]
    environ = environment(project.parent / "home")
    done = subprocess.run(
        [*command, json.dumps(calls), *COMMAND], env=environ, cwd=project, capture_output=True, timeout=50, check=True
    )
    said = json.loads(done.stdout)

    assert len(said["tools"]) == 6
    assert [result.get("isError", False) for result in said["results"]] == [False] * 6
    assert said["results"][2]["structuredContent"]["memories"][0]["text"] == "The port is 9090"
    assert len(said["results"][5]["structuredContent"]["forgotten"]) == 2


async def test_progress_is_told_to_who_asks_for_it(project: Path) -> None:
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async with working_client(project) as client:
        await client.call_tool("recall", {"query": "x"}, progress_callback=hear)

    assert heard == [0.0, 1.0]


def test_a_call_that_is_cancelled_is_not_answered_and_leaves_the_server_at_work(tmp_path: Path) -> None:
    with raw_server(tmp_path / "home") as server:
        server.hello()
        server.call("remember", text="zeroth")
        with closing(sqlite3.connect(tmp_path / "home" / "memory.db", isolation_level=None)) as store:
            # Neither call can end while another holds the store.
            store.execute("BEGIN IMMEDIATE")
            for number in ("cancelled", "kept"):
                call = {"name": "remember", "arguments": {"text": number}}
                server.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
            cancel = {"requestId": "cancelled"}
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
            server.ask("ping")
        deadline = time.monotonic() + 60
        while "kept" not in server.answered and time.monotonic() < deadline:
            server.ask("ping")
            time.sleep(0.05)

        assert server.call("remember", text="second")["structuredContent"]["created"]
        assert "second" in str(server.call("recall", query="second"))
        assert {"kept", "cancelled"}.intersection(server.answered) == {"kept"}


# --- the wire ---


@pytest.mark.skipif(sys.platform == "win32", reason="the chatter is POSIX")
def test_nothing_but_protocol_is_on_stdout_whatever_a_library_prints(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(CHATTY, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    with raw_server(tmp_path / "home", PYTHONPATH=path) as server:
        server.hello()
        for number in range(5):
            assert not server.call("remember", text=f"fact {number}")["isError"]
        time.sleep(0.1)
        assert len(server.call("recall", query="fact")["structuredContent"]["memories"]) == 5

        assert server.leave() == b""
        assert server.process.returncode == 0


def test_what_is_said_in_any_script_survives_any_locale(server: RawServer) -> None:
    server.call("remember", text="Вода — água, 水 😀")

    assert server.call("recall", query="вода")["structuredContent"]["memories"][0]["text"] == "Вода — água, 水 😀"


def test_a_line_that_is_no_message_ends_nothing(server: RawServer) -> None:
    assert server.process.stdin is not None
    server.process.stdin.write(b"\xff\xfe\n{\n[]\n\n")

    assert len(server.ask("tools/list")["result"]["tools"]) == 6


def test_it_holds_little_before_the_first_question(tmp_path: Path) -> None:
    with raw_server(tmp_path / "home") as server:
        server.hello()
        server.ask("tools/list")
        status = Path(f"/proc/{server.process.pid}/status")
        if not status.exists():
            pytest.skip("resident memory is read from /proc")
        resident = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS:"))

    assert resident * 1024 <= MOST_RESIDENT


@pytest.mark.parametrize("spoken", [False, True], ids=["at once", "after a call"])
def test_it_ends_when_its_client_is_gone(tmp_path: Path, *, spoken: bool) -> None:
    with raw_server(tmp_path / "home") as server:
        if spoken:
            server.hello()
            server.call("remember", text="fact")

        assert server.leave() == b""
        assert server.process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="who is whose parent is POSIX")
@pytest.mark.parametrize("called", [False, True], ids=["at once", "after a call"])
def test_it_ends_when_its_parent_is_gone_though_its_stdin_is_held_open(tmp_path: Path, *, called: bool) -> None:
    code = "import ricordo.mcp.early as s; s.LOOK, s.ORPHANED = 0.1, 0.2; from ricordo.cli import main; main(['mcp'])"
    between = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', sys.argv[1]]); time.sleep(60)"
    command = [sys.executable, "-c", between, code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment(tmp_path / "home"), **pipes) as parent:  # type: ignore[call-overload]
        server = RawServer(parent)
        server.hello()
        if called:
            server.call("remember", text="fact")
        parent.kill()
        assert parent.stdout is not None

        # The end of stdout is the end of the last process that holds it.
        assert parent.stdout.read() == b""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--pin", "a", "--also", "b"), "pinned to a, which leaves out b"), (("--tz", "Mars"), "no IANA time zone")],
)
def test_what_cannot_be_meant_is_an_error_before_anything_is_served(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments], env=environment(tmp_path), capture_output=True, input=b"", check=False
    )

    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr.decode()


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from ricordo.cli import main; main(['mcp'])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, input=b"", check=False)

    assert (done.returncode, done.stdout) == (3, b"")
    assert "pip install 'ricordo[mcp]'" in done.stderr.decode()


# --- whose memory ---


async def test_each_project_has_its_own_memory(project: Path) -> None:
    other = project.parent / "baikal"
    (other / ".git").mkdir(parents=True)
    kept(project, "The port of Atlas is 8080")
    async with working_client(other) as client:
        assert await texts(client, "port") == []
    async with working_client(other, settings={"CLAUDE_PROJECT_DIR": str(project)}) as client:
        assert await texts(client, "port") == ["The port of Atlas is 8080"]


async def test_a_client_may_say_where_it_works(project: Path) -> None:
    async def roots(context: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl(project.as_uri()))])

    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    kept(project, "The port of Atlas is 8080")
    async with working_client(elsewhere, roots=roots) as client:
        assert await texts(client, "port") == ["The port of Atlas is 8080"]


async def test_what_holds_everywhere_is_searched_by_a_rule_and_a_pin_keeps_it_out(project: Path) -> None:
    kept(project, "Mira likes even ports", namespace="default")
    async with working_client(project, "--also", "personal") as client:
        assert await texts(client, "ports") == ["Mira likes even ports"]
    async with working_client(project, "--pin", "project") as client:
        assert await texts(client, "ports") == []
        assert (await client.call_tool("recall", {"query": "ports", "namespace": "personal"})).is_error


# --- many at once ---


@pytest.mark.slow
async def test_many_servers_on_one_store_lose_nothing(tmp_path: Path) -> None:
    def work(name: int) -> int:
        with raw_server(tmp_path / "home") as server:
            server.hello()
            for number in range(ROUNDS):
                assert not server.call("remember", text=f"server {name} says fact {number}")["isError"]
                assert not server.call("recall", query=f"what says server {name}")["isError"]
            return len(server.call("timeline", limit=100, max_tokens=20_000)["structuredContent"]["memories"])

    async with anyio.create_task_group() as tasks:
        for name in range(SERVERS):
            tasks.start_soon(to_thread.run_sync, work, name)
    with raw_server(tmp_path / "home") as server:
        server.hello()
        kept = server.call("timeline", limit=100, max_tokens=20_000)["structuredContent"]["memories"]

    wanted = {f"server {name} says fact {number}" for name in range(SERVERS) for number in range(ROUNDS)}
    assert {memory["text"] for memory in kept} == wanted


# --- HTTP ---


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where a server listens."""
    environ = environment(tmp_path / "home", RICORDO_MCP_TOKEN=TOKEN)
    command = [*COMMAND, "--http", "--port", "0"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process.stderr.readline().split()[1].rstrip(";")
        finally:
            process.terminate()


@asynccontextmanager
async def http_client(address: str, mode: str = "legacy") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


async def test_clients_list_and_call_every_tool_over_http(address: str) -> None:
    for mode in ("legacy", "auto"):
        async with http_client(address, mode) as client:
            await call_every_tool(client)


async def test_only_who_bears_the_token_and_is_of_this_machine_is_served(address: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": PARAMS}
    bearing = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream"}
    wishes = (
        bearing,
        {**bearing, "Authorization": "Bearer another"},
        {**bearing, "Authorization": ""},
        {**bearing, "Host": "evil.example"},
        {**bearing, "Origin": "https://evil.example"},
    )
    async with httpx2.AsyncClient(timeout=30) as http:
        statuses = [(await http.post(address, json=message, headers=headers)).status_code for headers in wishes]

    assert statuses == [200, 401, 401, 421, 403]


def test_the_token_cannot_be_guessed_and_only_its_owner_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The home folder and the token are read from the environment.
    from ricordo.mcp.http import token

    monkeypatch.setenv("RICORDO_HOME", str(tmp_path))
    monkeypatch.setenv("RICORDO_MCP_TOKEN", "guessed")
    with pytest.raises(InvalidInput, match="16 characters at least"):
        token()
    monkeypatch.delenv("RICORDO_MCP_TOKEN")
    first, place = token()

    assert token() == (first, place)
    assert len(first) >= 32
    assert sys.platform == "win32" or Path(place).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("held", ["", "guessed\n"])
def test_a_token_in_its_file_that_could_be_guessed_is_refused(
    held: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ricordo.mcp.http import token

    monkeypatch.setenv("RICORDO_HOME", str(tmp_path))
    monkeypatch.delenv("RICORDO_MCP_TOKEN", raising=False)
    Path(token()[1]).write_text(held, encoding="ascii")

    with pytest.raises(InvalidInput, match=r"mcp-token must have 16 characters at least"):
        token()
