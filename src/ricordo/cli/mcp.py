"""The command that serves assistants: mcp."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from ricordo.cli.options import TEXT, Command, Options, examples, pass_options
from ricordo.cli.program import FOUND
from ricordo.errors import MissingExtra

if TYPE_CHECKING:
    from ricordo.projects import Rules

__all__ = ["mcp"]

PORT = 8571


class Reach(TypedDict):
    """Which namespaces can be reached."""

    also: tuple[str, ...]
    pins: tuple[str, ...]


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo mcp --also personal", "ricordo mcp --pin work --pin personal", "ricordo mcp --http -n work"
    ),
)
@click.option("--http", is_flag=True, help="Over HTTP on this machine, with a token, in place of stdin and stdout.")
@click.option("--port", type=int, default=PORT, show_default=True, metavar="N", help="Where --http listens.")
@click.option("--also", type=TEXT, multiple=True, metavar="NAME", help="A namespace to search beside; may be repeated.")
@click.option(
    "--pin",
    "pins",
    type=TEXT,
    multiple=True,
    metavar="NAME",
    help="A namespace that is all to be reached; may be repeated.",
)
@pass_options
def mcp(options: Options, /, *, http: bool, port: int, **reach: Unpack[Reach]) -> int:
    """Serve an assistant by the Model Context Protocol, until it is gone.

    In a project its own namespace is searched and written to, elsewhere the one that is set. NAME may be
    "personal" for the latter and "project" for the former.
    """
    if http:
        return _serve_http(options, port, reach)
    return _serve_stdio(options, reach)


def _serve_stdio(options: Options, reach: Reach) -> int:
    from ricordo.mcp.early import greet
    from ricordo.mcp.wire import Wire

    wire = Wire.claim()
    rules = _rules(options, reach)
    try:
        opening = greet(wire)
    except OSError:
        return FOUND
    if not opening.lines:
        return FOUND
    import anyio

    from ricordo.mcp.stdio import serve

    anyio.run(serve, wire, opening, options.settings, rules, options.clock)
    return FOUND


def _serve_http(options: Options, port: int, reach: Reach) -> int:
    rules = _rules(options, reach)
    import anyio

    from ricordo.mcp.http import ADDRESS, PATH, listen, serve, token
    from ricordo.render import tell

    bearer, place = token()
    with listen(port) as listening:
        tell(f"serving http://{ADDRESS}:{listening.getsockname()[1]}{PATH}; clients bear the token of {place}")
        anyio.run(serve, listening, bearer, options.settings, rules, options.clock)
    return FOUND


def _rules(options: Options, reach: Reach) -> Rules:
    """Which namespaces can be reached. Raises InvalidInput where that contradicts itself, MissingExtra for no SDK.

    A namespace that whoever started the server asked for is meant; one that a file sets is the personal one.
    """
    from ricordo.projects import Rules

    if find_spec("mcp") is None:
        raise MissingExtra("mcp", "serving assistants needs the SDK of the Model Context Protocol")
    asked = options.given.get("namespace") or os.environ.get("RICORDO_NAMESPACE") or None
    rules = Rules(asked=asked, **reach)
    rules.scope(options.settings.namespace, None)
    return rules
