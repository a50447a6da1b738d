"""Bringing the files of a hub row here, when its owner asks for it and at no other time.

For each file the hub is asked what it is: the headers of `{endpoint}/{repository}/resolve/{revision}/{name}` say
its size, its commit and its hash (SHA-256 of a large file, git's blob SHA-1 of a small one). The content then
comes into a partial file that is named by that hash, so that an interrupted download goes on where it
broke off, and takes its place when its hash is right.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ricordo.errors import ModelError
from ricordo.models.digests import git_blob_of, sha256_of
from ricordo.models.hub import HubFile, Locked, hub_folder, read_lock, write_lock
from ricordo.models.specs import Spec

if TYPE_CHECKING:
    import httpx2

__all__ = ["OFFLINE", "Arrived", "Tell", "fetch"]

OFFLINE = "RICORDO_OFFLINE"
ENDPOINT = "HF_ENDPOINT"
HUB = "https://huggingface.co"
REVISION = "main"

ATTEMPTS = 5
"""Connections without a new byte after which a download is given up."""

PAUSE = 0.5
"""Seconds before the second attempt; each later pause is twice as long."""

SHA256 = re.compile(r"[0-9a-f]{64}")
GIT_SHA1 = re.compile(r"[0-9a-f]{40}")

Tell = Callable[[str, int, int], None]
"""Called with a file's name, the bytes that are here and the bytes there are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """What the hub says of a file: where its content is, its size, its hash and its commit."""

    url: str
    size: int
    etag: str
    commit: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrived:
    """A file that is here, and whether it had to be downloaded."""

    name: str
    path: Path
    sha256: str
    size: int
    downloaded: bool


def fetch(spec: Spec, tell: Tell | None = None) -> tuple[Arrived, ...]:
    """Download what is missing of a hub row and lock it; what is here and whole is left alone.

    Raises ModelError, which says what to do: offline, unreachable, not there, cut off, or not what was said.
    """
    files = [file for file in spec.files if isinstance(file, HubFile)]
    arrived: list[Arrived] = []
    commit: str | None = None
    with _client() as client:
        for file in files:
            known = _known(file)
            if known is None:
                known, commit = _download(client, file, commit, tell or _silent)
            arrived.append(known)
    return tuple(arrived)


def _known(file: HubFile) -> Arrived | None:
    """The file, when it is here and is what the lock says."""
    folder = hub_folder(file.repository)
    path, locked = folder / file.name, read_lock(folder).get(file.name)
    if locked is None or not path.is_file() or sha256_of(path, file.mend) != (file.sha256 or locked.sha256):
        return None
    return Arrived(name=file.name, path=path, sha256=locked.sha256, size=locked.size, downloaded=False)


def _download(client: httpx2.Client, file: HubFile, commit: str | None, tell: Tell) -> tuple[Arrived, str | None]:
    if os.environ.get(OFFLINE, "0") not in ("", "0"):
        raise ModelError(f"{file.name} of {file.repository} is not here and {OFFLINE} is set; unset it and {file.mend}")
    folder = hub_folder(file.repository)
    target, locked = folder / file.name, read_lock(folder).get(file.name)
    offer = _ask(client, file, (locked and locked.commit) or commit or REVISION)
    with _written(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.{offer.etag[:16]}.part")
        downloaded = not (target.is_file() and _is(target, offer))
        if downloaded:
            _receive(client, file, offer, partial, tell)
        sha256 = _checked(file, offer, partial if downloaded else target, locked)
        if downloaded:
            os.replace(partial, target)
    lock = {**read_lock(folder), file.name: Locked(sha256=sha256, size=offer.size, commit=offer.commit)}
    write_lock(folder, lock)
    arrived = Arrived(name=file.name, path=target, sha256=sha256, size=offer.size, downloaded=downloaded)
    return arrived, offer.commit


def _ask(client: httpx2.Client, file: HubFile, revision: str) -> Offer:
    """What the hub says of the file. The hub's own answer counts, not that of the server it sends us to."""
    endpoint = os.environ.get(ENDPOINT, "").rstrip("/") or HUB
    url = f"{endpoint}/{file.repository}/resolve/{revision}/{file.name}"
    with _translated(file, url):
        response = client.head(url, headers={"Accept-Encoding": "identity"})
        while response.is_redirect and "x-linked-etag" not in response.headers and response.next_request:
            response = client.send(response.next_request)
        if not response.is_redirect:
            response.raise_for_status()
    etag = response.headers.get("x-linked-etag") or response.headers.get("etag") or ""
    size = response.headers.get("x-linked-size") or response.headers.get("content-length") or ""
    etag = etag.removeprefix("W/").strip('"')
    if not size.isdecimal() or not (SHA256.fullmatch(etag) or GIT_SHA1.fullmatch(etag)):
        raise ModelError(f"{url} does not say the size and hash of the file, as a model hub does; {file.mend}")
    return Offer(url=url, size=int(size), etag=etag, commit=response.headers.get("x-repo-commit"))


def _receive(client: httpx2.Client, file: HubFile, offer: Offer, partial: Path, tell: Tell) -> None:
    """Add to the partial file until it is as long as it should be. Raises ModelError."""
    import httpx2

    here = partial.stat().st_size if partial.is_file() else 0
    fruitless = 0
    while here < offer.size:
        before = here
        try:
            with _translated(file, offer.url, but=httpx2.TransportError):
                here = _stream(client, offer, partial, here, lambda count: tell(file.name, count, offer.size))
            broken = None
        except httpx2.TransportError as error:
            here, broken = partial.stat().st_size if partial.is_file() else 0, error
        fruitless = 0 if here > before else fruitless + 1
        if fruitless == ATTEMPTS:
            raise ModelError(
                f"the download of {file.name} of {file.repository} broke off after {here} of {offer.size} bytes "
                f"({broken or 'the server closed the connection'}); what came is kept, to go on: "
                f"ricordo models fetch {file.repository}"
            ) from broken
        if here < offer.size:
            time.sleep(PAUSE * 2**fruitless)


def _stream(client: httpx2.Client, offer: Offer, partial: Path, here: int, tell: Callable[[int], None]) -> int:
    """Append to the partial file what one connection brings; the bytes that are here then."""
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={here}-"} if here else {})
    with client.stream("GET", offer.url, headers=headers, follow_redirects=True) as response:
        response.raise_for_status()
        # A server that does not know ranges starts again from the beginning.
        resumed = response.status_code == 206
        with partial.open("ab" if resumed else "wb") as stream:
            here = here if resumed else 0
            # As it comes: blocks of our own size would lose what is not yet a block when the connection breaks.
            for block in response.iter_bytes():
                stream.write(block)
                here += len(block)
                tell(here)
    return here


def _checked(file: HubFile, offer: Offer, path: Path, locked: Locked | None) -> str:
    """The SHA-256 of the file. Raises ModelError, and removes it, when it is not what the hub said.

    Also when it is not what came the first time: who wants the new version says so by removing the old.
    """
    found = sha256_of(path, file.mend)
    if not _is(path, offer):
        path.unlink()
        raise ModelError(
            f"{file.name} of {file.repository} came damaged: its hash is {found}, and the hub says {offer.etag}; "
            f"nothing of it is kept; {file.mend}"
        )
    wanted = file.sha256 or (locked.sha256 if locked else found)
    if found != wanted:
        path.unlink()
        raise ModelError(
            f"{file.name} of {file.repository} is another file on the hub now: its sha256 is {found}, not {wanted}; "
            f"to trust it, run: ricordo models remove {file.repository}, and then {file.mend}"
        )
    return found


def _is(path: Path, offer: Offer) -> bool:
    """Whether the file has the size and the hash of the offer."""
    if path.stat().st_size != offer.size:
        return False
    return (sha256_of(path, "") if SHA256.fullmatch(offer.etag) else git_blob_of(path)) == offer.etag


@contextmanager
def _client() -> Iterator[httpx2.Client]:
    """No cookies, no credentials; proxies and certificates as the environment says."""
    import httpx2

    with httpx2.Client(headers={"User-Agent": "ricordo"}, timeout=httpx2.Timeout(30.0, connect=10.0)) as client:
        yield client


@contextmanager
def _translated(file: HubFile, url: str, but: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Turn what goes wrong on the way into ModelError; `but` comes through."""
    import httpx2

    try:
        yield
    except but:
        raise
    except httpx2.HTTPStatusError as error:
        code = error.response.status_code
        why = "does not exist there" if code == 404 else f"was refused ({code} {error.response.reason_phrase})"
        raise ModelError(f"{file.name} of {file.repository} {why}: {url}; {file.mend}") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ModelError(
            f"cannot reach {url}: {error}; check the connection or set {ENDPOINT} to a mirror, then {file.mend}"
        ) from error


@contextmanager
def _written(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ModelError(f"cannot write {target}: {error.strerror or error}") from error


def _silent(name: str, here: int, size: int) -> None:
    """Tell nobody."""
