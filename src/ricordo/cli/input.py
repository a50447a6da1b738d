"""What is given on the command line or through a pipe, as values."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TypedDict, TypeVar

import click

from ricordo.cli.options import TEXT, Options
from ricordo.errors import InvalidInput

if TYPE_CHECKING:
    from ricordo.memory import Json
    from ricordo.query import AsOf, Filters

__all__ = [
    "STDIN",
    "FilterChoice",
    "filter_options",
    "metadata",
    "metadata_option",
    "read_filters",
    "read_lines",
    "tag_option",
    "text_or_stdin",
]

F = TypeVar("F", bound="Callable[..., object]")

STDIN = "-"
INSTANT = timedelta(microseconds=1)
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: C: is a drive

tag_option = click.option("--tag", "tags", type=TEXT, multiple=True, metavar="TAG", help="A tag; may be repeated.")
metadata_option = click.option(
    "--meta", "pairs", type=TEXT, multiple=True, metavar="KEY=VALUE", help="A property; may be repeated."
)


def text_or_stdin(text: str) -> str:
    """The text itself, or with `-` all of standard input, which is UTF-8 whatever the locale."""
    if text != STDIN:
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"standard input is not valid UTF-8: {error.reason} at byte {error.start}") from error


def read_lines(stream: BinaryIO, where: str) -> Iterator[str]:
    """The lines of a UTF-8 stream. Raises InvalidInput, which names the line."""
    for number, line in enumerate(stream, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{where}:{number}: this is not valid UTF-8: {error.reason}") from error


def metadata(pairs: Sequence[str]) -> dict[str, Json]:
    """`key=value` pairs. A value that is JSON (`42`, `true`, `"42"`) is read as such, any other is a text.

    Raises InvalidInput.
    """
    found: dict[str, Json] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InvalidInput(f"--meta {pair!r} must have the form key=value")
        found[key.strip()] = _value(value)
    return found


def _value(text: str) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()  # an escaped lone surrogate cannot be stored
    except (ValueError, RecursionError):
        return text
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def filter_options(function: F) -> F:
    """The options that say what a memory must be to be considered, taken together as a `FilterChoice`."""
    for option in reversed(
        (
            click.option("--since", type=TEXT, metavar="TIME", help="Happened at the beginning of this time or later."),
            click.option("--until", type=TEXT, metavar="TIME", help="Happened before the beginning of this time."),
            click.option("--as-of", type=TEXT, metavar="TIME", help="What was true at the end of this time."),
            click.option("--as-known", type=TEXT, metavar="TIME", help="What was known at the end of this time."),
            tag_option,
            metadata_option,
            click.option(
                "--origin", type=TEXT, metavar="PATH", help="Read from this file or folder; or a URI's beginning."
            ),
            click.option(
                "--kind",
                "kinds",
                type=TEXT,
                multiple=True,
                metavar="KIND",
                help="Of this kind of source, such as markdown or told; may be repeated, then any of them.",
            ),
            click.option("--superseded", is_flag=True, help="Old versions too."),
        )
    ):
        function = option(function)
    return function


class FilterChoice(TypedDict):
    """What is given for `filter_options`."""

    since: str | None
    until: str | None
    as_of: str | None
    as_known: str | None
    tags: tuple[str, ...]
    pairs: tuple[str, ...]
    origin: str | None
    kinds: tuple[str, ...]
    superseded: bool


def read_filters(options: Options, chosen: FilterChoice) -> Filters:
    """The filters that were chosen. Raises InvalidInput."""
    from ricordo.query import Filters, TimeRange

    start = options.time(chosen["since"], "--since").start if chosen["since"] else None
    end = options.time(chosen["until"], "--until").start if chosen["until"] else None
    return Filters(
        time=TimeRange(start=start, end=end) if start or end else None,
        as_of=_as_of(options, chosen),
        tags=chosen["tags"],
        metadata=metadata(chosen["pairs"]),
        origin=_origin(chosen["origin"]) if chosen["origin"] else None,
        kinds=chosen["kinds"],
        superseded=chosen["superseded"],
    )


def _as_of(options: Options, chosen: FilterChoice) -> AsOf | None:
    from ricordo.query import AsOf

    if chosen["as_of"] and chosen["as_known"]:
        raise InvalidInput("--as-of and --as-known exclude one another: what was true, or what was known")
    for name, given, known in (("--as-of", chosen["as_of"], False), ("--as-known", chosen["as_known"], True)):
        if given:
            time = options.time(given, name)
            # What began with the next day was not true at the end of this one.
            return AsOf(moment=time.end - INSTANT if time.end else time.start, known=known)
    return None


def _origin(text: str) -> str:
    """The beginning of the uris of what was read from a path; a URI is taken as it stands."""
    if SCHEME.match(text):
        return text
    path = Path(text).expanduser().resolve()
    return f"{path.as_uri()}/" if path.is_dir() else path.as_uri()
