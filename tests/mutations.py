"""Documents with one thing changed: what hostile files are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

__all__ = ["changed", "places"]


def places(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The way to each value within, itself first."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def changed(value: object, path: tuple[object, ...], change: Callable[[object], object]) -> object:
    """A copy in which what stands at the place was changed."""
    if not path:
        return change(value)
    if isinstance(value, dict):
        return {key: changed(each, path[1:], change) if key == path[0] else each for key, each in value.items()}
    assert isinstance(value, list)
    return [changed(each, path[1:], change) if key == path[0] else each for key, each in enumerate(value)]
