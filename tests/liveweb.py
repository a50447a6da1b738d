"""A server on a socket of this machine, in a thread of this process, with a memory behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio

from ricordo.engine import Engine
from ricordo.render.reports import Diagnosis
from ricordo.web.access import Access
from ricordo.web.app import create_app
from ricordo.web.server import Patient, Server, link, listen

__all__ = ["Live", "live"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Live:
    """Where it is, and the link that opens it."""

    url: str
    link: str
    access: Access


@contextmanager
def live(engine: Engine, diagnose: Callable[[], Diagnosis], protocol: type[Patient] = Patient) -> Iterator[Live]:
    """The server as long as it is wanted."""
    with listen("127.0.0.1", 0) as bound:
        access = Access(port=bound.getsockname()[1])
        started = threading.Event()
        server = Server(create_app(engine, access, diagnose), started.set, protocol)
        thread = threading.Thread(target=anyio.run, args=(server.serve, [bound]))
        thread.start()
        try:
            if not started.wait(30):
                raise TimeoutError("the server did not start")
            yield Live(url=f"http://127.0.0.1:{access.port}", link=link(bound, access.token), access=access)
        finally:
            server.should_exit = True
            thread.join()
