"""The keeper itself: answers hooks, reads transcripts when it is quiet, and leaves when nobody asks."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL

import anyio
from anyio import to_thread
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from ricordo.engine import Engine, open
from ricordo.equipment import chosen_embedder
from ricordo.errors import InvalidInput, ModelError, RicordoError
from ricordo.hooks.queue import TranscriptQueue
from ricordo.hooks.telling import brief, context
from ricordo.hooks.workplace import Workplace
from ricordo.journal import note
from ricordo.keeper.frames import HEAD, PROTOCOL, VERSION, Document, FrameError, length, pack, unpack
from ricordo.keeper.place import Place, peer, store_file
from ricordo.models import NONE
from ricordo.query import Query
from ricordo.settings import Settings, state_directory
from ricordo.window import utc_now

__all__ = ["JOURNAL", "serve"]

JOURNAL = "keeper.log"
SILENCE = 5.0
"""Seconds that a caller may take to say what it wants."""
WARMTH = 10.0
"""Seconds that a caller may wait at most until the store is open."""
PRECEDENCE = 2.0
"""Seconds that those who wait for the store come before the model at most."""
LOOK = 2.0
"""Seconds between two looks at the clock, the socket and the queue."""
SETTLED = 20.0
"""Seconds after which a session that was set aside is taken to pause."""
AGAIN = 300.0
"""Seconds until work on the queue that failed is tried again."""

LOADING = "loading"
"""What is said of the model until it is known whether there is one."""

GONE = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError, TimeoutError)


async def serve(settings: Settings, place: Place, arguments: Sequence[str] = ()) -> None:
    """Serve until nobody asks any more; the place's lock must be held.

    `arguments` are the options of the command line that the settings came from, for the work on the queue.
    """
    await _Keeper(settings, place, arguments).serve()


class _Keeper:
    def __init__(self, settings: Settings, place: Place, arguments: Sequence[str]) -> None:
        self.settings = settings
        self.place = place
        self.arguments = arguments
        self.journal = state_directory() / JOURNAL
        self.queue = TranscriptQueue(folder=state_directory() / "queue")
        self.memory: Engine | None = None
        self.model = LOADING
        self.begun = self.asked = time.monotonic()
        self.answers = self.busy = 0
        self.reading = False
        self.read_after = 0.0
        self.opened = anyio.Event()
        self.leaving = anyio.Event()

    async def serve(self) -> None:
        note(self.journal, f"version {VERSION} begins")
        listener = await anyio.create_unix_listener(self.place.socket, mode=0o600)
        async with listener, anyio.create_task_group() as group:
            group.start_soon(listener.serve, self._converse)
            group.start_soon(self._watch)
            group.start_soon(self._obey_signals)
            await self._remember_all()
            self.place.socket.unlink(missing_ok=True)
            group.cancel_scope.cancel()
        note(self.journal, f"leaves after {self.answers} answers")

    async def _remember_all(self) -> None:
        """Have the store open, by words alone at first, with the model once that is loaded, until it is time to go."""
        try:
            async with (
                open(settings=replace(self.settings, embedder=NONE, reranker=NONE)) as words,
                AsyncExitStack() as stack,
            ):
                self.memory = words
                self.opened.set()
                await self._let_others_go_first()
                try:
                    self.memory, self.model = await self._with_model(words, stack)
                except (ModelError, InvalidInput) as error:
                    note(self.journal, f"answers by words alone: {type(error).__name__}: {error}")
                    self.model = NONE
                    self.arguments = (*self.arguments, "--embedder", NONE)
                await self.leaving.wait()
        except RicordoError as error:
            note(self.journal, f"{type(error).__name__}: {error}")

    async def _with_model(self, words: Engine, stack: AsyncExitStack) -> tuple[Engine, str]:
        """The store with the model that is set, and that model's name. Raises ModelError, InvalidInput."""
        embedder, notices = await to_thread.run_sync(chosen_embedder, self.settings)
        if embedder is None:
            for notice in notices:
                note(self.journal, notice.message)
            return words, NONE
        whole = await stack.enter_async_context(open(settings=replace(self.settings, reranker=NONE), embedder=embedder))
        # The first question reads all vectors; nobody should wait for that.
        await whole.reader.context(Query(text="memory", namespace=self.settings.namespace))
        return whole, embedder.fingerprint

    async def _let_others_go_first(self) -> None:
        """Whoever started this keeper waits for an answer by words; loading the model would slow it down."""
        with anyio.move_on_after(PRECEDENCE):
            await anyio.sleep(0.1)
            while self.busy:
                await anyio.sleep(0.05)

    async def _obey_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
            async for _ in signals:
                self.leaving.set()

    async def _watch(self) -> None:
        """Go when nobody asks, and when the socket or the store is no longer the one that was opened."""
        await self.opened.wait()
        file = store_file(self.settings.store)
        watched = {path: _identity(path) for path in (self.place.socket, file) if path is not None}
        async with anyio.create_task_group() as group:
            while not self.leaving.is_set():
                await anyio.sleep(LOOK)
                idle = time.monotonic() - self.asked
                if any(_identity(path) != known for path, known in watched.items()):
                    note(self.journal, "the socket or the store was replaced")
                    self.leaving.set()
                elif self._has_transcripts():
                    self.reading = True
                    group.start_soon(self._read_queue)
                elif idle > self.settings.keeper_minutes * 60 and not self._expects_transcripts():
                    self.leaving.set()

    def _has_transcripts(self) -> bool:
        if self.reading or self.model == LOADING or time.monotonic() <= self.read_after:
            return False
        return self.queue.waiting(SETTLED) > 0

    def _expects_transcripts(self) -> bool:
        """Whether some are being read, or will be as soon as they have settled; what failed is left to others."""
        return self.reading or (time.monotonic() > self.read_after and self.queue.waiting() > 0)

    async def _read_queue(self) -> None:
        """In a process of its own and with less right to the machine, so that nobody's question waits for it."""
        nice = shutil.which("nice")
        command = [sys.executable, "-P", "-m", "ricordo", "ingest", "--queued", *self.arguments]
        try:
            done = await anyio.run_process(
                [nice, "-n", "10", *command] if nice else command,
                check=False,
                stdin=DEVNULL,
                stdout=DEVNULL,
                stderr=None,
            )
            note(self.journal, f"the queue was read, exit code {done.returncode}")
            self.read_after = time.monotonic() + (AGAIN if self.queue.waiting(SETTLED) else 0)
        finally:
            self.reading = False

    async def _converse(self, stream: SocketStream) -> None:
        async with stream:
            if peer(stream.extra(SocketAttribute.raw_socket))[1] not in (None, os.getuid()):
                return
            reader = BufferedByteReceiveStream(stream)
            try:
                while not self.leaving.is_set():
                    request = await _request(reader)
                    answer = await self._answer(request)
                    await stream.send(
                        pack({"version": VERSION, "protocol": PROTOCOL, "process": os.getpid(), **answer})
                    )
                    if "leaving" in answer:
                        self.leaving.set()
            except FrameError as error:
                note(self.journal, f"a caller sent {error}")
            except GONE:
                return

    async def _answer(self, request: Document) -> Document:
        self.answers += 1
        try:
            match request.get("ask"):
                case "hello":
                    return self._state()
                case "leave":
                    return {"leaving": True}
                case "context" | "brief":
                    self.asked = time.monotonic()
                    return await self._told(request)
                case other:
                    return {"error": f"nothing is known about {other!r}"}
        except (RicordoError, ValueError) as error:
            return {"error": f"{type(error).__name__}: {error}"}
        except Exception as error:  # noqa: BLE001  # the outermost edge of one answer; the next may go well
            note(self.journal, f"a bug: {' | '.join(traceback.format_exception(error))}")
            return {"error": f"a bug: {type(error).__name__}"}

    async def _told(self, request: Document) -> Document:
        workplace = Workplace.from_document(request.get("workplace"))
        patience = request.get("patience")
        self.busy += 1
        try:
            with anyio.move_on_after(min(patience if isinstance(patience, int | float) else 0.0, WARMTH)):
                await self.opened.wait()
            if self.memory is None:
                return {"error": "the store is not open yet", "warming": True}
            if request["ask"] == "brief":
                return {"text": await brief(self.memory, workplace, utc_now())}
            return {"text": await context(self.memory, str(request.get("prompt", "")), workplace, utc_now())}
        finally:
            self.busy -= 1

    def _state(self) -> Document:
        return {
            "ready": self.opened.is_set(),
            "model": self.model,
            "answers": self.answers,
            "seconds": round(time.monotonic() - self.begun),
            "waiting": self.queue.waiting(),
        }


async def _request(reader: BufferedByteReceiveStream) -> Document:
    """What a caller says. Raises FrameError, and one of GONE when it says nothing."""
    with anyio.fail_after(SILENCE):
        size = length(await reader.receive_exactly(HEAD))
        return unpack(await reader.receive_exactly(size))


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
