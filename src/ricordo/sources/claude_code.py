"""Transcripts of Claude Code: JSON lines, one a record, of which those that somebody said are turns.

The conversation that the tool shows ends at the last compaction and forgets what was wound back. Here everything is
read, once by its `uuid`, and says which branch it stands on. Tool results, progress, snapshots, hooks and reminders
are not what anybody said, but plans and answers to questions are. A file that was written is named in the metadata of
the words before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from ricordo.memory import digest
from ricordo.sources.conversations import ASSISTANT, USER, Branch
from ricordo.sources.lineage import Link, abandoned
from ricordo.sources.records import Record
from ricordo.sources.scaffolding import opening_line, spoken
from ricordo.sources.values import fields, items, moment, text

__all__ = ["Said", "Transcript", "read_transcript"]

CHAIN = frozenset({"assistant", "attachment", "progress", "system", "user"})
SYNTHETIC_MODEL = "<synthetic>"
WRITING_TOOLS = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
MOST_FILES = 50


@dataclass(kw_only=True, slots=True)
class Said:
    """One turn. `id` is the same in every copy of it, `message` in all records of one answer.

    `files` are those that the assistant wrote after it.
    """

    id: str
    text: str
    speaker: str
    at: datetime | None
    branch: Branch = Branch.MAIN
    message: str | None = None
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class Transcript:
    """What a transcript says of itself, and its turns in the order of the file.

    `title` is what its tool calls it now; `opening` is its first prompt, which stays and which forks share. `sessions`
    are those that its records name, the one of the last record last.
    """

    title: str
    opening: str
    sessions: tuple[str, ...]
    agent: str | None
    cwd: str | None
    git_branch: str | None
    turns: tuple[Said, ...]


def read_transcript(records: Iterable[Record]) -> Transcript:
    """The transcript that these records, in the order of the file, make."""
    reading = _Reading()
    for record in records:
        found = fields(record.value)
        if text(found.get("type")) in CHAIN:
            reading.follow(found)
        elif found:
            reading.title(found)
    return reading.transcript()


class _Reading:
    """A transcript as far as it was read."""

    def __init__(self) -> None:
        self.turns: list[Said] = []
        self.links: list[Link] = []
        self.seen: set[str] = set()
        self.answers: set[tuple[str, str]] = set()
        self.sessions: dict[str, None] = {}
        self.compacted = 0  # how many turns came before the last compaction
        self.leaf: str | None = None
        self.titles: dict[str, str] = {}
        self.summarised = ""
        self.about: dict[str, str] = {}

    def follow(self, record: dict[str, object]) -> None:
        """Take a record of the conversation, unless a copy of it was taken before."""
        uuid = text(record.get("uuid"))
        if uuid and uuid in self.seen:
            return
        self.seen.add(uuid)
        aside = record.get("isSidechain") is True
        if uuid and not aside:
            before = text(record.get("logicalParentUuid")) or None
            self.links.append(Link(id=uuid, parent=text(record.get("parentUuid")) or None, before=before))
        self._note(record)
        if record["type"] == "system":
            if record.get("subtype") == "compact_boundary" and not aside:
                self.compacted = len(self.turns)
            return
        speaker, said = self._said(record)
        if record["type"] == "assistant" or said:
            self.leaf = uuid if uuid and not aside else self.leaf
        answer = (text(fields(record.get("message")).get("id")), said)
        if said and (not answer[0] or answer not in self.answers):
            self.answers.add(answer)
            self._add(record, uuid, speaker, said)
        self._wrote(record)

    def title(self, record: dict[str, object]) -> None:
        """Take what a record beside the conversation says about its title."""
        for key in ("customTitle", "aiTitle", "lastPrompt"):
            if name := opening_line(spoken(text(record.get(key)))):
                self.titles[key] = name
        if (name := opening_line(text(record.get("summary")))) and record.get("type") == "summary":
            # Older versions wrote the summaries of other sessions here as well.
            self.titles["summary"], self.summarised = name, text(record.get("leafUuid"))

    def transcript(self) -> Transcript:
        """The whole, each turn with the branch that it turned out to stand on."""
        left = abandoned(self.links, self.leaf)
        answers = {turn.message for turn in self.turns if turn.id not in left} - {None}
        for number, turn in enumerate(self.turns):
            if turn.branch is not Branch.MAIN:
                continue
            if turn.id in left and turn.message not in answers:
                turn.branch = Branch.ABANDONED
            elif number < self.compacted:
                turn.branch = Branch.PRE_COMPACT
        prompts = [turn.text for turn in self.turns if turn.speaker == USER] or [turn.text for turn in self.turns]
        opening = opening_line(prompts[0]) if prompts else ""
        return Transcript(
            title=self._title() or opening,
            opening=opening,
            sessions=tuple(self.sessions),
            agent=self.about.get("agentId"),
            cwd=self.about.get("cwd"),
            git_branch=self.about.get("gitBranch"),
            turns=tuple(self.turns),
        )

    def _title(self) -> str:
        if self.summarised not in self.seen:
            self.titles.pop("summary", None)
        order = ("customTitle", "aiTitle", "lastPrompt", "summary")
        return next((self.titles[key] for key in order if key in self.titles), "")

    def _note(self, record: dict[str, object]) -> None:
        if session := text(record.get("sessionId")):
            self.sessions.pop(session, None)
            self.sessions[session] = None
        for key in ("cwd", "gitBranch", "agentId"):
            if value := text(record.get(key)):
                self.about.setdefault(key, value)

    def _said(self, record: dict[str, object]) -> tuple[str, str]:
        """Who speaks in a record, and what; nothing when it is scaffolding."""
        if record["type"] == "attachment":
            return USER, _queued(fields(record.get("attachment")))
        if record["type"] not in (ASSISTANT, USER) or not _is_of_people(record) or record.get("isApiErrorMessage"):
            return "", ""
        message = fields(record.get("message"))
        if message.get("model") == SYNTHETIC_MODEL:
            return "", ""
        if record.get("isCompactSummary"):
            there = bool(self.turns) or "forkedFrom" in record
            return ASSISTANT, "" if there else _prose(message.get("content"))
        if record["type"] == ASSISTANT:
            return ASSISTANT, _joined(_words(message.get("content")), *_plans(message.get("content")))
        return USER, _joined(_words(message.get("content")), *_answers(fields(record.get("toolUseResult"))))

    def _add(self, record: dict[str, object], uuid: str, speaker: str, said: str) -> None:
        aside = record.get("isSidechain") is True
        turn = Said(
            id=uuid or digest(text(record.get("sessionId")), text(record.get("timestamp")), speaker, said),
            text=said,
            speaker=ASSISTANT if aside else speaker,  # there it is an assistant that asks
            at=moment(record.get("timestamp")),
            branch=_branch(record),
            message=text(fields(record.get("message")).get("id")) or None,
        )
        self.turns.append(turn)

    def _wrote(self, record: dict[str, object]) -> None:
        """Name the files that a record writes beside the words that came last."""
        if record["type"] != "assistant" or not self.turns:
            return
        files = self.turns[-1].files
        for block in map(fields, items(fields(record.get("message")).get("content"))):
            if block.get("type") == "tool_use" and text(block.get("name")) in WRITING_TOOLS:
                given = fields(block.get("input"))
                path = text(given.get("file_path")) or text(given.get("notebook_path"))
                if path and path not in files and len(files) < MOST_FILES:
                    files.append(path)


def _is_of_people(record: dict[str, object]) -> bool:
    """Whether a record is neither the tool's own nor another program's, as far as it says."""
    return not record.get("isMeta") and fields(record.get("origin")).get("kind", "human") == "human"


def _branch(record: dict[str, object]) -> Branch:
    if record.get("isSidechain") is True:
        return Branch.SIDECHAIN
    return Branch.SUMMARY if record.get("isCompactSummary") else Branch.MAIN


def _words(content: object) -> str:
    """The text blocks of a message without what tools put there, each on its own."""
    blocks = [content] if isinstance(content, str) else [text(block.get("text")) for block in _texts(content)]
    return _joined(*map(spoken, blocks))


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _plans(content: object) -> Iterator[str]:
    """What the assistant proposes to do, which it says by calling a tool."""
    for block in map(fields, items(content)):
        if block.get("type") == "tool_use" and block.get("name") == "ExitPlanMode":
            yield spoken(text(fields(block.get("input")).get("plan")))


def _answers(result: dict[str, object]) -> Iterator[str]:
    """What the user chose when a tool asked, each below its question."""
    if isinstance(result.get("questions"), list):
        for question, answer in fields(result.get("answers")).items():
            if text(answer).strip():
                yield f"{question}\n{answer}"


def _prose(content: object) -> str:
    return content if isinstance(content, str) else "\n\n".join(text(block.get("text")) for block in _texts(content))


def _texts(content: object) -> list[dict[str, object]]:
    return [block for block in map(fields, items(content)) if block.get("type") == "text"]


def _queued(attachment: dict[str, object]) -> str:
    """What was typed while the assistant still worked, which stands nowhere else."""
    if attachment.get("type") != "queued_command" or attachment.get("commandMode") not in (None, "prompt"):
        return ""
    if not _is_of_people(attachment):
        return ""
    return _words(attachment.get("prompt"))
