"""Transcripts of Claude Code as sources: a session is an origin, and a turn is one memory in all sessions it is in.

A transcript grows and is given new titles; a fork begins with a copy of another. So the id of a memory comes from the
record and its text alone, and its context is the session's first prompt, which stays. What a memory says of its branch
changes in place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ricordo.exchange import Skipped
from ricordo.memory import EventOrigin, EventTime, Json, Memory, Origin, clean, digest
from ricordo.sources import NotText
from ricordo.sources.blobs import Blob
from ricordo.sources.circumstances import Circumstances
from ricordo.sources.claude_code import Said, Transcript, read_transcript
from ricordo.sources.conversations import ASSISTANT, USER, Branch, generation
from ricordo.sources.records import Record, lines
from ricordo.sources.shapes import Faults, Shape, faults_in
from ricordo.sources.values import fields, text

__all__ = ["TranscriptSource", "beside", "transcripts"]

KIND = "claude-code"
# Raised whenever the same transcript would give other memories than before.
READER = "claude-code-1"
CONTENT: Shape = (str, [{"type!": str, "text": str}])
SAID: Shape = {"type!": str, "message!": {"content!": CONTENT}}
BESIDE: Shape = {"type!": str, "attachment": {"type!": str, "prompt": CONTENT}}
UNSPOKEN = "holds a session in which nobody has said anything that can be remembered"
MAX_META = 65_536
# Helpers that are given the whole session again, to sum it up or to guess what comes next.
OVERHEAD = ("agent-acompact-", "agent-aprompt_suggestion-")


@dataclass(frozen=True, kw_only=True, slots=True)
class TranscriptSource:
    """A session that was read. `name` is the session, for a helper's side file with the helper's own name."""

    name: str
    transcript: Transcript
    circumstances: Circumstances
    agent_kind: str | None = None
    faults: tuple[Skipped, ...] = ()

    @property
    def origin(self) -> Origin:
        return Origin(kind=KIND, uri=f"{KIND}:{self.name}", title=clean(self.transcript.title) or None)

    def revision(self) -> str:
        """Copies of a session sort by how far they go."""
        turns = self.transcript.turns
        latest = max((turn.at for turn in turns if turn.at), default=None)
        reached = latest.strftime("%Y-%m-%dT%H:%M:%S.%f") if latest else ""
        said = (part for turn in turns for part in (turn.id, turn.text, turn.branch, str(turn.at), *turn.files))
        return f"{generation(READER)}/{reached}/{len(turns):07d}@{digest(READER, str(self.origin), *map(clean, said))}"

    def memories(self) -> Iterator[Memory | Skipped]:
        """Those records that could not be read, then one memory for each turn, in the order of the transcript."""
        yield from self.faults
        about = self._about()
        for position, turn in enumerate(self.transcript.turns):
            yield self._memory(turn, position, about)

    def _memory(self, turn: Said, position: int, about: dict[str, Json]) -> Memory:
        said, opening = clean(turn.text), clean(self.transcript.opening)
        files: dict[str, Json] = {"files": list(turn.files)} if turn.files else {}
        branch: dict[str, Json] = {"branch": str(turn.branch)} if turn.branch is not Branch.MAIN else {}
        memory = Memory(
            id=digest(KIND, clean(turn.id), said),
            text=said,
            origin=self.origin,
            created_at=self.circumstances.now,
            updated_at=self.circumstances.now,
            context="" if said.startswith(opening) else opening,
            group=self.origin.uri,
            speaker=turn.speaker,
            position=position,
            metadata=about | branch | files,
        )
        return memory.happened(EventTime(start=turn.at, origin=EventOrigin.SOURCE) if turn.at else None)

    def _about(self) -> dict[str, Json]:
        found = {
            "session": self.name.partition("/")[0],
            "cwd": self.transcript.cwd,
            "git_branch": self.transcript.git_branch,
            "agent": self.agent_kind or self.transcript.agent,
        }
        return {key: value for key, value in found.items() if value}


def transcripts(blob: Blob, circumstances: Circumstances) -> Iterator[TranscriptSource]:
    """The session of a transcript.

    Raises NotText for one in which nobody has said anything yet, and for that of a helper which only repeats a session.
    """
    stem = PurePosixPath(blob.name).name.removesuffix(".jsonl")
    if stem.startswith(OVERHEAD):
        raise NotText(blob.where, "repeats a session, for the tool's own use")
    faults = Faults(blob.where)

    def read() -> Iterator[Record]:
        for found in lines(blob):
            if isinstance(found, Record):
                faults.add(*faults_in(found.value, _shape(found.value), f"{blob.where}, line {found.number}"))
                yield found
            else:
                faults.add(found)

    transcript = read_transcript(read())
    told = faults.told()
    if not transcript.turns and not told:
        raise NotText(blob.where, UNSPOKEN)
    session = stem if stem in transcript.sessions or not transcript.sessions else transcript.sessions[-1]
    aside = all(turn.branch is Branch.SIDECHAIN for turn in transcript.turns)
    helper = (transcript.agent or stem) if stem.startswith("agent-") or (transcript.turns and aside) else None
    yield TranscriptSource(
        name=f"{session}/{helper}" if helper else session,
        transcript=transcript,
        circumstances=circumstances,
        agent_kind=_agent_kind(blob.path) if helper else None,
        faults=told,
    )


def _shape(record: object) -> Shape:
    return SAID if fields(record).get("type") in (USER, ASSISTANT) else BESIDE


def beside(blob: Blob, circumstances: Circumstances) -> Iterator[TranscriptSource]:
    """Nothing, without a word in a folder: a helper's description, and an index, are read with their transcripts."""
    raise NotText(blob.where, "tells of transcripts, with which it is read")


def _agent_kind(path: Path | None) -> str | None:
    """What kind of helper it was, as the small file beside its transcript says."""
    if path is None:
        return None
    try:
        with path.with_suffix(".meta.json").open("rb") as file:
            return text(fields(json.loads(file.read(MAX_META))).get("agentType")) or None
    except (OSError, ValueError, RecursionError):
        return None
