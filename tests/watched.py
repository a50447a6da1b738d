"""Runs ricordo's commands and tells whatever reached for a network: `python watched.py < runs.json`.

All run in one process but those that read their own input or go on until they are interrupted. WATCH is what each
Python process imports at its start, so that those which commands start are watched as well; what else they start is
seen by the kernel's own counters, where the network was cut off.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Run", "Told", "cut_off", "environment", "watched"]

JOURNAL = "WATCHED_JOURNAL"
COMMAND = "WATCHED_COMMAND"
CUT = "WATCHED_CUT"
PATIENCE = 60.0
STEP = 0.15

# Sockets in files are the keeper's own; whatever has a host goes somewhere.
WATCH = f"""
import json, os, sys


def hook(event, given):
    if event in {{"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}}:
        place = given[0]
    elif event in {{"socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"}}:
        if not isinstance(given[-1], tuple):
            return
        place = given[-1][0]
    else:
        return
    with open(os.environ["{JOURNAL}"], "a") as journal:
        journal.write(json.dumps([os.environ["{COMMAND}"], event, str(place)]) + "\\n")


sys.addaudithook(hook)
"""

SIOCGIFFLAGS, SIOCSIFFLAGS, UP = 0x8913, 0x8914, 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A command, what its exit code must be, and the arguments of a Python.

    With an `input` it is a process of its own that reads this. With `until` it is one too, and is interrupted as soon
    as a Python with these arguments ends well, unless that is what ends it.
    """

    arguments: tuple[str, ...]
    code: int = 0
    input: str | None = None
    until: tuple[str, ...] = ()
    interrupted: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """The exit codes in their order, what reached for which host (command, event, host), and packets the kernel saw."""

    codes: list[int]
    tried: list[tuple[str, str, str]]
    packets: int
    output: str


@cache
def cut_off() -> tuple[str, ...]:
    """What starts a program without any network, where this system lets us; else nothing."""
    command = ("unshare", "--map-root-user", "--net")
    if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
        return command
    return ()


def environment(folder: Path) -> dict[str, str]:
    """Homes of their own in the folder, and a Python that watches."""
    site = folder / "watch"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    (folder / "journal").touch()
    dropped = ("RICORDO_", "HF_", "XDG_CONFIG", "CLAUDE_", "CODEX_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return kept | {
        "HOME": str(folder),
        "RICORDO_HOME": str(folder / "home"),
        "RICORDO_EMBEDDER": "none",
        "PYTHONPATH": os.pathsep.join([str(site), *(os.path.abspath(path) for path in sys.path if path)]),
        JOURNAL: str(folder / "journal"),
        COMMAND: "",
        CUT: "yes" if cut_off() else "",
    }


def watched(folder: Path, runs: Sequence[Run]) -> Told:
    """Run the commands in the folder, one after another, without a network where that can be had."""
    done = subprocess.run(
        [*cut_off(), sys.executable, __file__],
        input=json.dumps([asdict(run) for run in runs]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=environment(folder),
        check=False,
    )
    output, _, report = done.stdout.rstrip().rpartition("\n")
    try:
        found: dict[str, Any] = json.loads(report)
    except ValueError:
        raise AssertionError(done.stdout) from None
    journal = (folder / "journal").read_text(encoding="utf-8").splitlines()
    return Told(tried=[tuple(json.loads(line)) for line in journal], output=output, **found)


# --- within the process that has no network ---


def _main() -> None:
    runs = [
        Run(**{**run, "arguments": tuple(run["arguments"]), "until": tuple(run["until"])})
        for run in json.load(sys.stdin)
    ]
    if os.environ[CUT]:
        _raise_loopback()
    before = _packets()
    codes = list(_codes(runs))
    sys.stdout.flush()
    sys.stderr.flush()
    sys.stdout.write(f"\n{json.dumps({'codes': codes, 'packets': _packets() - before})}\n")


def _codes(runs: Sequence[Run]) -> Iterator[int]:
    for run in runs:
        os.environ[COMMAND] = run.arguments[0]
        sys.stdout.write(f"\n$ ricordo {' '.join(run.arguments)}\n")
        sys.stdout.flush()
        if run.until:
            yield _interrupted(run)
        elif run.input is not None:
            yield subprocess.run([*_PROGRAM, *run.arguments], input=run.input, text=True, check=False).returncode
        else:
            yield _ended(run.arguments)


_PROGRAM = (sys.executable, "-m", "ricordo")


def _ended(arguments: Sequence[str]) -> int:
    from ricordo.cli import main

    try:
        main(list(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    raise AssertionError("the command line always exits")


def _interrupted(run: Run) -> int:
    deadline = time.monotonic() + PATIENCE
    with subprocess.Popen([*_PROGRAM, *run.arguments], stdin=subprocess.DEVNULL) as process:
        while process.poll() is None and time.monotonic() < deadline:
            if subprocess.run([sys.executable, *run.until], capture_output=True, check=False).returncode == 0:
                break
            time.sleep(STEP)
        if run.interrupted:
            process.send_signal(signal.SIGINT)
        return process.wait(PATIENCE)


def _raise_loopback() -> None:
    """A new network has an interface to itself, which has to be switched on before anybody listens on it."""
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        asked = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(handle, SIOCGIFFLAGS, asked), 16)
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | UP))


def _packets() -> int:
    """What the kernel counted in this network: packets without a way out, and datagrams; 0 where it was not cut off."""
    if not os.environ[CUT]:
        return 0
    counted: dict[str, int] = {}
    lines = Path("/proc/net/snmp").read_text(encoding="ascii").splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        kind, *named = names.split()
        counted |= {f"{kind}{name}": int(value) for name, value in zip(named, values.split()[1:], strict=True)}
    newer = Path("/proc/net/snmp6")
    for line in newer.read_text(encoding="ascii").splitlines() if newer.is_file() else ():
        name, value = line.split()
        counted[name] = int(value)
    wanted = ("Ip:OutNoRoutes", "Udp:OutDatagrams", "Ip6OutNoRoutes", "Udp6OutDatagrams")
    return sum(counted.get(name, 0) for name in wanted)


if __name__ == "__main__":
    _main()
