"""The formats of JSON files that are known, by the keys of their records, whatever the file is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TypeAlias, cast

from ricordo.protocols import Skipped, Source
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.records import keys_of_records

__all__ = ["FORMATS", "Format", "Read", "recognise"]

Read: TypeAlias = Callable[[Blob, Circumstances], Iterator["Source | Skipped | Path"]]
"""Finds the sources in a blob, in turn. A path is a file that belongs to it, to be read as well."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """A format: `name` for people, the keys that at least one record has all of, and the function that reads it.

    What is known and not to be read has no function; `aside` says why, and nothing where it goes without saying.
    A `loose` one fits so much that it counts only in a file by itself: an archive may hold anything.
    """

    name: str
    keys: frozenset[str]
    module: str = ""
    function: str = ""
    aside: str = ""
    loose: bool = False

    def load(self) -> Read:
        return cast("Read", getattr(import_module(self.module), self.function))


def _format(name: str, keys: str, module: str, function: str) -> Format:
    return Format(name=name, keys=frozenset(keys.split()), module=f"ricordo.sources.{module}", function=function)


def _loose(name: str, keys: str, module: str, function: str) -> Format:
    return replace(_format(name, keys, module, function), loose=True)


def _aside(name: str, keys: str, why: str) -> Format:
    return Format(name=name, keys=frozenset(keys.split()), aside=why)


# Comments are read with the page that they stand beside.
READ_WITH_ITS_PAGE = ""

# The first that fits reads the file: what asks for more comes first.
FORMATS: tuple[Format, ...] = (
    _format("claude.ai conversations", "uuid chat_messages", "claude", "conversations"),
    _format("claude.ai conversations", "conversations.uuid conversations.chat_messages", "claude", "conversations"),
    _format("claude.ai projects", "uuid docs prompt_template", "claude", "projects"),
    _format("claude.ai projects", "uuid docs is_starter_project", "claude", "projects"),
    _format("claude.ai memories", "account_uuid memory_files", "claude", "memories"),
    _format("claude.ai memories", "account_uuid conversations_memory", "claude", "memories"),
    _format("claude.ai memories", "account_uuid project_memories", "claude", "memories"),
    _format("claude.ai design chats", "uuid project messages messages.role", "claude", "designs"),
    _format("claude.ai pages", "id kind versions active_version", "claude_pages", "pages"),
    _aside("comments", "comments quoted_text", READ_WITH_ITS_PAGE),
    _aside("comments", "threads threads.comments", READ_WITH_ITS_PAGE),
    _format("claude.ai files", "data_files data_files.filename", "claude", "manifest"),
    _aside("account data", "uuid email_address verified_phone_number", "is about the account, which is not read"),
    _aside("account data", "login_events", "is about the account, which is not read"),
    _format("ChatGPT conversations", "mapping title", "chatgpt", "conversations"),
    _format("ChatGPT conversations", "mapping current_node", "chatgpt", "conversations"),
    _format("ChatGPT conversations", "conversations.mapping conversations.title", "chatgpt", "conversations"),
    _format("sessions of Gemini", "sessionId projectHash messages", "gemini", "sessions"),
    _format("activity of Gemini", "header title time products", "gemini", "activity"),
    _format("sessions of Codex", "timestamp type payload", "codex", "rollouts"),
    _format("sessions of Codex", "id timestamp instructions", "codex", "rollouts"),
    _format("sessions of Codex", "type role content", "codex", "rollouts"),
    _format("sessions of Claude Code", "parentUuid sessionId", "transcripts", "transcripts"),
    _format("sessions of Claude Code", "parentUuid uuid type", "transcripts", "transcripts"),
    _format("sessions of Claude Code", "type sessionId operation", "transcripts", "transcripts"),
    _format("sessions of Claude Code", "type sessionId permissionMode", "transcripts", "transcripts"),
    _format("sessions of Claude Code", "type sessionId mode", "transcripts", "transcripts"),
    _format("sessions of Claude Code", "type sessionId aiTitle", "transcripts", "transcripts"),
    _format("sessions of Claude Code", "type sessionId lastPrompt", "transcripts", "transcripts"),
    _format("sessions of Claude Code", "type summary leafUuid", "transcripts", "transcripts"),
    _format("sessions of Claude Code", "type messageId snapshot", "transcripts", "transcripts"),
    _format("what stands beside a transcript", "agentType", "transcripts", "beside"),
    _format("what stands beside a transcript", "entries.sessionId entries.fullPath", "transcripts", "beside"),
    _aside("feedback", "conversation_id rating content", "tells of conversations, with which it is exported"),
    _aside("prompts", "display project timestamp", "holds prompts alone; the transcripts hold their answers as well"),
    _aside("prompts", "session_id ts text", "holds prompts alone; the transcripts hold their answers as well"),
    _aside("an export of ricordo", "namespace origin.uri text", "is an export of ricordo; `ricordo import` reads it"),
    _format("a knowledge graph", "name entityType", "knowledge_graph", "graph"),
    _format("a knowledge graph", "from to relationType", "knowledge_graph", "graph"),
    _format("memories of mem0", "memory id created_at", "mem0", "memories"),
    _format("memories of mem0", "results.memory results.id results.created_at", "mem0", "memories"),
    _format("memories of mem0", "memories.memory memories.id memories.created_at", "mem0", "memories"),
    _loose("records with a text", "text", "json_lines", "statements"),
    _loose("records with a text", "content", "json_lines", "statements"),
)


def recognise(head: bytes) -> Format | None:
    """The format of a file that begins with `head`; None when it is none of these, or no JSON."""
    records = keys_of_records(head)
    if not records:
        return None
    return next((known for known in FORMATS if any(known.keys <= keys for keys in records)), None)
