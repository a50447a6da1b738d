"""The plugin for Claude Code has the shape that Claude Code takes, and says what `ricordo install` would."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from documentation import ROOT
from ricordo.clients.assistants import find_assistant
from ricordo.clients.changes import handlers
from ricordo.clients.entries import Invocation
from ricordo.keeper.frames import VERSION

PLUGIN = ROOT / "plugins" / "claude-code"
SKILL = PLUGIN / "skills" / "long-term-memory" / "SKILL.md"
ON_PATH = Invocation(program=("ricordo",))
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LISTED = 1_536
"""Characters of a skill's description that Claude Code shows to the model."""

claude_code = find_assistant("claude-code")


def load(path: Path) -> Any:  # noqa: ANN401  # JSON of others' shape
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_manifest_has_a_name_and_this_version() -> None:
    manifest = load(PLUGIN / ".claude-plugin" / "plugin.json")

    assert KEBAB.fullmatch(manifest["name"])
    assert manifest["version"] == VERSION
    assert set(manifest) <= {"name", "version", "description", "author", "homepage", "license", "keywords"}
    assert manifest["author"]["name"]


def test_the_marketplace_leads_to_the_plugin() -> None:
    marketplace = load(ROOT / ".claude-plugin" / "marketplace.json")

    assert KEBAB.fullmatch(marketplace["name"])
    assert marketplace["owner"]["name"]
    (plugin,) = marketplace["plugins"]
    assert (ROOT / plugin["source"]).resolve() == PLUGIN
    assert plugin["name"] == load(PLUGIN / ".claude-plugin" / "plugin.json")["name"]


def test_the_server_is_the_one_that_is_installed() -> None:
    assert load(PLUGIN / ".mcp.json") == {"mcpServers": {"ricordo": ON_PATH.server(claude_code.extra)}}


def test_the_hooks_are_those_that_are_installed() -> None:
    file = load(PLUGIN / "hooks" / "hooks.json")

    assert file["hooks"] == {event: [{"hooks": [handler]}] for event, handler in handlers(claude_code, ON_PATH).items()}
    assert set(file) == {"description", "hooks"}


def test_the_skill_says_when_to_use_it() -> None:
    _, front, body = SKILL.read_text(encoding="utf-8").split("---\n", 2)
    properties = yaml.safe_load(front)

    assert set(properties) == {"name", "description"}
    assert properties["name"] == SKILL.parent.name
    assert KEBAB.fullmatch(properties["name"])
    assert len(properties["name"]) <= 64
    assert 0 < len(properties["description"]) <= min(1024, LISTED)
    assert body.startswith("\n# ")


@pytest.mark.parametrize("tool", ["recall", "remember", "revise", "forget", "timeline"])
def test_the_skill_names_tools_that_there_are(tool: str) -> None:
    from ricordo.mcp.surface import TOOLS

    assert f"`{tool}`" in SKILL.read_text(encoding="utf-8")
    assert tool in {surface.name for surface in TOOLS}
