"""A hook from beginning to end: read what the assistant sends, ask the keeper or the store, answer, or be silent."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ricordo.errors import RicordoError
from ricordo.hooks.events import ENDS, Payload, Unreadable, answer, event_named, read_payload
from ricordo.hooks.guard import Guard, born
from ricordo.hooks.queue import Queued, TranscriptQueue
from ricordo.hooks.workplace import PROJECT_VARIABLE, Workplace
from ricordo.journal import note
from ricordo.keeper.client import SUCCEEDED, Unanswered, ask, await_answer, start, started_lately
from ricordo.keeper.place import place_for, store_file, supported
from ricordo.settings import Settings, load_settings, state_directory

if TYPE_CHECKING:
    from subprocess import Popen

__all__ = ["JOURNAL", "main", "queue_in", "run"]

PATIENCE = 0.35
"""The share of its time that a hook waits for the keeper. What is left is enough to look by words alone."""
UNTIL_SET = 2.0
"""Seconds that a hook may take until the settings are read."""
ENDING = 0.1
"""The share of its time that is left for writing down why, and for ending: on a busy machine that takes a while."""
LARGEST = 1 << 23
JOURNAL = "hooks.log"
NAMESPACE_VARIABLE = "RICORDO_NAMESPACE"
OPTIONS = ("store", "namespace", "embedder", "tz")


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
    begin = born()
    say = partial(_say, state_directory() / JOURNAL, name, begin)
    guard = Guard(begin + UNTIL_SET * (1 - ENDING), lambda: say("out of time; nothing was told"))
    output = b""
    try:
        if unknown:
            say(f"not understood: {' '.join(unknown)}")
        settings = load_settings(given)
        guard.deadline = begin + settings.hook_ms / 1000 * (1 - ENDING)
        output = _Hook(given, settings, say, clock, guard.deadline).answered(name)
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
        self,
        given: Mapping[str, str],
        settings: Settings,
        say: Callable[[str], None],
        clock: Callable[[], datetime] | None,
        deadline: float,
    ) -> None:
        self.given = given
        self.deadline = deadline
        self.settings = settings
        self.patience = settings.hook_ms / 1000 * PATIENCE
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
        if event in ENDS:
            self._set_aside(payload)
            return b""
        file = store_file(self.settings.store)
        if file is not None and not file.exists():
            return b""  # nothing was ever remembered
        return answer(event, self._told(payload))

    def _workplace(self, payload: Payload) -> Workplace:
        return Workplace(
            personal=self.settings.namespace,
            asked=self.given.get("namespace") or os.environ.get(NAMESPACE_VARIABLE) or None,
            project=os.environ.get(PROJECT_VARIABLE),
            directory=payload.directory,
        )

    def _set_aside(self, payload: Payload) -> None:
        if payload.transcript is None:
            return
        queued = Queued(transcript=Path(payload.transcript), workplace=self._workplace(payload))
        queue_in(state_directory()).put(queued)
        if self.settings.keeper == "auto" and supported():
            try:
                ask(place_for(self.settings), {"ask": "hello"}, self.patience)
            except Unanswered as trouble:
                if trouble.state in SUCCEEDED:
                    self._start()

    def _told(self, payload: Payload) -> str:
        workplace = self._workplace(payload)
        if self.settings.keeper != "auto" or not supported() or self.clock is not None:
            return self._by_words(payload, workplace)
        request = {
            "ask": "context" if payload.event == "prompt-submit" else "brief",
            "prompt": payload.prompt,
            "workplace": workplace.document(),
        }
        try:
            return str(ask(place_for(self.settings), request, self.patience).get("text", ""))
        except Unanswered as trouble:
            self.say(f"the keeper is {trouble}")
            text = self._by_another(request) if trouble.state in SUCCEEDED else None
        if text is not None:
            return text
        self.say("answered by words alone")
        return self._by_words(payload, workplace)

    def _by_another(self, request: Mapping[str, object]) -> str | None:
        """What a keeper says that is started now, or was a moment ago; None where none comes to answer.

        It has the store open as soon as this process would, and will be there for the next prompt.
        """
        place = place_for(self.settings)
        lately = started_lately(place)
        process = self._start()
        if process is None and not lately:
            return None
        deadline = time.monotonic() + self.patience if process is None else self.deadline
        try:
            answer = await_answer(place, request, deadline, lambda: process is None or process.poll() is None)
        except Unanswered as trouble:
            self.say(f"the keeper that was started is {trouble}")
            return None
        return str(answer.get("text", ""))

    def _start(self) -> Popen[bytes] | None:
        process = start(place_for(self.settings), _arguments(self.given))
        if process is not None:
            self.say("a keeper was started")
        return process

    def _by_words(self, payload: Payload, workplace: Workplace) -> str:
        """What the store itself says, without a model. Raises StoreError."""
        from dataclasses import replace

        import anyio

        from ricordo.engine import open
        from ricordo.hooks.telling import brief, context
        from ricordo.models import NONE
        from ricordo.window import utc_now

        clock = self.clock or utc_now

        async def ask_store() -> str:
            async with open(settings=replace(self.settings, embedder=NONE, reranker=NONE), clock=clock) as memory:
                if payload.event == "prompt-submit":
                    return await context(memory, payload.prompt, workplace, clock())
                return await brief(memory, workplace, clock())

        if self.settings.embedder != NONE:
            self._note_missing_model()
        return anyio.run(ask_store)

    def _note_missing_model(self) -> None:
        """Whoever asked for a model should be able to find out why words alone answer; nothing is loaded for that."""
        from ricordo.equipment import chosen_embedder

        try:
            _, notices = chosen_embedder(self.settings)
        except RicordoError as error:
            self.say(f"answered by words alone: {type(error).__name__}: {error}")
        else:
            for notice in notices:
                self.say(notice.message)


def _arguments(given: Mapping[str, str]) -> list[str]:
    return [word for name, value in given.items() for word in (f"--{name}", value)]
