"""The pages: one module for each, and the table of their routes."""

from __future__ import annotations

from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ricordo.web.pages import door, forgetting, imports, memory, search, sources, statistics, timeline, why
from ricordo.web.rendering import action, page

__all__ = ["PAGES"]

PAGES: tuple[Route | Mount, ...] = (
    Route("/", page(search.show)),
    Route("/remember", page(memory.blank), methods=["GET"]),
    Route("/remember", action(memory.remember), methods=["POST"]),
    Route("/memory/{id}", page(memory.show), methods=["GET"]),
    Route("/memory/{id}", action(memory.revise), methods=["POST"]),
    Route("/bury", action(memory.bury), methods=["POST"]),
    Route("/forget", page(forgetting.confirm), methods=["GET"]),
    Route("/forget", action(forgetting.forget), methods=["POST"]),
    Route("/trash", page(forgetting.trash), methods=["GET"]),
    Route("/trash", action(forgetting.decide), methods=["POST"]),
    Route("/why", page(why.show)),
    Route("/timeline", page(timeline.show)),
    Route("/sources", page(sources.show)),
    Route("/source", page(sources.one), methods=["GET"]),
    Route("/source", action(sources.reread), methods=["POST"]),
    Route("/import", page(imports.show), methods=["GET"]),
    Route("/import", imports.receive_files, methods=["POST"]),
    Route("/statistics", page(statistics.show)),
    Route("/namespaces", page(statistics.namespaces)),
    Route("/settings", page(statistics.settings), methods=["GET"]),
    Route("/settings", action(door.prefer), methods=["POST"]),
    Route("/sign-in", door.sign_in, methods=["POST"]),
    Mount("/static", StaticFiles(packages=[("ricordo.web", "static")])),
)
