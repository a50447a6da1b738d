"""The server as the SDK runs it: tools, resources, and what a client says of itself."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from ricordo.errors import InvalidInput, NotFound, RicordoError
from ricordo.mcp.answers import Answer
from ricordo.mcp.calls import Caller, call
from ricordo.mcp.desk import Desk
from ricordo.mcp.greeting import INSTRUCTIONS, NAME, version
from ricordo.mcp.surface import MEMORY, PLAIN, RESOURCES, TEMPLATES, TIMELINE, tools
from ricordo.projects import Rules, directory_of

__all__ = ["build"]

Context = ServerRequestContext[Any, Any]

log = logging.getLogger(__name__)

ROOTS_PATIENCE = 2.0
"""Seconds that a client has to say which folders it works in."""


def build(desk: Desk, rules: Rules, *, local: bool) -> Server[Any]:
    """The server of a desk. One that is `local` was started by its only client, where that works."""
    handlers = _Handlers(desk, rules, local=local)
    return Server(
        NAME,
        version=version(),
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )


class _Handlers:
    def __init__(self, desk: Desk, rules: Rules, *, local: bool) -> None:
        self._desk = desk
        self._rules = rules
        self._roots: tuple[str, ...] | None = None if local else ()
        # Where it was started; that may be gone by the time of a call.
        self._started = Path.cwd() if local else None

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": tools()}, by_name=False)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            await context.session.report_progress(0.0, 1.0, params.name)
            answer = await call(await self._caller(context), params.name, params.arguments or {})
            await context.session.report_progress(1.0, 1.0, params.name)
        except RicordoError as error:
            log.info("%s: %s", params.name, error)
            return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)], structured_content=dict(answer.document)
        )

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult.model_validate({"resources": RESOURCES}, by_name=False)

    async def list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": TEMPLATES}, by_name=False)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            answer = await self._resource(await self._caller(context), params.uri)
        except (NotFound, InvalidInput) as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"uri": params.uri}) from error
        except RicordoError as error:
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from error
        contents = types.TextResourceContents(uri=params.uri, mime_type=PLAIN, text=answer.text)
        return types.ReadResourceResult(contents=[contents])

    async def _resource(self, caller: Caller, uri: str) -> Answer:
        parts = urlsplit(uri)
        wanted, rest = (parts.netloc, unquote(parts.path).strip("/")) if parts.scheme == NAME else ("", "")
        if wanted == "memory" and rest:
            return await call(caller, "fetch", {"id": rest, "history": True, "max_tokens": 20_000})
        if wanted == "timeline" and not rest:
            return await call(caller, "timeline", {"limit": 50, "max_tokens": 10_000})
        raise NotFound(f"there is no resource {uri!r}; there are {MEMORY} and {TIMELINE}")

    async def _caller(self, context: Context) -> Caller:
        """Who calls, and what can be reached from where it works. Raises InvalidInput where rules contradict."""
        directory = None
        if self._started is not None:
            directory = directory_of(os.environ, await self._client_roots(context), self._started)
        client = context.session.client_params
        return Caller(
            desk=self._desk,
            scope=self._rules.scope(self._desk.settings.namespace, directory),
            client=client.client_info.name if client else None,
        )

    async def _client_roots(self, context: Context) -> tuple[str, ...]:
        """The folders that the client says it works in, asked for once; none where it does not say."""
        if self._roots is None:
            self._roots = ()
            said = context.session.client_capabilities
            if said is not None and said.roots is not None and context.session.can_send_request:
                with anyio.move_on_after(ROOTS_PATIENCE):
                    self._roots = await _asked_roots(context)
        return self._roots


async def _asked_roots(context: Context) -> tuple[str, ...]:
    try:
        found = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except MCPError as error:
        log.info("the client does not say where it works: %s", error)
        return ()
    return tuple(str(root.uri) for root in found.roots)
