"""The service as an MCP server with the official SDK for Python."""

from typing import TypedDict

from mcp.server.mcpserver import MCPServer

server = MCPServer("bench")


class Echo(TypedDict):
    a: int
    b: int
    s: str


@server.tool()
def echo(a: int, b: int, s: str) -> Echo:
    """Sends back what it got."""
    return {"a": a, "b": b, "s": s}


server.run("stdio")
