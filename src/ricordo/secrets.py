"""Secrets in a text: keys of known vendors, tokens, private keys, card numbers, passwords in URLs; pure.

Each rule knows its secrets by a mark that nothing else bears: a vendor's prefix, the armour of a private key, a
check digit. High entropy alone is no mark; commit ids and digests have it too. Forms follow the vendors'
documentation and the rules of gitleaks (MIT).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ricordo.memory import Json, Memory, Origin, digest

__all__ = ["RULES", "Redacted", "count_secrets", "nameless", "redact", "redacted", "rules_revision"]

# The digit groups that issuers of cards use: first digits → lengths.
CARD_LENGTHS = {
    "4": (13, 16, 19),
    "34": (15,),
    "37": (15,),
    "36": (14,),
    "38": (14,),
    "62": (16, 17, 18, 19),
    "6011": (16,),
    "65": (16,),
    "220": (16, 17, 18, 19),
    **dict.fromkeys(("51", "52", "53", "54", "55"), (16,)),
    **dict.fromkeys(map(str, range(222, 273)), (16,)),
    **dict.fromkeys(map(str, range(3528, 3590)), (16, 17, 18, 19)),
}
LONGEST_KEY = 20_000
# The group of a form that is the secret; what stands around it says what it is, and stays.
SECRET = "secret"
# What stands where a password would, and is none: "${TOKEN}", "<password>", "***".
PLACEHOLDER = re.compile(r"[*•x.]+|[<\[{$%].*|your[-_ ]?.*|password|secret|redacted", re.IGNORECASE)


def luhn(digits: str) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1)."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_card(found: str) -> bool:
    digits = re.sub(r"\D", "", found)
    issued = any(len(digits) in CARD_LENGTHS.get(digits[:length], ()) for length in range(1, 5))
    return issued and len(set(digits)) > 1 and luhn(digits)


def _is_password(found: str) -> bool:
    return PLACEHOLDER.fullmatch(found) is None


def _is_varied(found: str) -> bool:
    """Whether it can be a key rather than a picture of one: "sk-xxxxxxxx"."""
    return len(set(found[-16:])) > 4


@dataclass(frozen=True, slots=True)
class Rule:
    """A name, the form of the secrets, and what else must hold of them.

    `marks` are texts of which one must be present for the form to be looked for at all.
    """

    name: str
    form: re.Pattern[str]
    marks: tuple[str, ...]
    holds: Callable[[str], bool] = _is_varied


def _rule(name: str, form: str, *marks: str, holds: Callable[[str], bool] = _is_varied) -> Rule:
    return Rule(name, re.compile(form), marks, holds)


def _prefixed(name: str, form: str, *marks: str) -> Rule:
    """A key that stands as a word by itself."""
    return _rule(name, rf"(?<![A-Za-z0-9_-])(?:{form})(?![A-Za-z0-9_-])", *marks)


GITHUB = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_")
GITLAB = ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glsoat-")

# A rule before another one counts where both match: the keys of Anthropic begin like those of OpenAI.
RULES = (
    _rule(
        "private-key",
        rf"-----BEGIN ([A-Z0-9 ]{{0,40}})PRIVATE KEY((?: BLOCK)?)-----"
        rf"(?:(?:[^-]|-(?!----)){{1,{LONGEST_KEY}}}+-----END \1PRIVATE KEY\2-----|(?:\s*[A-Za-z0-9+/=]{{16,}})+)",
        "PRIVATE KEY",
    ),
    _rule("age-key", r"(?<![A-Z0-9-])AGE-SECRET-KEY-1[A-Z0-9]{58}(?![A-Z0-9])", "AGE-SECRET-KEY-"),
    _prefixed("anthropic-key", r"sk-ant-[A-Za-z0-9]{2,12}-[A-Za-z0-9_-]{20,200}", "sk-ant-"),
    _prefixed("openrouter-key", r"sk-or-v1-[0-9a-f]{64}", "sk-or-v1-"),
    _prefixed("openai-key", r"sk-(?:proj-|svcacct-|admin-)[A-Za-z0-9_-]{20,200}|sk-[A-Za-z0-9]{32,64}", "sk-"),
    _prefixed(
        "stripe-key",
        r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,200}|whsec_[A-Za-z0-9+/]{24,64}",
        "k_live_",
        "k_test_",
        "whsec_",
    ),
    _prefixed("github-token", r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255}", *GITHUB),
    _prefixed("gitlab-token", r"gl(?:pat|dt|rt|cbt|ptt|oas|soat)-[A-Za-z0-9_-]{20,100}", *GITLAB),
    _prefixed("slack-token", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{20,250}", "xox", "xapp-"),
    _rule(
        "slack-webhook",
        r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}",
        "hooks.slack.com",
    ),
    _prefixed("aws-key-id", r"(?:AKIA|ASIA)[A-Z2-7]{16}", "AKIA", "ASIA"),
    _rule(
        "aws-secret-key",
        r"(?i:aws_?secret(?:_?access)?_?key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "secret",
        "SECRET",
        "Secret",
    ),
    _prefixed("google-key", r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}", "AIza", "GOCSPX-"),
    _prefixed("huggingface-token", r"hf_[A-Za-z0-9]{30,64}", "hf_"),
    _prefixed("npm-token", r"npm_[A-Za-z0-9]{36}", "npm_"),
    _prefixed("pypi-token", r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,1000}", "pypi-AgE"),
    _prefixed("sendgrid-key", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", "SG."),
    _prefixed("digitalocean-token", r"do[oprt]_v1_[0-9a-f]{64}", "_v1_"),
    _prefixed("telegram-token", r"\d{8,10}:AA[A-Za-z0-9_-]{33}", ":AA"),
    _prefixed("json-web-token", r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}", "eyJ"),
    _rule(
        "password-in-url",
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s:/@?#\[\]<>\"']{0,200}:(?P<secret>[^\s/@\"'<>]{1,200})@(?=[^\s@])",
        "@",
        holds=_is_password,
    ),
    _rule(
        "bearer-token",
        r"(?i:\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?bearer\s{1,4})(?P<secret>[A-Za-z0-9._~+/-]{20,4000}=*)",
        "earer",
        "EARER",
    ),
    _rule("card-number", r"(?<![\w.,/-])[0-9](?:[ -]?[0-9]){12,18}(?![\w-]|[.,][0-9])", holds=_is_card),
)
DIGITS = re.compile(r"[0-9](?:[ -]?[0-9]){12}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Redacted:
    """A text with `[redacted: rule]` in the place of each secret, and how often each rule matched."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


def redact(text: str) -> Redacted:
    """Replace what looks like a secret. A text without one is left as it is; doing it twice changes nothing more."""
    counts: Counter[str] = Counter()
    found = -1
    # Where a secret was, its neighbour may begin a word and be seen for what it is.
    while found != counts.total():
        found = counts.total()
        for rule in RULES:
            spans = list(_spans(rule, text))
            if spans:
                text = _replaced(text, spans, f"[redacted: {rule.name}]")
                counts[rule.name] += len(spans)
    return Redacted(text=text, counts=dict(counts))


def count_secrets(texts: Iterable[str]) -> dict[str, int]:
    """How often each rule matches in all the texts; rules that never do are left out."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(redact(text).counts)
    return dict(sorted(counts.items()))


def redacted(memory: Memory) -> Memory:
    """The memory without secrets in its text, context, tags, metadata, and what names its origin, group and speaker.

    An id that was derived from the text is derived again, so that it tells nothing of what was taken out.
    """
    changed = replace(
        memory,
        text=redact(memory.text).text,
        context=redact(memory.context).text,
        origin=nameless(memory.origin),
        group=redact(memory.group).text if memory.group else memory.group,
        speaker=redact(memory.speaker).text if memory.speaker else memory.speaker,
        tags=tuple(redact(tag).text for tag in memory.tags),
        metadata={redact(key).text: _clean_json(value) for key, value in memory.metadata.items()},
    )
    if changed == memory:
        return memory
    return replace(changed, id="") if memory.id == replace(memory, id="").id else changed


def nameless(origin: Origin) -> Origin:
    """The origin without secrets in its title."""
    return replace(origin, title=redact(origin.title).text) if origin.title else origin


def rules_revision() -> str:
    """Changes with the rules, so that what was read by others is read again."""
    return digest(*(f"{rule.name} {rule.form.pattern}" for rule in RULES))


def _clean_json(value: Json) -> Json:
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, list):
        return [_clean_json(item) for item in value]
    if isinstance(value, dict):
        return {redact(key).text: _clean_json(item) for key, item in value.items()}
    return value


def _spans(rule: Rule, text: str) -> Iterator[tuple[int, int]]:
    looked_for = any(mark in text for mark in rule.marks) if rule.marks else DIGITS.search(text) is not None
    if not looked_for:
        return
    group = SECRET if SECRET in rule.form.groupindex else 0
    for match in rule.form.finditer(text):
        if rule.holds(match[group]):
            yield match.span(group)


def _replaced(text: str, spans: list[tuple[int, int]], sign: str) -> str:
    parts, position = [], 0
    for start, end in spans:
        parts += [text[position:start], sign]
        position = end
    return "".join([*parts, text[position:]])
