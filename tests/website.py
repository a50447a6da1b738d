"""A memory behind its pages and REST, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from httpx2 import Response
from starlette.testclient import TestClient

import ricordo
from ricordo.engine import Engine
from ricordo.render.reports import Diagnosis, Finding, Setting
from ricordo.settings import Settings
from ricordo.testing import HashEmbedder
from ricordo.web.access import Access
from ricordo.web.app import create_app

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
PORT = 7432
BASE = f"http://127.0.0.1:{PORT}"
DIAGNOSIS = Diagnosis(
    settings={"store": Setting(value="memory:", origin="default")},
    findings=(Finding(name="store", status="fault", message="<b>broken</b>", mend="mend it"),),
)


@dataclass(frozen=True)
class Site:
    """A running application, seen by a program that has the token and by a browser that has signed in."""

    access: Access
    program: TestClient
    browser: TestClient
    stranger: TestClient

    def form(self, path: str, **fields: str | list[str]) -> Response:
        """Send a form of our pages, without following where it leads."""
        data = {"csrf": self.access.csrf, **fields}
        headers = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}
        return self.browser.post(path, data=data, headers=headers, follow_redirects=False)

    def remember(self, text: str, **fields: object) -> str:
        answer = self.program.post("/api/remember", json={"text": text, **fields})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


def engine(tz: str = "UTC", url: str = "memory:") -> Engine:
    return ricordo.open(settings=Settings(store=url, tz=tz), embedder=HashEmbedder(), clock=lambda: NOW)


@contextmanager
def running(tz: str = "UTC", url: str = "memory:") -> Iterator[Site]:
    """The application over an empty memory, whose owner lives in the zone."""
    access = Access(port=PORT)
    app = create_app(engine(tz, url), access, lambda: DIAGNOSIS)
    with TestClient(app, base_url=BASE) as stranger:
        program = TestClient(app, base_url=BASE, headers={"Authorization": f"Bearer {access.token}"})
        browser = TestClient(app, base_url=BASE, headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"})
        browser.cookies.set(access.cookie_name, access.session, domain="127.0.0.1")
        yield Site(access, program, browser, stranger)
