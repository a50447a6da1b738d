"""Many ask at once: nobody is refused, look-ups do not wait for questions, and nobody is answered who has left."""

from __future__ import annotations

import anyio
import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from liveweb import live
from ricordo.web.turns import Turns
from website import DIAGNOSIS, engine

CLIENTS = 60
ADDRESSES = ("/?query=the pool", "/timeline", "/api/recall?query=the lake", "/sources", "/api/stats")


def request(*messages: Message) -> Request:
    """One whose client sends these messages, and then nothing."""
    waiting = list(messages)

    async def receive() -> Message:
        if not waiting:
            await anyio.sleep_forever()
        return waiting.pop(0)

    return Request({"type": "http", "method": "GET", "path": "/", "headers": []}, receive)


async def fine() -> Response:
    return Response("fine")


@pytest.mark.anyio
async def test_who_has_left_is_not_answered() -> None:
    async def never() -> Response:
        raise AssertionError

    gone = await Turns().take(request({"type": "http.disconnect"}), never, asks=True)
    here = await Turns().take(request({"type": "http.request", "body": b""}), fine, asks=True)

    assert (gone.body, here.body) == (b"", b"fine")


@pytest.mark.anyio
async def test_look_ups_do_not_wait_for_questions() -> None:
    turns, answered = Turns(), anyio.Event()

    async def slow() -> Response:
        await answered.wait()
        return Response()

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(lambda: turns.take(request(), slow, asks=True))
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(5):
            assert (await turns.take(request(), fine, asks=False)).body == b"fine"
        assert turns.questions.statistics().tasks_waiting > 0
        answered.set()


@pytest.mark.anyio
async def test_a_crowd_is_answered_without_an_error() -> None:
    statuses: list[int] = []
    with live(engine(), lambda: DIAGNOSIS) as server:
        headers = {"Authorization": f"Bearer {server.access.token}"}
        limits = httpx2.Limits(max_connections=CLIENTS)
        async with httpx2.AsyncClient(base_url=server.url, headers=headers, timeout=60, limits=limits) as client:
            await client.post("/api/remember", json={"text": "the pool by the lake", "when": "2026-03-01"})

            async def ask(number: int) -> None:
                for turn in range(3):
                    answer = await client.get(ADDRESSES[(number + turn) % len(ADDRESSES)])
                    statuses.append(answer.status_code)

            async with anyio.create_task_group() as group:
                for number in range(CLIENTS):
                    group.start_soon(ask, number)

    assert statuses == [200] * (3 * CLIENTS)
