"""The tools, one file each."""

from typing import Any

from recollect.mcp.tool import Tool
from recollect.mcp.tools import context, explore, forget, history, profile, query, recall, remember

TOOLS: dict[str, Tool[Any]] = {
    each.TOOL.name: each.TOOL for each in (remember, recall, context, query, explore, profile, history, forget)
}

__all__ = ["TOOLS"]
