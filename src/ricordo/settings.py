"""Settings, read once at the edge: argument > environment (`RICORDO_*`) > `config.toml` > default."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import tzinfo
from pathlib import Path
from urllib.parse import quote

import platformdirs

from ricordo.errors import ConfigError

__all__ = [
    "WEEKDAYS",
    "Settings",
    "config_file",
    "data_directory",
    "load_settings",
    "setting_origins",
    "state_directory",
    "without_password",
]

HOME = "RICORDO_HOME"
PREFIX = "RICORDO_"
MAX_NAMESPACE = 200
TOKEN_VECTORS = ("stored", "computed", "off")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
HEMISPHERES = ("north", "south")
DATE_ORDERS = ("auto", "dmy", "mdy", "ymd")
KEEPER = ("auto", "off")
LOCAL = "local"
REDACT = ("off", "on")
CHOICES = {
    "keeper": KEEPER,
    "redact": REDACT,
    "token_vectors": TOKEN_VECTORS,
    "week_start": WEEKDAYS,
    "hemisphere": HEMISPHERES,
    "date_order": DATE_ORDERS,
}
PASSWORD = re.compile(r"(?<=://)([^:/@]*:).*(?=@)|(password=)[^&\s]*")


def data_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Where memories are kept: `$RICORDO_HOME`, else the platform's per-user data directory."""
    home = environment.get(HOME)
    return Path(home).expanduser() if home else platformdirs.user_data_path("ricordo", appauthor=False)


def state_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Where logs, queues and backups are, and what was skipped: `state` in `$RICORDO_HOME`, else the platform's own."""
    home = environment.get(HOME)
    return Path(home).expanduser() / "state" if home else platformdirs.user_state_path("ricordo", appauthor=False)


def config_file(environment: Mapping[str, str] = os.environ) -> Path:
    """`config.toml` in `$RICORDO_HOME`, else in the platform's per-user configuration directory."""
    home = environment.get(HOME)
    folder = Path(home).expanduser() if home else platformdirs.user_config_path("ricordo", appauthor=False)
    return folder / "config.toml"


def _default_store(environment: Mapping[str, str] = os.environ) -> str:
    path = data_directory(environment).absolute() / "memory.db"
    return f"sqlite:///{quote(path.as_posix(), safe='/:')}"


def without_password(url: str) -> str:
    """The URL with *** in place of a password; too much goes rather than too little where it is malformed."""
    return PASSWORD.sub(lambda found: f"{found[1] or found[2]}***", url)


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Everything that can be set.

    `store` is a URL; `embedder` a model's name, `auto` or `none`; `token_vectors` are `stored` with each chunk,
    `computed` when they are needed, or `off`; `reranker` is a cross-encoder's name or `none`, and `rerank_ms` what
    it may take; `threads` the most that a model may use (0: chosen for the machine); `tz` an IANA time zone or
    `local`; `k1` and `b` the parameters of BM25. `redact` says whether secrets are taken out of what is
    told and read (`on` or `off`). `keeper` says whether a process that keeps the model loaded may be
    started for hooks (`auto` or `off`), and `keeper_minutes` how long it stays when nobody asks; `hook_ms` what a hook
    may take in all.
    Dates are read by `week_start` (a weekday's English name), `hemisphere` (`north` or `south`) and `date_order`
    (`dmy`, `mdy`, `ymd`, or `auto`: by language).
    """

    store: str = field(default_factory=_default_store)
    namespace: str = "default"
    embedder: str = "auto"
    token_vectors: str = "stored"
    reranker: str = "none"
    rerank_ms: int = 1000
    threads: int = 0
    tz: str = LOCAL
    week_start: str = "monday"
    hemisphere: str = "north"
    date_order: str = "auto"
    k1: float = 1.5
    b: float = 0.75
    redact: str = "off"
    keeper: str = "auto"
    keeper_minutes: int = 15
    hook_ms: int = 2000

    def __post_init__(self) -> None:
        if not self.namespace.strip() or len(self.namespace) > MAX_NAMESPACE:
            raise ConfigError(
                "namespace", "settings", f"{self.namespace!r} must be 1 to {MAX_NAMESPACE} characters, not all blank"
            )
        if self.k1 < 0 or not 0 <= self.b <= 1:
            raise ConfigError("k1, b", "settings", f"{self.k1}, {self.b}: k1 must not be negative, b between 0 and 1")
        for name in ("threads", "rerank_ms", "keeper_minutes", "hook_ms"):
            if getattr(self, name) < 0:
                raise ConfigError(name, "settings", f"{getattr(self, name)} must not be negative")
        for name, known in CHOICES.items():
            if (value := getattr(self, name)) not in known:
                raise ConfigError(name, "settings", f"{value!r} must be one of {', '.join(known)}")
        if self.tz != LOCAL:
            self.zone()

    def zone(self) -> tzinfo:
        """The time zone that dates without one are read in. Raises ConfigError."""
        # Imported here: a hook that asks the keeper needs no zone, and has no time to lose.
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        import tzlocal

        try:
            return tzlocal.get_localzone() if self.tz == LOCAL else ZoneInfo(self.tz)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ConfigError("tz", "settings", f"{self.tz!r} is no IANA time zone, such as Europe/Lisbon") from error


def load_settings(
    arguments: Mapping[str, object] | None = None, environment: Mapping[str, str] = os.environ
) -> Settings:
    """Settings from arguments, environment and file; None among the arguments means not given.

    Raises ConfigError, which names the setting and where its value came from.
    """
    values = {name: _typed(name, value, origin) for name, value, origin in _layers(arguments or {}, environment)}
    values.setdefault("store", _default_store(environment))
    return Settings(**values)  # type: ignore[arg-type]  # checked by _typed


def setting_origins(
    arguments: Mapping[str, object] | None = None, environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Where the value of each setting comes from: `--store`, `RICORDO_STORE`, a file's path, or `default`."""
    found = {name: origin for name, _, origin in _layers(arguments or {}, environment)}
    return {name: found.get(name, "default") for name in _TYPES}


def _layers(arguments: Mapping[str, object], environment: Mapping[str, str]) -> Iterator[tuple[str, object, str]]:
    """(name, value, origin) from file, environment and arguments; a later one counts."""
    file = config_file(environment)
    for name, value in _read(file).items():
        yield name, value, str(file)
    for name in _TYPES:
        if text := environment.get(PREFIX + name.upper()):
            yield name, text, PREFIX + name.upper()
    for name, value in arguments.items():
        if value is not None:
            yield name, value, f"--{name}"


_TYPES = {entry.name: {"str": str, "int": int, "float": float}[str(entry.type)] for entry in fields(Settings)}


def _read(file: Path) -> Mapping[str, object]:
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError("config.toml", str(file), str(error)) from error
    unknown = sorted(set(found) - set(_TYPES))
    if unknown:
        known = ", ".join(sorted(_TYPES))
        raise ConfigError(unknown[0], str(file), f"is not a setting; the settings are {known}")
    return found


def _typed(name: str, value: object, origin: str) -> object:
    kind = _TYPES[name]
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            return kind(value)
        except ValueError:
            pass
    raise ConfigError(name, origin, f"{value!r} is not {'a number' if kind is not str else 'a text'}")
