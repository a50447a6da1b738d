"""From a request to a handler: what is checked for every row of the table of REST alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ricordo.engine import Engine
from ricordo.memory import clean
from ricordo.web.given import Given, from_json, from_pairs
from ricordo.web.guard import csrf_given
from ricordo.web.schemas import BOOLEAN, TEXT, Schema, array
from ricordo.web.service import Service, service_of

__all__ = ["FILTERS", "FORM", "JSON", "LINES", "Call", "Endpoint", "Parameter"]

JSON = "application/json"
LINES = "application/x-ndjson"
FORM = "multipart/form-data"
NAMESPACE = "namespace"


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call of an endpoint: the engine of the namespace asked for, and what was given."""

    request: Request
    service: Service
    memory: Engine
    given: Given

    @property
    def id(self) -> str:
        """The id in the path."""
        return clean(str(self.request.path_params["id"]))

    async def once(self, content: str, do: Callable[[], Awaitable[Response]]) -> Response:
        """What `do` answers to this request with this content, or answered before under its `Idempotency-Key`."""
        return await self.service.repeats.once(self._key, self._what(content), do)

    def is_repeat(self, content: str) -> bool:
        """Whether it was answered before. Raises HTTPException as `once` does."""
        return self.service.repeats.has(self._key, self._what(content))

    @property
    def _key(self) -> str | None:
        return self.request.headers.get("idempotency-key")

    def _what(self, content: str) -> tuple[str, ...]:
        return self.request.url.path, self.memory.namespace, content


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """A parameter of a query, or a property of a JSON object."""

    name: str
    schema: Schema
    about: str
    required: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """A row of the table. `takes` is how the body comes; `given` stands in it when it is JSON, else in the query.

    `answers` maps each status of success to its schema and media type. It says what its `pages` show. A handler that is
    `repeatable` and takes no JSON sees to that itself, for it knows when its request has come whole.
    """

    name: str
    method: str
    path: str
    about: str
    handler: Callable[[Call], Awaitable[Response]]
    answers: dict[int, tuple[Schema, str]]
    given: tuple[Parameter, ...] = ()
    takes: str | None = None
    repeatable: bool = False
    failures: tuple[int, ...] = field(default=(400,))
    pages: tuple[str, ...] = ()

    async def __call__(self, request: Request) -> Response:
        if request.method == "POST" and not csrf_given(request):
            raise HTTPException(403, "a page must send the token of its form with a write")
        service = service_of(request)
        query = from_pairs(request.query_params.multi_items())
        body = await _json_body(request) if self.takes == JSON else b""
        given = from_json(body) if self.takes == JSON else query
        names = {parameter.name for parameter in self.given}
        if given is not query:
            given.only(names)
            names = set()
        query.only({*names, NAMESPACE})
        memory = service.within(query.maybe(NAMESPACE))
        return await self._once(Call(request=request, service=service, memory=memory, given=given), body)

    async def _once(self, call: Call, body: bytes) -> Response:
        asks = call.given.asks
        if self.method == "GET" or asks:
            return await call.service.turns.take(call.request, lambda: self.handler(call), asks=asks)
        if not self.repeatable or self.takes != JSON:
            return await self.handler(call)
        return await call.once(body.decode("latin-1"), lambda: self.handler(call))


async def _json_body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise HTTPException(415, f"the body must be {JSON}")
    return await request.body()


FILTERS = (
    Parameter(name="since", schema=TEXT, about="Happened at the beginning of this time or later."),
    Parameter(name="until", schema=TEXT, about="Happened before the beginning of this time."),
    Parameter(name="as_of", schema=TEXT, about="What was true at the end of this time."),
    Parameter(name="as_known", schema=TEXT, about="What was known at the end of this time."),
    Parameter(name="tag", schema=array(TEXT), about="Tags that must all be there."),
    Parameter(name="meta", schema=array(TEXT), about="Properties that must all be there, as key=value."),
    Parameter(name="origin", schema=TEXT, about="The beginning of the uri of the source."),
    Parameter(name="kind", schema=array(TEXT), about="Kinds of source, such as markdown; any of them will do."),
    Parameter(name="superseded", schema=BOOLEAN, about="Old versions too."),
)
