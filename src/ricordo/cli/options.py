"""Options that every command has, before it and after it, and what they come to: settings, clock, view, engine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import click

from ricordo.errors import InvalidInput
from ricordo.memory import clean

if TYPE_CHECKING:
    from ricordo.engine import Engine
    from ricordo.memory import EventTime
    from ricordo.settings import Settings

__all__ = ["TEXT", "Command", "Options", "Program", "examples", "pass_options", "redacting"]

R = TypeVar("R")

TEXT = clean
"""The type of a text: bytes of the command line that are not valid in its encoding become U+FFFD."""


@dataclass
class Options:
    """The global options given, wherever they stood; a later one wins."""

    json: bool = False
    now: str | None = None
    given: dict[str, str] = field(default_factory=dict)
    _settings: Settings | None = None

    @property
    def settings(self) -> Settings:
        """The settings in force. Raises ConfigError."""
        if self._settings is None:
            from ricordo.settings import load_settings

            self._settings = load_settings(self.given)
        return self._settings

    def clock(self) -> datetime:
        """Now, or what `--now` says it is."""
        return datetime.now(UTC) if self.now is None else self.moment(self.now, "--now")

    def moment(self, text: str, name: str) -> datetime:
        """An ISO date or time in UTC; without an offset it is read in the time zone set. Raises InvalidInput."""
        try:
            moment = datetime.fromisoformat(text.strip())
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=self.settings.zone())
            return moment.astimezone(UTC)
        except (ValueError, OverflowError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(
                f"{name} {text!r} is no ISO date or time, such as 2026-11-16 or 2026-11-16T09:30"
            ) from error

    def time(self, text: str, name: str) -> EventTime:
        """The time that an option names, in ISO 8601 or as a phrase ("last monday"). Raises InvalidInput."""
        from ricordo.dates import named_time, time_options

        zone, options = self.settings.zone(), time_options(self.settings)
        try:
            return named_time(text, now=self.clock(), zone=zone, options=options)
        except InvalidInput as error:
            raise InvalidInput(f"{name} {error}") from error

    def run(self, work: Callable[[Engine], Awaitable[R]]) -> R:
        """Open the memory, do the work in it, and close it again. Raises what opening and the work raise."""
        import anyio

        from ricordo.engine import open

        async def within() -> R:
            async with open(settings=self.settings, clock=self.clock) as memory:
                return await work(memory)

        return anyio.run(within)

    def show(self, value: object, *, full: bool = False, explain: bool = False) -> None:
        """Show a value on stdout, as JSON or for people."""
        from ricordo.render import show
        from ricordo.render.reports import View

        zone = self.settings.zone()
        show(value, View(json=self.json, now=self.clock(), zone=zone, full=full, explain=explain))


pass_options = click.make_pass_decorator(Options, ensure=True)


def _give(name: str, ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Options).given[name] = value


def _set_now(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Options).now = value


def _set_json(ctx: click.Context, _: click.Parameter, value: object) -> None:
    if value:
        ctx.ensure_object(Options).json = True


def _redact(ctx: click.Context, _: click.Parameter, value: object) -> None:
    if value:
        ctx.ensure_object(Options).given["redact"] = "on"


redacting = click.option(
    "--redact",
    is_flag=True,
    expose_value=False,
    callback=_redact,
    help="Keep no keys, tokens, card numbers and passwords in URLs.",
)
"""The option of commands that write memories."""


def _show_version(ctx: click.Context, _: click.Parameter, value: object) -> None:
    if not value:
        return
    from importlib.metadata import PackageNotFoundError, version

    from ricordo.render import write, write_json

    try:
        found = version("ricordo")
    except PackageNotFoundError:
        found = "unknown (run from its source, not installed)"
    if ctx.ensure_object(Options).json:
        write_json({"version": found})
    else:
        write(f"ricordo {found}\n")
    ctx.exit()


_setting = partial(click.Option, type=TEXT, expose_value=False)
_switch = partial(click.Option, is_flag=True, is_eager=True, expose_value=False)

GLOBAL_OPTIONS: tuple[click.Option, ...] = (
    _setting(["--store"], metavar="URL", callback=partial(_give, "store"), help="Where memories are kept."),
    _setting(["--namespace", "-n"], metavar="NAME", callback=partial(_give, "namespace"), help="Whose memory."),
    _setting(["--embedder"], metavar="NAME", callback=partial(_give, "embedder"), help="A model, auto or none."),
    _setting(["--now"], metavar="ISO", callback=_set_now, help="The moment to take for now."),
    _setting(["--tz"], metavar="ZONE", callback=partial(_give, "tz"), help="Time zone of dates without one."),
    _switch(["--json"], callback=_set_json, help="One JSON document on stdout."),
    # Not eager, so that --json counts wherever it stands.
    click.Option(["--version"], is_flag=True, expose_value=False, callback=_show_version, help="Show the version."),
)


class Command(click.Command):
    """A command with the global options, which its help lists apart from its own."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *GLOBAL_OPTIONS]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own: list[tuple[str, str]] = []
        shared: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                (shared if parameter in GLOBAL_OPTIONS else own).append(record)
        for title, records in (("Options", own), ("Global options", shared)):
            with formatter.section(title):
                formatter.write_dl(records)


class Program(Command, click.Group):
    """The group of all commands, listed in the order they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)


def examples(*lines: str) -> str:
    """Examples to stand below a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
