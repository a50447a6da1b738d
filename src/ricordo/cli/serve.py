"""The command that opens the pages and REST: serve."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from ricordo.cli.options import TEXT, Command, Options, examples, pass_options
from ricordo.cli.program import FOUND
from ricordo.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from ricordo.web.access import Access

__all__ = ["serve"]

LOOPBACK = "127.0.0.1"


class Place(TypedDict):
    """Where to listen, and who may ask."""

    host: str
    port: int
    allow_host: tuple[str, ...]
    token_file: str | None


@click.command(
    cls=Command,
    epilog=examples(
        "ricordo serve --open",
        "ricordo serve --port 0 --json",
        "ricordo serve --host 192.168.1.5 --token-file ~/.ricordo-token",
    ),
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=7432,
    show_default=True,
    metavar="NUMBER",
    help="0: one that is free.",
)
@click.option(
    "--host",
    type=TEXT,
    default=LOOPBACK,
    show_default=True,
    metavar="ADDRESS",
    help="Another address needs --token-file.",
)
@click.option("--allow-host", type=TEXT, multiple=True, metavar="NAME", help="A name that it is asked for by, too.")
@click.option("--token-file", type=click.Path(), help="A file with the token, in place of a new one at each start.")
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@pass_options
def serve(options: Options, /, *, opens: bool, **place: Unpack[Place]) -> int:
    """See the memory in a browser, and serve REST to programs.

    Prints a link that opens the page; its token is a new one at each start. Listens on this machine alone.
    """
    try:
        from ricordo.web.app import create_app
        from ricordo.web.server import Server, link, listen
    except ImportError as error:
        if (error.name or "").startswith("ricordo"):
            raise
        raise MissingExtra("web", f"the pages need {error.name}") from error
    import anyio

    from ricordo.cli.diagnosis import diagnose
    from ricordo.engine import open

    with listen(place["host"], place["port"]) as bound:
        access = _access(place, bound.getsockname()[1])
        app = create_app(open(settings=options.settings, clock=options.clock), access, partial(diagnose, options))
        told = partial(_tell, link(bound, access.token), access.token, as_json=options.json, opens=opens)
        anyio.run(Server(app, told).serve, [bound])
    return FOUND


def _access(place: Place, port: int) -> Access:
    """Who may ask. Raises InvalidInput for an address beyond this machine without a token of one's own."""
    from ricordo.web.access import Access, is_loopback

    host, file = place["host"], place["token_file"]
    if not is_loopback(host) and file is None:
        raise InvalidInput(f"{host} can be reached from other machines: that needs --token-file, with your secret")
    aliases = (*place["allow_host"], f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    if file is None:
        return Access(port=port, aliases=aliases)
    try:
        token = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"--token-file {file} cannot be read: {error}") from error
    return Access(port=port, aliases=aliases, token=token)


def _tell(address: str, token: str, *, as_json: bool, opens: bool) -> None:
    from ricordo.render import write, write_json

    if as_json:
        write_json({"url": address, "token": token})
    else:
        write(f"{address}\n")
        sys.stderr.write("Ctrl-C stops it.\n")
    if opens:
        import webbrowser

        webbrowser.open(address)
