"""Short notes in English and Russian, as people leave them, and questions about them. Seeded: the same every time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from ricordo.memory import Memory, Origin
from ricordo.query import EVERYTHING, Filters, TimeRange

__all__ = ["FIRST_DAY", "KINDS", "TAGS", "Question", "memories", "questions"]

FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
DAYS = 1000
NOTES_PER_FILE = 20
RUSSIAN_SHARE = 0.3

TAGS = ("work", "home", "health", "travel", "money", "reading", "servers", "people")
KINDS = ("rare", "mixed", "common", "identifier", "russian", "tag", "time")


def _words(text: str) -> list[str]:
    return text.split()


_PEOPLE = _words(
    "Mira Tomas Ines Pavel Aiko Lena Oscar Nadia Jonas Priya Felix Carla Anton Ruth Diego Yara Milan Elsa Hugo "
    "Vera Bruno Alma Ivan Greta Pedro Noor Stefan Julia Marco Sofia Emil Clara Rafael Hanna Viktor Luisa Omar "
    "Freya Leon Amira Kenji Paula Adam Teresa Boris Lucia Erik Dalia Simon Irene"
)
_THINGS = _words(
    "server database backup invoice contract password laptop router garden kitchen passport ticket report "
    "budget printer camera bicycle battery heating window script library release branch cluster certificate "
    "domain mailbox boiler mattress guitar tripod keyboard monitor charger antenna scanner freezer ladder "
    "curtain carpet fence shed roof gutter chimney balcony cellar garage trailer canoe tent stove lantern "
    "compass telescope microscope piano violin easel canvas notebook folder envelope stamp parcel voucher "
    "receipt warranty lease deposit pension mortgage licence visa vaccine prescription crutch thermometer "
    "bandage syringe helmet saddle harness anchor rudder propeller gearbox clutch radiator bumper windscreen "
    "dashboard odometer firewall gateway proxy scheduler compiler parser index replica snapshot queue "
    "container namespace webhook token"
)
_PLACES = _words(
    "Lisbon Berlin Tartu Porto Kyoto Madrid Riga Turin Bergen Lyon Dublin Ghent Oslo Prague Graz Basel Malmo "
    "Turku Vilnius Krakow Leipzig Bremen Utrecht Bruges Nantes Bilbao Braga Coimbra Trieste Zagreb Split Sofia "
    "Varna Izmir Haifa Osaka Seoul Lima Quito Bogota"
)
_VERBS = _words(
    "moved checked replaced sold ordered repaired renamed cancelled paid approved lost found cleaned tested "
    "borrowed returned painted measured weighed photographed scanned copied deleted archived restored upgraded "
    "insured inspected rented donated recycled wrapped labelled hid unpacked sharpened polished reset"
)
_TOPICS = _words(
    "migration security billing hiring insurance training translation monitoring recycling scheduling "
    "onboarding encryption accounting gardening nutrition sailing photography procurement compliance logistics "
    "marketing taxation retirement parenting homework gymnastics climbing cycling fencing chess pottery baking "
    "brewing beekeeping astronomy geology linguistics statistics caching logging profiling refactoring "
    "deployment indexing sharding tracing budgeting auditing forecasting"
)
_ENGLISH = (
    "{person} {verb} the {thing} of {name} in {place} because the old one kept failing.",
    "The {topic} of project {name} is late; {person} wants the {thing} by the end of the month.",
    "We agreed with {person} that {name} pays {number} euros for the {thing}.",
    "Remember that the {thing} at the {place} office has the number {identifier}.",
    "{person} said that {topic} is what {name} and {other} should care about this year.",
    "The new {thing} arrived from {name}; it is kept in {place}, next to the {other} boxes.",
    "For {topic} we use {name} now, and it took {person} {number} days to learn it.",
    "The key {identifier} belongs to {name} and must not be used for {topic}.",
    "I read about {topic} in the {name} newsletter and told {person} about it.",
    "Doctor {name} told {person} to walk {number} minutes a day and to sleep more.",
    "The flight to {place} was moved, so the {name} meeting about {topic} is on another day.",
    "{person} prefers {name} tea to {other} coffee and never eats before noon.",
    "Ask {person} for the {thing} before the visit to {place}; {name} keeps the spare one.",
    "{topic} lessons start at nine in the {place} school, teacher {name}, room {number}.",
    "Never put the {thing} near the {other} machine: it broke twice, {person} says.",
    "{name} raised its price to {number} a month, so {person} looks for another {thing}.",
    "Bug {identifier}: the {thing} stops when {topic} runs at night.",
    "My sister {verb} her {thing} and gave the rest to {name}.",
    "Library card {identifier} is for books on {topic}, return them to {place}.",
    "Dinner with {name} and {person} in {place}; bring the {thing}.",
)
_RUSSIAN_PEOPLE = _words(
    "Мира Павел Лена Антон Надя Олег Ирина Сергей Катя Юра Глеб Вера Тимур Зоя Денис Алла Роман Ольга Фёдор "
    "Инна Марк Жанна Артём Дина Борис Раиса"
)
_RUSSIAN_THINGS = _words(
    "сервер договор отчёт паспорт билет ключ пароль роутер ноутбук велосипед счёт заказ архив чемодан телефон "
    "фонарь шкаф диван ковёр холодильник чайник утюг зонт рюкзак журнал словарь проект график бюджет кредит "
    "налог штраф полис рецепт анализ прибор насос кабель экран принтер сканер журавль дневник альбом конверт"
)
_RUSSIAN_PLACES = _words(
    "Москве Казани Томске Перми Самаре Лиссабоне Берлине Тарту Риге Праге Омске Туле Пскове Вологде Калуге "
    "Рязани Воронеже Саратове Сочи Ялте"
)
_RUSSIAN = (
    "{person} отвечает за {thing} проекта {name} и работает в {place}.",
    "Нужно обновить {thing}: старый больше не подходит для {name}, сказала {person}.",
    "Договорились, что {name} платит {number} евро за {thing} до конца месяца.",
    "{person} положила {thing} с номером {identifier} в сейф в {place}.",
    "В {place} встречались с {name}, обсуждали {thing} и планы {other} на год.",
    "{person} любит чай {name}, а кофе {other} больше не пьёт.",
    "Спросить у {name}, куда делся {thing}; последний раз его видели в {place}.",
    "Цена {name} выросла до {number} рублей, ищем другой {thing}.",
    "Ошибка {identifier}: {thing} останавливается ночью, чинит {person}.",
    "{person} переезжает: новый адрес рядом с {name}, дом {number}.",
    "Врач {name} запретил бег, {person} теперь плавает по {number} минут.",
    "Поезд до {other} перенесли, {thing} забрать заранее.",
)
_COMMON = (
    "the {thing} of the project",
    "what did {person} say about it",
    "is it in the office now",
    "where is the new one",
)
_RUSSIAN_COMMON = ("где теперь {thing}", "что сказала {person} про {thing}", "кто отвечает за {thing}")
_SYLLABLES = _words("ba ver ni lo ka su mer ti dra fen go ril ha zo pel qui ra sto ul vi wen xa yo tam bri cas del")


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked, of which kind, with which filters."""

    kind: str
    text: str
    filters: Filters = EVERYTHING


class _Words:
    """Made-up names that follow Zipf's law, identifiers, and the fillings of a template."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        made = random.Random(0)
        self.names = list(
            dict.fromkeys("".join(made.choices(_SYLLABLES, k=made.randint(2, 4))).title() for _ in range(20_000))
        )
        self.weights = list(accumulate(1 / rank for rank in range(3, len(self.names) + 3)))

    def name(self) -> str:
        return self.random.choices(self.names, cum_weights=self.weights)[0]

    def rare_name(self) -> str:
        return self.random.choice(self.names[len(self.names) // 4 :])

    def identifier(self) -> str:
        value = self.random.getrandbits(48)
        return self.random.choice(
            (f"sk-proj-{value:012x}", f"INV-{value % 10**6:06d}", f"10.{value % 250}.{value % 199}.7")
        )

    def fill(self, template: str, people: Sequence[str], things: Sequence[str], places: Sequence[str]) -> str:
        choice = self.random.choice
        return template.format(
            person=choice(people),
            thing=choice(things),
            place=choice(places),
            verb=choice(_VERBS),
            topic=choice(_TOPICS),
            name=self.name(),
            other=self.name(),
            number=self.random.randint(2, 900),
            identifier=self.identifier(),
        )

    def english(self) -> str:
        return self.fill(self.random.choice(_ENGLISH), _PEOPLE, _THINGS, _PLACES)

    def russian(self) -> str:
        return self.fill(self.random.choice(_RUSSIAN), _RUSSIAN_PEOPLE, _RUSSIAN_THINGS, _RUSSIAN_PLACES)


def memories(count: int, seed: int = 1) -> Iterator[Memory]:
    """Notes of one to three sentences, 20 to a file, each with a day and one or two tags."""
    words = _Words(seed)
    for number in range(count):
        write = words.russian if words.random.random() < RUSSIAN_SHARE else words.english
        day = FIRST_DAY + timedelta(days=words.random.randrange(DAYS))
        yield Memory(
            text=" ".join(write() for _ in range(words.random.randint(1, 3))),
            context=f"Notes of {day:%B %Y}",
            origin=Origin(kind="markdown", uri=f"file:///notes/{number // NOTES_PER_FILE}.md"),
            created_at=day,
            updated_at=day,
            event_timestamp=day,
            position=number % NOTES_PER_FILE,
            tags=tuple(words.random.sample(TAGS, words.random.randint(1, 2))),
        )


def questions(count: int, stored: Sequence[Memory], seed: int = 2) -> list[Question]:
    """Questions of every kind in turn; identifiers are taken from the stored memories."""
    words = _Words(seed)
    return [_question(KINDS[number % len(KINDS)], words, stored) for number in range(count)]


def _question(kind: str, words: _Words, stored: Sequence[Memory]) -> Question:
    choice = words.random.choice
    if kind == "rare":
        return Question(kind=kind, text=f"{words.rare_name()} {words.rare_name()}")
    if kind == "common":
        return Question(kind=kind, text=choice(_COMMON).format(person=choice(_PEOPLE), thing=choice(_THINGS)))
    if kind == "russian":
        asked = choice(_RUSSIAN_COMMON).format(person=choice(_RUSSIAN_PEOPLE), thing=choice(_RUSSIAN_THINGS))
        return Question(kind=kind, text=f"{asked} {words.name()}")
    if kind == "identifier":
        return Question(kind=kind, text=f"what is {_identifier_of(choice(stored), words)}?")
    text = f"what did {choice(_PEOPLE)} say about the {choice(_THINGS)} and {choice(_TOPICS)} of {words.name()}?"
    if kind == "tag":
        return Question(kind=kind, text=text, filters=Filters(tags=(choice(TAGS),)))
    if kind == "time":
        start = FIRST_DAY + timedelta(days=words.random.randrange(DAYS - 30))
        return Question(
            kind=kind, text=text, filters=Filters(time=TimeRange(start=start, end=start + timedelta(days=30)))
        )
    return Question(kind=kind, text=text)


def _identifier_of(memory: Memory, words: _Words) -> str:
    held = [word.strip(".,;:") for word in memory.text.split() if word.startswith(("sk-proj-", "INV-", "10."))]
    return held[0] if held else words.identifier()
