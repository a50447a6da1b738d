from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.chunking import WORDS_LIMIT, StructureChunker, count_words, word_chunker
from ricordo.errors import InvalidInput
from ricordo.memory import Chunk, Memory, Origin
from ricordo.sentences import sentence_starts

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
ORIGIN = Origin(kind="text", uri="file:///notes.txt")


def memory(text: str, context: str = "") -> Memory:
    return Memory(text=text, origin=ORIGIN, created_at=NOW, updated_at=NOW, context=context, group="g", speaker="Mira")


def by_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def by_characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def cut(text: str, limit: int = 20, *, context: str = "") -> tuple[Chunk, ...]:
    return StructureChunker(measure=by_words, limit=limit, name="words").chunks(memory(text, context))


def texts(text: str, limit: int = 20) -> list[str]:
    return [chunk.text for chunk in cut(text, limit)]


def passage(chunk: Chunk) -> str:
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def said(text: str) -> str:
    return "".join(text.split())


def numbered(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{number}" for number in range(count))


# --- what always holds ---

nasty = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.sampled_from(
            [
                "\n\n",
                "\n",
                ". ",
                "```\n",
                "- ",
                "# ",
                "| a | b |\n",
                "|---|---|\n",
                "。",
                "é",
                "👩‍👩‍👧",
                "\r",
                "\u2028",
                "\x1f",
            ]
        ),
        st.integers(0, 400).map(lambda size: "".join(chr(0x4E00 + size + index) for index in range(size))),
        st.integers(0, 300).map(lambda size: f"{size}x" * size),
    ),
    max_size=30,
).map("".join)


@given(
    nasty.filter(str.strip),
    st.text(max_size=80),
    st.integers(16, 80),
    st.sampled_from([by_words, by_characters, count_words]),
)
def test_every_chunk_fits_and_nothing_is_lost(
    text: str, context: str, limit: int, measure: Callable[[Sequence[str]], list[int]]
) -> None:
    chunks = StructureChunker(measure=measure, limit=limit, name="m").chunks(memory(text, context))
    assert chunks
    assert all(count <= limit for count in measure([passage(chunk) for chunk in chunks]))
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert_covers(chunks, said(text))


def assert_covers(chunks: Sequence[Chunk], whole: str) -> None:
    """Every character lies in a chunk, and chunks begin in the order of the text."""
    covered = bytearray(len(whole))
    begin = 0
    for chunk in chunks:
        piece = said(chunk.text)
        begin = whole.find(piece, begin)
        assert begin >= 0
        for match in re.finditer(f"(?={re.escape(piece)})", whole):
            covered[match.start() : match.start() + len(piece)] = b"\1" * len(piece)
    assert all(covered)


@given(nasty.filter(str.strip))
def test_cutting_twice_gives_the_same_ids(text: str) -> None:
    assert [chunk.id for chunk in cut(text)] == [chunk.id for chunk in cut(text)]


def test_a_memory_that_fits_is_one_chunk_with_its_text_and_all_fields() -> None:
    (chunk,) = cut("  as it *stands*\n\n\n", context="Title › Heading")
    assert chunk == Chunk(
        memory_id=memory("  as it *stands*\n\n\n", "Title › Heading").id,
        origin_uri=ORIGIN.uri,
        text="  as it *stands*\n\n\n",
        context="Title › Heading",
        group="g",
        speaker="Mira",
    )


def test_the_name_tells_limit_and_measure() -> None:
    names = {StructureChunker(measure=by_words, limit=limit, name=name).name for limit in (20, 21) for name in "ab"}
    assert len(names) == 4


def test_a_limit_too_small_to_say_anything_is_refused() -> None:
    with pytest.raises(InvalidInput, match="16"):
        StructureChunker(measure=by_words, limit=15, name="words")


# --- where it is cut ---


def test_paragraphs_are_kept_whole_and_short_ones_share_a_chunk() -> None:
    first, second, third = numbered(6, "a"), numbered(6, "b"), numbered(15, "c")
    assert texts(f"{first}\n\n{second}\n\n{third}") == [f"{first}\n\n{second}", third]


def test_a_code_fence_with_blank_lines_stays_whole_when_it_fits() -> None:
    code = "```py\na = 1\n\nb = 2\n\nc = 3\n```"
    assert texts(f"{numbered(15)}\n\n{code}\n\n{numbered(15, 'x')}")[1] == code


def test_a_fence_in_a_list_stays_whole() -> None:
    item = "- run\n\n  ```sh\n  one\n\n  two\n  ```"
    assert any("```sh\n  one\n\n  two\n  ```" in text for text in texts(f"{numbered(18)}\n\n{item}"))


def test_a_table_stays_whole_when_it_fits() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert texts(f"{numbered(15)}\n\n{table}\n\n{numbered(15, 'x')}")[1] == table


def test_a_long_list_is_cut_between_its_items() -> None:
    listing = "\n".join(f"- {numbered(7, f'i{item}w')}" for item in range(6))
    assert all(text.startswith("- i") for text in texts(listing))


def test_a_nested_item_stays_with_its_own() -> None:
    item = "- outer {0}\n  - inner one {0}\n  - inner two {0}"
    assert all(text.startswith("- outer") for text in texts("\n".join(item.format(letter) for letter in "abcdef")))


def test_a_heading_goes_with_what_it_heads() -> None:
    found = texts(f"{numbered(14)}\n\n## Keys\n\n{numbered(12, 'key')}")
    assert found[1].startswith("## Keys\n\nkey0")


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentences = [f"The {numbered(6, f's{number}w')}." for number in range(8)]
    assert all(text.endswith(".") and text.startswith("The") for text in texts(" ".join(sentences)))


def test_lines_wrapped_by_hand_are_not_taken_for_ends() -> None:
    wrapped = (
        "One two three four five\nsix seven. Eight nine ten\neleven twelve thirteen fourteen. Fifteen sixteen\nall."
    )
    assert texts(f"{wrapped} Seventeen eighteen nineteen.", 16)[0].endswith(("seven.", "fourteen."))


def test_only_a_chunk_that_begins_inside_a_sentence_repeats_words() -> None:
    first, second, *_ = texts(numbered(60), 32)
    assert second.split()[0] in first.split()
    paragraphs = texts("\n\n".join(numbered(15, letter) for letter in "abc"))
    assert sum(by_words(paragraphs)) == 45


def test_no_tiny_tail_is_left() -> None:
    assert [len(text.split()) for text in texts("\n".join(f"- item {number}" for number in range(7)))] == [12, 9]


def test_a_word_without_end_is_cut() -> None:
    line = "".join(f"{number:04d}Ab" for number in range(1700))
    chunks = StructureChunker(measure=by_words, limit=100, name="words").chunks(memory(line))
    assert len(chunks) > 5
    assert "".join(chunk.text for chunk in chunks) == line


def test_marks_stay_with_their_character() -> None:
    line = "".join(f"{chr(0x61 + number % 26)}\u0301" for number in range(500))
    chunks = StructureChunker(measure=by_characters, limit=50, name="c").chunks(memory(line))
    assert not any(chunk.text.startswith("\u0301") for chunk in chunks)


def test_of_two_pieces_alike_the_first_is_kept() -> None:
    assert texts("\n\n".join([numbered(15)] * 3)) == [numbered(15)]


# --- context ---


def test_a_long_context_loses_its_outer_parts_first() -> None:
    chunks = cut(numbered(40), 30, context=f"{numbered(9, 'title')} › Middle heading › Inner heading")
    assert {chunk.context for chunk in chunks} == {"Middle heading › Inner heading"}


def test_a_context_that_is_one_long_heading_keeps_its_end() -> None:
    assert cut(numbered(40), 30, context=numbered(50, "h"))[0].context == "h40 h41 h42 h43 h44 h45 h46 h47 h48 h49"


@pytest.mark.parametrize("heading", ["## Spare *key* ##", "Spare *key*\n-----------"])
def test_later_chunks_carry_the_heading_that_opens_the_text(heading: str) -> None:
    first, second, *_ = cut(f"{heading}\n\n{numbered(50)}", 30, context="House")
    assert first.context == "House"
    assert second.context == "House › Spare *key*"


# --- sentences ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We left.", ["It rained. ", "We left."]),
        ("Dr. Smith met Mr. Jones at 5 p.m. sharp.", ["Dr. Smith met Mr. Jones at 5 p.m. sharp."]),
        ("Version 3.11.2 costs 1.5 euro. See https://a.example/b. Done!", 3),
        ("See e.g. Fig. 3, vol. 2. The end.", ["See e.g. Fig. 3, vol. 2. The end."]),
        ("“Really?” She laughed. “Yes.” He left.", 4),
        ("Он ушёл. Она осталась… и ждала. Всё!", ["Он ушёл. ", "Она осталась… и ждала. ", "Всё!"]),
        ("В 1812 г. Наполеон, т.е. император, и А. С. Пушкин.", 1),
        ("Живу на ул. Ленина, д. 5. Приходи.", 1),
        ("El Sr. García vive en EE.UU. desde 1990. ¿Dónde? ¡Allí!", 3),
        ("A Sra. Silva chegou. Não ficou.", ["A Sra. Silva chegou. ", "Não ficou."]),
        ("我们走了。他来了！好", ["我们走了。", "他来了！", "好"]),
        ("wait... what", ["wait... what"]),
    ],
)
def test_sentences(text: str, expected: list[str] | int) -> None:
    starts = [0, *sentence_starts(text), len(text)]
    found = [text[start:end] for start, end in pairwise(starts)]
    assert found == expected if isinstance(expected, list) else len(found) == expected


# --- words ---


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("one two  three\nfour", 4),
        ("ключ от дачи", 3),
        ("我们走了", 4),
        ("Q8_0 в строке", 3),
        ("x" * 10_000, 500),
    ],
)
def test_words_are_counted_sensibly(text: str, count: int) -> None:
    assert count_words([text]) == [count]


def test_without_an_embedder_chunks_have_some_two_hundred_words() -> None:
    counts = count_words([chunk.text for chunk in word_chunker().chunks(memory(numbered(5000)))])
    assert max(counts) == WORDS_LIMIT
    assert min(counts) > WORDS_LIMIT // 4


def test_a_chunk_that_begins_within_a_table_knows_its_columns() -> None:
    rows = [f"| key{number} | the hook number {number} in the hall |" for number in range(30)]
    head = "| name | where it hangs |"
    text = "\n".join(["# Keys", "", head, "|---|---|", *rows, "", "That is all of them."])
    chunks = cut(text, 60)
    assert len(chunks) > 2
    assert head in chunks[0].text
    within = [chunk for chunk in chunks[1:] if chunk.text.startswith("| key")]
    assert within
    assert all(chunk.context.endswith(f"\n{head}") for chunk in within)
    assert {row for chunk in chunks for row in chunk.text.split("\n")} >= set(rows)
    assert all(len(passage(chunk).split()) <= 60 for chunk in chunks)


def test_a_head_that_is_too_wide_is_not_repeated() -> None:
    head = "|" + " a wide column |" * 10
    text = "\n".join([head, "|---" * 10 + "|", *["| cell" * 10 + "|"] * 20])
    assert all("wide" not in chunk.context for chunk in cut(text, 60))
