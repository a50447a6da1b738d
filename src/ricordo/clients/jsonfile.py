"""Servers and hooks in the text of a JSON configuration; pure.

Each edit parses the text, changes one place in it, and leaves the rest to the next: files are small, and offsets that
an earlier edit moved are the usual fault of such code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ricordo.clients.entries import NAME, hook_event, is_own_server
from ricordo.clients.jsonc import Malformed, Node, line_of, parse
from ricordo.clients.splice import Style, add, cut, style_of

__all__ = ["JsonHooks", "JsonServer", "has_plugin"]

EMPTY = "{}"


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonServer:
    """The entry of the MCP server in an object of servers that a client calls `mcpServers` or `servers`."""

    key: str

    def found(self, text: str) -> Mapping[str, object] | None:
        """The entry of our name, whoever wrote it. Raises Malformed."""
        node = _root(text).walk(self.key, NAME)
        value = node.value() if node is not None else None
        return value if isinstance(value, dict) else None

    def put(self, text: str, entry: Mapping[str, object]) -> str:
        """The text with the entry, which must not be there. Raises Malformed."""
        text, style = _started(text)
        text = _with_holder(text, (self.key,), "object", style)
        return add(text, _held(text, self.key), dict(entry), style, NAME)

    def taken(self, text: str, kept: str) -> str:
        """The text without the entry, if it is ours, and without what held it alone, unless that is in `kept`.

        Raises Malformed.
        """
        if not text.strip() or not is_own_server(self.found(text)):
            return text
        holder = _held(text, self.key)
        place = next(place for place, member in enumerate(holder.members) if member.key == NAME)
        return _without_empty(cut(text, holder, place), (self.key,), kept)


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonHooks:
    """Our hooks among those of others: `hooks` → event → groups → handlers."""

    def found(self, text: str) -> dict[str, list[str]]:
        """The command lines of our hooks by the client's name of the event. Raises Malformed."""
        hooks = _root(text).walk("hooks")
        return {
            event.key: lines
            for event in (hooks.members if hooks is not None else ())
            if (lines := [str(command) for group in event.node.items for command in _own_commands(group)])
        }

    def put(self, text: str, handlers: Mapping[str, Mapping[str, object]]) -> str:
        """The text with a group for each event, behind those that are there. Raises Malformed."""
        text, style = _started(text)
        for event, handler in handlers.items():
            text = _with_holder(text, ("hooks",), "object", style)
            text = _with_holder(text, ("hooks", event), "array", style)
            text = add(text, _held(text, "hooks", event), {"hooks": [dict(handler)]}, style)
        return text

    def taken(self, text: str, kept: str) -> str:
        """The text without our hooks, and without what held them alone, unless that is in `kept`. Raises Malformed."""
        while text.strip() and (found := self.found(text)):
            event = next(iter(found))
            text = _without_one(text, _held(text, "hooks", event))
            text = _without_empty(text, ("hooks", event), kept)
        return text


def has_plugin(text: str) -> bool:
    """Whether the settings of Claude Code have the plugin of our name switched on. Raises Malformed."""
    plugins = _root(text).get("enabledPlugins")
    members = plugins.members if plugins is not None else []
    return any(member.key.startswith(f"{NAME}@") and member.node.scalar is True for member in members)


def _root(text: str) -> Node:
    root = parse(text if text.strip("\ufeff \t\r\n") else EMPTY)
    if root.kind != "object":
        raise Malformed(1, "the file should hold an object, between { and }")
    return root


def _started(text: str) -> tuple[str, Style]:
    """A text that holds an object at least, and its style."""
    style = style_of(text)
    bare = text.strip("\ufeff \t\r\n")
    _root(text)
    return (text if bare else f"{text[: text.startswith(chr(0xFEFF))]}{EMPTY}{style.newline}"), style


def _held(text: str, *keys: str) -> Node:
    node = _root(text).walk(*keys)
    if node is None:
        raise Malformed(1, f"{'.'.join(keys)} is missing")
    return node


def _with_holder(text: str, keys: tuple[str, ...], kind: str, style: Style) -> str:
    """The text with an object or array at the end of the keys; all but the last are there."""
    node = _root(text).walk(*keys)
    if node is None:
        return add(text, _held(text, *keys[:-1]), {} if kind == "object" else [], style, keys[-1])
    if node.kind != kind:
        raise Malformed(line_of(text, node.start), f"{'.'.join(keys)} should be an {kind}")
    return text


def _own_commands(group: Node) -> list[object]:
    handlers = group.get("hooks")
    items = handlers.items if handlers is not None else []
    return [command.scalar for item in items if hook_event(item.value()) and (command := item.get("command"))]


def _without_one(text: str, groups: Node) -> str:
    """The text without the first of our handlers, and without its group if it was alone there."""
    for place, group in enumerate(groups.items):
        if not _own_commands(group):
            continue
        handlers = group.get("hooks")
        if handlers is None or len(handlers.items) == 1:
            return cut(text, groups, place)
        own = next(at for at, handler in enumerate(handlers.items) if hook_event(handler.value()))
        return cut(text, handlers, own)
    return text


def _without_empty(text: str, keys: tuple[str, ...], kept: str) -> str:
    """The text without the holders along a path of keys that hold nothing, from the innermost on."""
    before = _root(kept)
    while keys:
        node = _root(text).walk(*keys)
        if node is None or node.members or node.items or before.walk(*keys) is not None:
            return text
        holder = _held(text, *keys[:-1])
        text = cut(text, holder, next(at for at, member in enumerate(holder.members) if member.key == keys[-1]))
        keys = keys[:-1]
    return text
