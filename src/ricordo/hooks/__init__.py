"""What assistants run at the turning points of a session: memories go in before a prompt, transcripts are set aside.

A hook stands between a person and the answer she waits for. It is quick or it is silent, and it never fails: whatever
goes wrong becomes a line in a journal.
"""

from __future__ import annotations
