"""Memories of one household and one team in English and Russian, as many as are wanted, always the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from ricordo.memory import EventTime, Memory, Origin

__all__ = ["memories"]

BEGIN = datetime(2023, 1, 9, 8, tzinfo=UTC)
PEOPLE = ("Dana", "Mira", "Oleg", "Priya", "Tomás", "Inês", "Соня", "Марина", "Глеб", "Тимур")
THINGS = (
    "the staging database",
    "the garden gate",
    "the payment service",
    "the boiler",
    "the release branch",
    "the car",
)
ВЕЩИ = ("базу данных", "калитку", "сервис оплаты", "котёл", "ветку релиза", "машину")
PLACES = ("Lisbon", "Porto", "the office", "Kazan", "the dacha")
МЕСТА = ("Лиссабоне", "Порту", "офисе", "Казани", "даче")
ENGLISH = (
    "{who} moved {thing} to {place}; ticket OPS-{n}",
    "{who} says that {thing} must be checked every {m} days",
    "Agreed with {who}: {thing} stays in {place} until invoice {n} is paid",
    "The code for {thing} in {place} is {n}",
    "{who} is allergic to nuts and does not eat in {place}",
)
ПО_РУССКИ = (
    "{who} проверяет {вещь} раз в {m} дней, заявка OPS-{n}",
    "Договорились, что {who} отдаст ключи от {вещь} в {место}",
    "Код от {вещь} в {место} — {n}",
    "{who} говорит, что {вещь} починят после оплаты счёта {n}",
    "{who} не ест орехи, это важно на {место}",
)


def memories(number: int, seed: int = 7) -> Iterator[Memory]:
    """Notes of conversations of six turns each, spread over almost four years."""
    chance = random.Random(seed)  # the same each time
    step = timedelta(days=1370) / number
    for place in range(number):
        moment = BEGIN + step * place + timedelta(minutes=chance.randrange(600))
        conversation = place // 6
        yield Memory(
            text=_said(chance),
            origin=Origin(
                kind="chat", uri=f"chat:{conversation // 20}", title=f"Conversations {conversation // 20 + 1}"
            ),
            created_at=moment + timedelta(hours=1),
            updated_at=moment + timedelta(hours=1),
            event_timestamp=moment,
            group=f"chat:{conversation}",
            speaker=chance.choice(PEOPLE),
            position=place % 120,
            tags=(chance.choice(("home", "work", "дом", "работа")),),
        ).happened(EventTime(start=moment))


def _said(chance: random.Random) -> str:
    form = chance.choice(ENGLISH + ПО_РУССКИ)
    return form.format(
        who=chance.choice(PEOPLE), thing=chance.choice(THINGS), place=chance.choice(PLACES),
        вещь=chance.choice(ВЕЩИ), место=chance.choice(МЕСТА), n=chance.randrange(1000, 9999), m=chance.randrange(2, 30),
    )  # fmt: skip
