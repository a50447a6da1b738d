from __future__ import annotations

import string
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory import Memory, Origin
from ricordo.secrets import RULES, count_secrets, redact, redacted

NOW = datetime(2026, 11, 16, tzinfo=UTC)
# Written in two halves, so that nobody's scanner takes the test for a leak.
MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "0123456789abcdef" * 4
SECRETS = [
    ("anthropic-key", "sk-ant-" + "api03-" + MIXED),
    ("openrouter-key", "sk-or-" + "v1-" + HEX),
    ("openai-key", "sk-" + "proj-" + MIXED),
    ("openai-key", "sk-" + MIXED),
    ("stripe-key", "sk_" + "live_" + MIXED[:24]),
    ("github-token", "gh" + "p_" + MIXED[:36]),
    ("github-token", "github_" + "pat_" + MIXED + MIXED[:22]),
    ("gitlab-token", "gl" + "pat-" + MIXED[:20]),
    ("slack-token", "xox" + "b-1234567890-" + MIXED[:24]),
    ("slack-webhook", "https://hooks." + "slack.com/services/T00000001/B00000001/" + MIXED[:24]),
    ("aws-key-id", "AK" + "IAIOSFODNN7EXAMPLE"),
    ("google-key", "AI" + "za" + MIXED[:35]),
    ("huggingface-token", "hf" + "_" + MIXED[:34]),
    ("npm-token", "npm" + "_" + MIXED[:36]),
    ("pypi-token", "pypi-" + "AgEIcHlwaS5vcmc" + MIXED + MIXED),
    ("sendgrid-key", "SG" + "." + MIXED[:22] + "." + MIXED + "abc"),
    ("digitalocean-token", "dop" + "_v1_" + HEX),
    ("telegram-token", "123456789" + ":AA" + MIXED[:33]),
    ("json-web-token", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0." + MIXED),
    ("age-key", "AGE-" + "SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" + "QPZRY9X8GF2TVDW0S3JN54KHCE"),
    ("card-number", "4111 1111" + " 1111 1111"),
    ("card-number", "3782-822463" + "-10005"),
    ("card-number", "5555555555" + "554444"),
]
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + f"{MIXED}\n" * 20


@pytest.mark.parametrize(
    ("rule", "secret"), SECRETS, ids=[f"{rule}-{place}" for place, (rule, _) in enumerate(SECRETS)]
)
def test_each_rule_finds_its_secret_wherever_it_stands(rule: str, secret: str) -> None:
    for text in (secret, f"The key is {secret}, keep it.", f'token="{secret}"', f"ключ:{secret}\nend"):
        done = redact(text)
        assert done.text == text.replace(secret, f"[redacted: {rule}]")
        assert done.counts == {rule: 1}


@pytest.mark.parametrize("end", ["-----END RSA " + "PRIVATE KEY-----", ""])
def test_a_private_key_goes_whole_even_if_its_end_is_missing(end: str) -> None:
    text = (PEM.replace("Proc-Type: 4,ENCRYPTED\n\n", "") + end).rstrip()
    assert redact(f"before\n{text}\nafter").text == "before\n[redacted: private-key]\nafter"


def test_a_locked_private_key_goes_with_its_headers() -> None:
    assert redact(f"{PEM}-----END RSA " + "PRIVATE KEY----- x").text == "[redacted: private-key] x"


def test_a_password_in_a_url_goes_and_the_url_stays() -> None:
    done = redact("postgresql://mira:hunter2@db.example:5432/app and redis://:s3cret@cache")
    sign = "[redacted: password-in-url]"
    assert done.text == f"postgresql://mira:{sign}@db.example:5432/app and redis://:{sign}@cache"
    assert done.counts == {"password-in-url": 2}


def test_what_names_a_secret_stays() -> None:
    assert redact(f"aws_secret_access_key = {MIXED}").text == "aws_secret_access_key = [redacted: aws-secret-key]"
    assert redact(f"Authorization: Bearer {MIXED}").text == "Authorization: Bearer [redacted: bearer-token]"


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256 " + HEX,
        "id 7c1b7a9a-7f0e-4a55-9a2b-52c6a4a4c1de",
        "card 4111 1111 1111 1112",
        "timestamp 1700000000000000",
        "phone +7 495 123-45-67, ISBN 978-3-16-148410-0",
        "IBAN DE89 3704 0044 0532 0130 00",
        "set sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "postgresql://user:${PASSWORD}@host/db and https://user:***@host",
        "https://example.org:8443/@mira and ssh://git@example.org:22/a@b",
        "time 10:30:45, ratio 4.1111111111111111",
        "skill sk-learn, mask_live_view, a ghp_short",
        "Begin with the PRIVATE KEY of the house",
        "0000 0000 0000 0000",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text).text == text


def test_counts_name_rules_and_never_the_text() -> None:
    texts = [f"{secret} and {secret}" for _, secret in SECRETS[:3]]
    assert count_secrets([*texts, "nothing here"]) == {"anthropic-key": 2, "openai-key": 2, "openrouter-key": 2}


def memory(text: str, **more: object) -> Memory:
    origin = Origin(kind="text", uri="file:///a.txt")
    return Memory(text=text, origin=origin, created_at=NOW, updated_at=NOW, **more)  # type: ignore[arg-type]


def test_a_memory_is_redacted_in_every_part_and_its_id_forgets_the_secret() -> None:
    key = SECRETS[0][1]
    before = memory(f"use {key}", context=key, tags=(key,), metadata={"keys": [key, {"k": key}], "n": 1})
    after = redacted(before)
    assert key not in repr(after)
    assert after.metadata["n"] == 1
    assert after.id == memory("use [redacted: anthropic-key]", context="[redacted: anthropic-key]").id


def test_an_id_that_was_given_is_kept() -> None:
    assert redacted(memory(f"use {SECRETS[0][1]}", id="given")).id == "given"


def test_a_memory_without_a_secret_is_the_very_same() -> None:
    plain = memory("nothing", metadata={"a": [1]})
    assert redacted(plain) is plain


mixed = st.lists(
    st.one_of(
        st.sampled_from([secret for _, secret in SECRETS] + [PEM, "-----END RSA PRIVATE KEY-----"]),
        st.sampled_from([" ", "-", "_", ":", "@", "://", "/", "\n", "0", "eyJ", "sk-", "AKIA", "Bearer "]),
        st.text(max_size=8),
    ),
    max_size=8,
).map("".join)


@given(mixed)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert (once.text == text) == (not once.counts)


@given(st.text(st.sampled_from(string.ascii_letters + " .,!?\n«»—яёжñç"), max_size=300))
def test_prose_is_never_changed(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "eyJ" * 100_000,
        "4" * 300_000,
        "4 " * 200_000,
        "sk-" * 100_000,
        "a://" * 100_000,
        "-----BEGIN PRIVATE KEY-----" * 3000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    assert redact(text).text


def test_names_are_words_for_people() -> None:
    assert all(rule.name.replace("-", "").isalpha() for rule in RULES)
