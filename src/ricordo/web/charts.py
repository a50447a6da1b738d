"""Small plots as rectangles and lines in a box, for a template to draw; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Bar", "Chart", "Part", "bars", "line", "parts"]

WIDTH, HEIGHT = 600.0, 64.0
WIDEST = 24.0
GAP = 0.18
TICKS = 12


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its label, its number, and its rectangle. `named` says whether the label fits below it."""

    label: str
    number: float
    x: float
    y: float
    width: float
    height: float
    named: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """Bars or the points of a line, in a box of this size, and the greatest number in it.

    A label fits below one bar of `every` so many.
    """

    bars: tuple[Bar, ...] = ()
    points: str = ""
    greatest: float = 0
    every: int = 1
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class Part:
    """What a part of a score adds to it or takes from it, as a bar on either side of the middle of 100 units."""

    name: str
    value: float
    x: float
    width: float


def bars(numbers: Mapping[str, float]) -> Chart:
    """One bar a number, in their order, as high as the greatest allows; what is not 0 can be seen."""
    greatest = max(numbers.values(), default=0)
    step = WIDTH / max(1, len(numbers))
    every = max(1, -(-len(numbers) // TICKS))
    drawn = []
    for place, (label, number) in enumerate(numbers.items()):
        height = max(2.0, HEIGHT * number / greatest) if number > 0 else 0.0
        gap = max(step * GAP, step - WIDEST)
        drawn.append(
            Bar(label, number, round(place * step + gap / 2, 2), round(HEIGHT - height, 2),
                round(step - gap, 2), round(height, 2), place % every == 0)
        )  # fmt: skip
    return Chart(bars=tuple(drawn), greatest=greatest, every=every)


def line(numbers: Sequence[float]) -> Chart:
    """Numbers at even distances, the first at the left."""
    greatest = max(numbers, default=0)
    step = WIDTH / max(1, len(numbers) - 1)
    scale = HEIGHT / greatest if greatest else 0.0
    points = " ".join(f"{place * step:.1f},{HEIGHT - number * scale:.1f}" for place, number in enumerate(numbers))
    return Chart(points=points, greatest=greatest)


def parts(values: Mapping[str, float], most: int = 10) -> tuple[Part, ...]:
    """The parts that count most, as long as the greatest of them allows."""
    chosen = sorted(values.items(), key=lambda part: (-abs(part[1]), part[0]))[:most]
    greatest = max((abs(value) for _, value in chosen), default=0) or 1.0
    return tuple(
        Part(name, value, round(50 - 50 * max(0.0, -value / greatest), 1), round(50 * abs(value) / greatest, 1))
        for name, value in chosen
    )
