"""What Claude Code (2.1) and Codex send to hooks, and which answers they take: by their documentation and schemas."""

from __future__ import annotations

from typing import Any

__all__ = ["CLAUDE", "CODEX", "TAKEN_KEYS"]

Payload = dict[str, Any]

CLAUDE_COMMON: Payload = {
    "session_id": "8f0c2c7e-51a4-4f0b-9f52-0c6f6b1f2d11",
    "prompt_id": "prompt_01K9",
    "transcript_path": "/home/mira/.claude/projects/-home-mira-atlas/8f0c2c7e-51a4-4f0b-9f52-0c6f6b1f2d11.jsonl",
    "cwd": "/home/mira/atlas",
    "permission_mode": "default",
    "effort": {"level": "high"},
}
CODEX_COMMON: Payload = {
    "session_id": "019a8c1f-7c1c-7e30-8d5e-6e5b0f0a9a10",
    "turn_id": "3",
    "transcript_path": "/home/mira/.codex/sessions/2026/11/16/rollout-2026-11-16T09-00-00-019a8c1f.jsonl",
    "cwd": "/home/mira/atlas",
    "model": "gpt-5.4",
    "permission_mode": "default",
}

PROMPT = "let us deploy Baikal with Tomasz"

CLAUDE: dict[str, Payload] = {
    "SessionStart": {**CLAUDE_COMMON, "source": "startup", "model": "claude-opus-5"},
    "UserPromptSubmit": {**CLAUDE_COMMON, "prompt": PROMPT},
    "PreCompact": {**CLAUDE_COMMON, "trigger": "auto", "custom_instructions": ""},
    "Stop": {**CLAUDE_COMMON, "stop_hook_active": False, "last_assistant_message": "Done.", "background_tasks": []},
    "SessionEnd": {**CLAUDE_COMMON, "reason": "prompt_input_exit"},
}
CODEX: dict[str, Payload] = {
    "SessionStart": {**CODEX_COMMON, "source": "startup"},
    "UserPromptSubmit": {**CODEX_COMMON, "prompt": PROMPT},
    "PreCompact": {**CODEX_COMMON, "trigger": "auto"},
    "Stop": {**CODEX_COMMON, "stop_hook_active": False, "last_assistant_message": None},
}
for payloads in (CLAUDE, CODEX):
    for event, payload in payloads.items():
        payload["hook_event_name"] = event

TAKEN_KEYS = (
    {"continue", "decision", "hookSpecificOutput", "reason", "stopReason", "suppressOutput", "systemMessage"},
    {"hookEventName", "additionalContext"},
)
"""All that Codex takes, which refuses an answer with any other key; Claude Code takes these too."""
