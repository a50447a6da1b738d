"""REST that moves much at once: ingest, import, export."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import blake2b

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectSendStream
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ricordo.engine import Engine
from ricordo.errors import InvalidInput, RicordoError
from ricordo.ingest import Ingested, Progress
from ricordo.render.documents import Document, document
from ricordo.render.reports import Imported
from ricordo.web.dispatch import FORM, LINES, Call
from ricordo.web.problems import CODES, code_of
from ricordo.web.repeats import REPLAYED
from ricordo.web.replies import reply
from ricordo.web.service import Service
from ricordo.web.uploads import MOST_FILES, Received, ingest_received, receive

__all__ = ["export", "import_", "ingest", "read_received", "uploaded"]

LINES_AT_ONCE = 200
FIELDS = 20
NAMED = 3


@asynccontextmanager
async def uploaded(request: Request) -> AsyncIterator[tuple[FormData, list[UploadFile]]]:
    """The form of a request and the files in it. Raises HTTPException."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise HTTPException(415, f"files must come as {FORM}")
    async with request.form(max_files=MOST_FILES, max_fields=FIELDS) as form:
        files = [part for part in form.getlist("files") if isinstance(part, UploadFile) and part.filename]
        yield form, files


async def ingest(call: Call) -> Response:
    """Files are read, once under one key; who accepts JSON Lines is told how far it has come."""
    async with uploaded(call.request) as (_, files):
        received = await receive(files)
    if LINES in call.request.headers.get("accept", ""):
        return StreamingResponse(_progress(call, received), headers=_replayed(call, received), media_type=LINES)
    return await _read_once(call, received)


def _replayed(call: Call, received: Received) -> dict[str, str]:
    """What is to be said before the first line: whether all was answered before, unless it is refused."""
    try:
        return {REPLAYED: "true"} if call.is_repeat(received.content) else {}
    except HTTPException:
        received.close()
        raise


async def _read_once(
    call: Call, received: Received, sending: MemoryObjectSendStream[Document] | None = None
) -> Response:
    async def read() -> Response:
        return reply(call.request, document(await read_received(call.service, call.memory, received, sending)))

    try:
        return await call.once(received.content, read)
    finally:
        await to_thread.run_sync(received.close)


async def read_received(
    service: Service, memory: Engine, received: Received, sending: MemoryObjectSendStream[Document] | None = None
) -> Ingested:
    """Read the files into the namespace, note what came of it, and send on how far it has come."""

    async def tell(progress: Progress) -> None:
        if sending is not None:
            await sending.send({"progress": {"sources": progress.sources, **document(progress.so_far)}})

    counts = await ingest_received(memory, received, tell)
    more = ", …" if len(received.names) > NAMED else ""
    service.imported(memory, ", ".join(received.names[:NAMED]) + more, counts)
    return counts


async def _progress(call: Call, received: Received) -> AsyncIterator[str]:
    """A line for each few sources, then one with the result, or with the error that ended it."""
    sending, receiving = anyio.create_memory_object_stream[Document](8)

    async def work() -> None:
        async with sending:
            try:
                answer = await _read_once(call, received, sending)
                await sending.send({"result": json.loads(bytes(answer.body))})
            except RicordoError as error:
                await sending.send({"error": {"code": code_of(error), "message": str(error)}})
            except HTTPException as error:  # another request came under the same key a moment before
                await sending.send({"error": {"code": CODES[error.status_code], "message": error.detail}})

    async with anyio.create_task_group() as group:
        group.start_soon(work)
        async with receiving:
            async for line in receiving:
                yield json.dumps(line, ensure_ascii=False) + "\n"


async def import_(call: Call) -> Response:
    """An export is read back, once under one key; each line goes into the namespace it names."""
    body = await call.request.body()
    content = await to_thread.run_sync(lambda: blake2b(body).hexdigest())
    return await call.once(content, lambda: _import(call, body))


async def _import(call: Call, body: bytes) -> Response:
    try:
        lines = (await to_thread.run_sync(body.decode, "utf-8-sig")).splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is not valid UTF-8: {error.reason} at byte {error.start}") from error
    counts = await call.memory.load(lines, where="request")
    for namespace in (call.memory.namespace, *call.service.surveys.kept):
        call.service.surveys.changed(namespace)
    return reply(call.request, document(Imported(counts=counts)))


async def export(call: Call) -> Response:
    """The namespace, or every one, as JSON Lines."""
    everything = call.given.flag("all")
    lines = _bundled(call.memory.export(everything=everything))
    disposition = {"Content-Disposition": 'attachment; filename="memories.jsonl"'}
    return StreamingResponse(lines, media_type=LINES, headers=disposition)


async def _bundled(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    waiting: list[str] = []
    async for line in lines:
        waiting.append(f"{line}\n")
        if len(waiting) == LINES_AT_ONCE:
            yield "".join(waiting)
            waiting.clear()
    yield "".join(waiting)
