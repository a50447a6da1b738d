"""Configuration files of six assistants as people have them: their own comments, orders, tabs and line ends."""

from __future__ import annotations

__all__ = ["FILES"]

CLAUDE_STATE = """{
  "numStartups": 184,
  "installMethod": "native",
  "autoUpdates": true,
  "tipsHistory": {"new-user-warmup": 3, "plan-mode-for-complex-tasks": 171},
  "oauthAccount": {
    "accountUuid": "7c1e0a52-5a8e-4df0-9f0a-2f8f1f6f2c11",
    "emailAddress": "mira@example.org"
  },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/"
    },
    "files": {"type": "stdio", "command": "npx", "args": ["-y", "server-filesystem", "/home/mira"], "env": {}}
  },
  "projects": {
    "/home/mira/atlas": {
      "allowedTools": [],
      "history": [{"display": "warum schlägt der Test fehl? ✓", "pastedContents": {}}],
      "mcpServers": {}
    }
  },
  "hasCompletedOnboarding": true
}
"""

CLAUDE_SETTINGS = """{
\t"permissions": {
\t\t"allow": ["Bash(git diff:*)", "Read(~/notes/**)"]
\t},
\t"hooks": {
\t\t"UserPromptSubmit": [
\t\t\t{
\t\t\t\t"hooks": [
\t\t\t\t\t{ "type": "command", "command": "/usr/local/bin/redact --prompt" }
\t\t\t\t]
\t\t\t}
\t\t],
\t\t"PostToolUse": [
\t\t\t{ "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "make fmt", "timeout": 30 }] }
\t\t]
\t},
\t"model": "opus"
}
"""

CLAUDE_DESKTOP = """{
  "globalShortcut": "",
  "mcpServers": {
    "weather": {
      "command": "uv",
      "args": ["--directory", "/Users/mira/weather", "run", "weather.py"]
    }
  }
}"""

CODEX = """# Codex, as I like it
model = "gpt-5.4"
approval_policy = "on-request"   # ask me

[projects."/home/mira/atlas"]
trust_level = "trusted"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]

# my own settings below
[tui]
notifications = ["agent-turn-complete"]
"""

CODEX_HOOKS = """{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "notify-send done",
            "timeout": 5
          }
        ]
      }
    ]
  }
}
"""

CURSOR = '{"mcpServers": {"linear": {"url": "https://mcp.linear.app/sse"}}}\n'

VSCODE = """{
    // Servers of this machine. Keys are asked for, not kept here.
    "inputs": [
        {
            "type": "promptString",
            "id": "perplexity-key",
            "description": "Perplexity API key",
            "password": true, // never in the file
        },
    ],
    "servers": {
        "perplexity": {
            "type": "stdio",
            "command": "npx",
            "args": ["-y", "server-perplexity-ask"],
            "env": { "KEY": "${input:perplexity-key}" }
        }, /* the only one so far */
    },
}
"""

GEMINI = """{
  "security": {
    "auth": {
      "selectedType": "oauth-personal"
    }
  },
  "ui": {
    "theme": "GitHub"
  }
}
"""

FILES = {
    "claude-code": {".claude.json": CLAUDE_STATE, ".claude/settings.json": CLAUDE_SETTINGS},
    "claude-desktop": {".config/Claude/claude_desktop_config.json": CLAUDE_DESKTOP},
    "codex": {".codex/config.toml": CODEX, ".codex/hooks.json": CODEX_HOOKS},
    "cursor": {".cursor/mcp.json": CURSOR},
    "vscode": {".config/Code/User/mcp.json": VSCODE},
    "gemini": {".gemini/settings.json": GEMINI},
}
"""Assistant → file below the home folder on Linux → what it holds."""
