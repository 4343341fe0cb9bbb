"""What a person pastes into the settings of an assistant, so that it starts `recollect mcp`."""

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

NAME = "recollect"


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines for one assistant, and where they go."""

    client: str
    title: str
    where: str
    text: str
    """To be pasted as it is."""


def lines_for(client: str, command: str, arguments: Sequence[str]) -> list[Lines]:
    """The lines for an assistant."""
    return [make(client, command, list(arguments)) for make in CLIENTS[client]]


def _claude_code(client: str, command: str, arguments: list[str]) -> Lines:
    line = shlex.join(["claude", "mcp", "add", "--scope", "user", NAME, "--", command, *arguments])
    return Lines(client, "Claude Code", "in a terminal", line)


def _claude_desktop(client: str, command: str, arguments: list[str]) -> Lines:
    where = "in claude_desktop_config.json (Settings, Developer, Edit Config), then start it again"
    return Lines(client, "Claude Desktop", where, _servers("mcpServers", _server(command, arguments)))


def _cursor(client: str, command: str, arguments: list[str]) -> Lines:
    where = "in ~/.cursor/mcp.json, or .cursor/mcp.json of a project"
    return Lines(client, "Cursor", where, _servers("mcpServers", _server(command, arguments)))


def _vscode(client: str, command: str, arguments: list[str]) -> Lines:
    where = "in .vscode/mcp.json of a project, or with the command “MCP: Open User Configuration”"
    return Lines(client, "VS Code", where, _servers("servers", {"type": "stdio", **_server(command, arguments)}))


def _server(command: str, arguments: list[str]) -> dict[str, Any]:
    return {"command": command, "args": arguments}


def _servers(key: str, server: dict[str, Any]) -> str:
    return json.dumps({key: {NAME: server}}, indent=2, ensure_ascii=False)


CLIENTS: dict[str, tuple[Callable[[str, str, list[str]], Lines], ...]] = {
    "claude": (_claude_code, _claude_desktop),
    "cursor": (_cursor,),
    "vscode": (_vscode,),
}
