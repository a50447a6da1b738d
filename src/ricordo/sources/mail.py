"""E-mail: a message as a file (`.eml`), or a mailbox of many (`.mbox`); one memory for each message."""

from __future__ import annotations

import mailbox
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from email import policy
from email.errors import MessageError
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from pathlib import Path

from ricordo.dates import STANDARD
from ricordo.errors import SourceError
from ricordo.memory import EventOrigin, EventTime, Json, Memory, Origin, clean, digest
from ricordo.occasions import refined
from ricordo.protocols import Skipped
from ricordo.sources import files
from ricordo.sources.documents import html_text, malformed
from ricordo.sources.encoding import decode
from ricordo.sources.folder import shown
from ricordo.sources.injected import without_own
from ricordo.timeparse import TimeOptions

__all__ = ["MailSource"]

# Raised whenever the same file would give other memories than before.
READER = "mail-1"
BLOCK = 2**20
MOST_NAMES = 200
"""Characters of the receivers that stand above a message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MailSource:
    """A message or a mailbox. `now` dates the memories; a date without a zone is in `zone`."""

    path: Path
    now: datetime
    zone: tzinfo = UTC
    options: TimeOptions = STANDARD

    @property
    def origin(self) -> Origin:
        return files.origin(self.path, "mail", self.path.stem)

    def revision(self) -> str:
        """Changes with the file's bytes, which are read in pieces: a mailbox may be larger than the memory."""
        state = blake2b()
        try:
            with self.path.open("rb") as file:
                while block := file.read(BLOCK):
                    state.update(block)
        except OSError as error:
            raise SourceError(shown(self.path), error.strerror or str(error)) from error
        return digest(READER, str(self.zone), repr(self.options), state.hexdigest())

    def memories(self) -> Iterator[Memory | Skipped]:
        """The messages in order. One that cannot be read comes as Skipped, with its number."""
        seen: set[str] = set()
        for number, message in enumerate(self._messages(), start=1):
            where = shown(self.path) if self._is_single else f"{shown(self.path)}, message {number}"
            try:
                with malformed(where):
                    memory = self._memory(message, len(seen))
            except (SourceError, MessageError) as error:
                yield Skipped(where=where, why=getattr(error, "why", str(error)))
                continue
            if memory is not None and memory.id not in seen:
                seen.add(memory.id)
                yield memory

    @property
    def _is_single(self) -> bool:
        return self.path.suffix.lower() == ".eml"

    def _messages(self) -> Iterator[EmailMessage]:
        if self._is_single:
            yield _parsed(files.read_bytes(self.path))
            return
        with malformed(shown(self.path)):
            box = mailbox.mbox(self.path, create=False)
        try:
            for key in box.iterkeys():
                yield _parsed(box.get_bytes(key))
        finally:
            box.close()

    def _memory(self, message: EmailMessage, position: int) -> Memory | None:
        text = without_own(clean(_body(message))).strip("\n").rstrip()
        if not text.strip():
            return None
        subject, sender = _header(message, "subject"), _header(message, "from")
        people = f"{sender} to {_header(message, 'to')[:MOST_NAMES]}".strip()
        context = " › ".join(filter(None, (subject or self.path.stem, people)))
        number = _header(message, "message-id") or digest(sender, _header(message, "date"))
        origin = self.origin
        memory = Memory(
            id=digest(origin.uri, number, context, text),
            text=text,
            origin=origin,
            created_at=self.now,
            updated_at=self.now,
            context=context,
            group=_thread(message) or number,
            speaker=sender or None,
            position=position,
            metadata=_metadata(message),
        )
        return memory.happened(refined(self._sent(message), text, self.zone, self.options))

    def _sent(self, message: EmailMessage) -> EventTime | None:
        try:
            moment = parsedate_to_datetime(_header(message, "date"))
            moment = moment if moment.tzinfo else moment.replace(tzinfo=self.zone)
            return EventTime(start=moment.astimezone(UTC), origin=EventOrigin.SOURCE)
        except (TypeError, ValueError, OverflowError, IndexError):
            return None


def _parsed(data: bytes) -> EmailMessage:
    return BytesParser(_class=EmailMessage, policy=policy.default).parsebytes(data)


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(clean(str(message.get(name) or "")).split())
    except (ValueError, LookupError, AttributeError, TypeError):  # the standard library trips over some headers
        return ""


def _thread(message: EmailMessage) -> str:
    """The first message of the thread, as far as this one names it."""
    return next(iter((_header(message, "references") or _header(message, "in-reply-to")).split()), "")


def _metadata(message: EmailMessage) -> dict[str, Json]:
    found = {name: _header(message, name) for name in ("from", "to", "cc", "subject", "message-id")}
    known: dict[str, Json] = {name: value for name, value in found.items() if value}
    attached: list[Json] = [clean(name) for part in message.iter_attachments() if (name := part.get_filename())]
    return known | ({"attachments": attached} if attached else {})


def _body(message: EmailMessage) -> str:
    """The plain text, else the HTML page, made readable. Raises what `malformed` turns into a reason."""
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    text = _content(part)
    return html_text(text) if part.get_content_subtype() == "html" else text


def _content(part: MIMEPart) -> str:
    try:
        return str(part.get_content()).replace("\r\n", "\n")
    except (LookupError, UnicodeError):  # a charset that is not known, or not what it says
        payload = part.get_payload(decode=True)
        return decode(payload, "the message") if isinstance(payload, bytes) else ""
