"""A hook from beginning to end: read what the assistant sends, ask the keeper or the store, answer, or be silent."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NoReturn

from ricordo.errors import RicordoError
from ricordo.hooks.events import ENDS, Payload, Unreadable, answer, event_named, read_payload
from ricordo.hooks.guard import Guard
from ricordo.hooks.queue import Queued, TranscriptQueue
from ricordo.hooks.workplace import PROJECT_VARIABLE, Workplace
from ricordo.journal import note
from ricordo.keeper.client import Unanswered, ask, start
from ricordo.keeper.place import place_for, store_file, supported
from ricordo.settings import Settings, load_settings, state_directory

__all__ = ["JOURNAL", "LIMIT", "main", "queue_in", "run"]

LIMIT = 1.7
"""Seconds, the start of Python and its end left out: together less than two."""
PATIENCE = 0.7
"""Seconds for the keeper. What is left is enough to look by words alone."""
LARGEST = 1 << 23
JOURNAL = "hooks.log"
NAMESPACE_VARIABLE = "RICORDO_NAMESPACE"
OPTIONS = ("store", "namespace", "embedder", "tz")
STARTED_FOR = frozenset({"absent", "outdated"})


def main(arguments: Sequence[str]) -> NoReturn:
    """`ricordo hook EVENT [--store URL] …` without the command line's own parser, whose errors block a prompt."""
    given: dict[str, str] = {}
    words = list(arguments)
    names: list[str] = []
    while words:
        word = words.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and name in OPTIONS and (equals or words):
            given[name] = value if equals else words.pop(0)
        else:
            names.append(word)
    run(names[0] if names else "", given, unknown=names[1:])


def run(
    name: str, given: Mapping[str, str], *, unknown: Sequence[str] = (), clock: Callable[[], datetime] | None = None
) -> NoReturn:
    """Answer the event on standard output and end with 0, whatever happens.

    `given` are settings by name, `unknown` what else the command line says. With a `clock` the keeper is not asked,
    which has its own.
    """
    begin = time.monotonic()
    journal = state_directory() / JOURNAL
    say = partial(_say, journal, name, begin)
    guard = Guard(LIMIT, lambda: say("out of time; nothing was told"))
    output = b""
    try:
        if unknown:
            say(f"not understood: {' '.join(unknown)}")
        output = _Hook(given, say, clock).answered(name)
    except (Unreadable, RicordoError, OSError) as error:
        say(f"{type(error).__name__}: {error}")
    except Exception as error:  # noqa: BLE001  # the outermost edge: a prompt must not wait for a bug of ours
        import traceback

        say(f"a bug: {' | '.join(traceback.format_exception(error))}")
    guard.finish(output)


def queue_in(state: Path) -> TranscriptQueue:
    """The queue of transcripts in a state folder."""
    return TranscriptQueue(folder=state / "queue")


def _say(journal: Path, name: str, begin: float, message: str) -> None:
    note(journal, f"{name} after {(time.monotonic() - begin) * 1000:.0f} ms: {message}")


class _Hook:
    def __init__(
        self, given: Mapping[str, str], say: Callable[[str], None], clock: Callable[[], datetime] | None
    ) -> None:
        self.given = given
        self.say = say
        self.clock = clock

    def answered(self, name: str) -> bytes:
        event = event_named(name)
        if event is None:
            raise Unreadable(f"no event is called {name!r}")
        data = sys.stdin.buffer.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise Unreadable(f"more than {LARGEST} bytes on standard input")
        payload = read_payload(data, event)
        settings = load_settings(self.given)
        if event in ENDS:
            self._set_aside(payload, settings)
            return b""
        file = store_file(settings.store)
        if file is not None and not file.exists():
            return b""  # nothing was ever remembered
        return answer(event, self._told(payload, settings))

    def _workplace(self, payload: Payload, settings: Settings) -> Workplace:
        return Workplace(
            personal=settings.namespace,
            asked=self.given.get("namespace") or os.environ.get(NAMESPACE_VARIABLE) or None,
            project=os.environ.get(PROJECT_VARIABLE),
            directory=payload.directory,
        )

    def _set_aside(self, payload: Payload, settings: Settings) -> None:
        if payload.transcript is None:
            return
        queued = Queued(transcript=Path(payload.transcript), workplace=self._workplace(payload, settings))
        queue_in(state_directory()).put(queued)
        if settings.keeper == "auto" and supported():
            try:
                ask(place_for(settings), {"ask": "hello"}, PATIENCE)
            except Unanswered as trouble:
                self._start(trouble, settings)

    def _told(self, payload: Payload, settings: Settings) -> str:
        workplace = self._workplace(payload, settings)
        if settings.keeper != "auto" or not supported() or self.clock is not None:
            return self._by_words(payload, workplace, settings)
        request = {
            "ask": "context" if payload.event == "prompt-submit" else "brief",
            "prompt": payload.prompt,
            "workplace": workplace.document(),
        }
        try:
            return str(ask(place_for(settings), request, PATIENCE).get("text", ""))
        except Unanswered as trouble:
            self.say(f"the keeper is {trouble}; answered by words alone")
            text = self._by_words(payload, workplace, settings)
            # Last, for the two would want the same two cores.
            self._start(trouble, settings)
            return text

    def _start(self, trouble: Unanswered, settings: Settings) -> None:
        if trouble.state in STARTED_FOR and start(place_for(settings), _arguments(self.given)):
            self.say("a keeper was started")

    def _by_words(self, payload: Payload, workplace: Workplace, settings: Settings) -> str:
        """What the store itself says, without a model. Raises StoreError."""
        from dataclasses import replace

        import anyio

        from ricordo.engine import open, utc_now
        from ricordo.hooks.telling import brief, context

        clock = self.clock or utc_now

        async def ask_store() -> str:
            async with open(settings=replace(settings, embedder="none", reranker="none"), clock=clock) as memory:
                if payload.event == "prompt-submit":
                    return await context(memory, payload.prompt, workplace, clock())
                return await brief(memory, workplace, clock())

        return anyio.run(ask_store)


def _arguments(given: Mapping[str, str]) -> list[str]:
    return [word for name, value in given.items() for word in (f"--{name}", value)]
