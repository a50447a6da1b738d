"""What the doctor says of sets of vectors, by what is in the store, what is in force and what is installed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ricordo.cli.vectorsets import vector_sets
from ricordo.models.inventory import makers
from ricordo.protocols import Stats
from ricordo.render.reports import Finding
from ricordo.testing import HashEmbedder

HASH, TOKENS = HashEmbedder.fingerprint, HashEmbedder.token_fingerprint


def findings(
    vectors: Mapping[str, int], tokens: Mapping[str, int], *, installed: Mapping[str, str] | None = None
) -> list[Finding]:
    """Over ten chunks, with the hashing embedder in force."""
    stats = Stats(
        memories=10,
        chunks=10,
        namespaces={"a": 10},
        store="memory:",
        schema_version=1,
        size_bytes=0,
        embedders=vectors,
        token_embedders=tokens,
    )
    return list(vector_sets(stats, HashEmbedder(), installed or {}, tokens_stored=True))


def test_nothing_is_said_where_nothing_is_missing() -> None:
    assert findings({HASH: 10}, {TOKENS: 10}) == []


@pytest.mark.parametrize(
    ("vectors", "tokens", "said"),
    [
        (0, 0, [("vectors", "fault")]),
        (7, 7, [("vectors", "fault")]),
        (10, 7, [("token vectors", "note")]),
        (7, 0, [("vectors", "fault"), ("token vectors", "note")]),
    ],
)
def test_what_is_missing_is_said_once(vectors: int, tokens: int, said: list[tuple[str, str]]) -> None:
    found = findings({HASH: vectors}, {TOKENS: tokens})

    assert [(each.name, each.status) for each in found] == said
    assert {each.mend for each in found} == {"ricordo store embed"}


@pytest.mark.parametrize(
    ("fingerprint", "installed", "message", "mend"),
    [
        (
            "all-minilm-l6-v2/1/int8",
            {"all-minilm-l6-v2/1/int8": "all-minilm-l6-v2"},
            "installed, but not in force",
            "ricordo store drop-vectors all-minilm-l6-v2; or search with --embedder all-minilm-l6-v2",
        ),
        (
            "all-minilm-l6-v2/0/int8",
            {"all-minilm-l6-v2/1/int8": "all-minilm-l6-v2"},
            "is another revision, and cannot search them",
            "ricordo store drop-vectors all-minilm-l6-v2",
        ),
        (
            "Xenova/bge-m3/1/int8",
            {},
            "no model that is installed can search them",
            "ricordo store drop-vectors Xenova/bge-m3; or run: ricordo models fetch Xenova/bge-m3",
        ),
        (
            "local:my-model/1/local",
            {},
            "no model that is installed can search them",
            "ricordo store drop-vectors local:my-model; or name its folder with --embedder local:FOLDER",
        ),
        ("gone/1/passage: ", {}, "no model that is installed can search them", "ricordo store drop-vectors gone"),
        ("hash-words/0/passage: ", {}, "no model that is", "ricordo store drop-vectors hash-words/0"),
    ],
)
def test_a_set_that_is_not_in_force_is_named_with_what_can_be_done(
    fingerprint: str, installed: Mapping[str, str], message: str, mend: str
) -> None:
    (found,) = findings({HASH: 10, fingerprint: 4}, {TOKENS: 10, f"{fingerprint}/tokens/6": 4}, installed=installed)

    assert (found.name, found.status) == ("vectors", "note")
    assert (found.mend or "").startswith(mend)
    assert found.message.startswith(f"4 by {fingerprint}: ")
    assert message in found.message


def test_token_vectors_of_another_layer_are_a_set_of_their_own() -> None:
    (found,) = findings({HASH: 10}, {TOKENS: 10, "hash-words/1/64/old tokens": 4})

    assert (found.name, found.mend) == ("token vectors", "ricordo store drop-vectors 'hash-words/1/64/old tokens'")


def test_two_revisions_that_nothing_searches_are_named_apart() -> None:
    found = findings({HASH: 10, "gone/1/q": 4, "gone/2/q": 4}, {TOKENS: 10})

    assert [each.mend for each in found] == ["ricordo store drop-vectors gone/1", "ricordo store drop-vectors gone/2"]


def test_installed_models_are_known_by_both_fingerprints() -> None:
    assert [name for name, model in makers().items() if model == "all-minilm-l6-v2"] == [
        "all-minilm-l6-v2/8199be6f-be50c362/int8/mean/384",
        "all-minilm-l6-v2/8199be6f-be50c362/int8/mean/384/tokens/6/uncentred",
    ]
