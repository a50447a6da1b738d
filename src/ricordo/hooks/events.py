"""The events of Claude Code and Codex, what they send and what they may be answered; pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

__all__ = ["ENDS", "EVENTS", "Payload", "Unreadable", "answer", "event_named", "read_payload"]

EVENTS = {
    "session-start": "SessionStart",
    "prompt-submit": "UserPromptSubmit",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
"""Our names, and those of the assistants."""

ENDS = frozenset({"pre-compact", "stop", "session-end"})
"""Events after which a transcript holds something new. They are not answered."""

LONGEST = 9_000
"""Characters. Claude Code puts more than 10,000 into a file, of which the assistant sees the beginning alone."""

CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Unreadable(ValueError):
    """What came on standard input is not what an assistant sends."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Payload:
    """What an event brings: the prompt, the transcript so far, and the directory that the assistant works in."""

    event: str
    prompt: str = ""
    transcript: str | None = None
    directory: str | None = None


def event_named(name: str) -> str | None:
    """Our name of an event, given by any: `prompt-submit`, `UserPromptSubmit`, `user_prompt_submit`."""
    plain = CAPITAL.sub("-", name).lower().replace("_", "-").removeprefix("user-")
    return plain if plain in EVENTS else None


def read_payload(data: bytes, event: str) -> Payload:
    """What an event brings. Fields that are absent, null or of another type are as if not sent. Raises Unreadable."""
    try:
        sent = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable("standard input holds no JSON") from error
    if not isinstance(sent, dict):
        raise Unreadable("standard input holds no JSON object")
    # Half of a pair of surrogates, which JSON can spell, is no text.
    texts = {
        name: value.encode("utf-8", "replace").decode()
        for name, value in sent.items()
        if isinstance(value, str) and value
    }
    return Payload(
        event=event,
        prompt=texts.get("prompt", ""),
        transcript=texts.get("transcript_path"),
        directory=texts.get("cwd"),
    )


def answer(event: str, text: str) -> bytes:
    """The JSON that both assistants take, and no key more: Codex refuses what it does not know. Nothing for nothing."""
    if not text or event in ENDS or len(text) > LONGEST:
        return b""
    said = {"hookEventName": EVENTS[event], "additionalContext": text}
    return json.dumps({"hookSpecificOutput": said}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
