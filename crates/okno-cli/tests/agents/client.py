"""The official MCP client against a running `okno`: over standard input and output, or over HTTP.

Usage: client.py stdio OKNO INDEX | client.py http URL
Prints one JSON object with what it saw; the Rust test judges it.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp.client.streamable_http import streamable_http_client as http_client
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as http_client


def either(thing, *names):
    """A field by any of its names: the first version of the client spoke camelCase, the second snake_case."""
    return next(getattr(thing, name) for name in names if hasattr(thing, name))


async def look(session):
    about = await session.initialize()
    seen = {"server": either(about, "server_info", "serverInfo").name, "instructions": about.instructions}
    seen["tools"] = sorted(tool.name for tool in (await session.list_tools()).tools)

    async def call(name, **arguments):
        result = await session.call_tool(name, arguments)
        return {"error": bool(either(result, "is_error", "isError")), "text": "".join(part.text for part in result.content)}

    seen["search"] = await call("search", question="How hot should water for black tea be?", budget=60)
    seen["filtered"] = await call("search", question="tea", filter="kind = drink")
    seen["unknown_field"] = await call("search", question="tea", filter="nofield = 1")
    seen["open"] = await call("open", document="tea.md", start=75, end=80, around=0)
    seen["around"] = await call("open", document="tea.md", start=75, end=80, around=1)
    seen["small"] = await call("open", document="tea.md", budget=10)
    seen["missing"] = await call("open", document="none.md")
    seen["list"] = await call("list_documents")
    seen["filters"] = await call("filters")
    resources = (await session.list_resources()).resources
    seen["resources"] = [str(resource.uri) for resource in resources]
    read = await session.read_resource(resources[0].uri)
    seen["read"] = read.contents[0].text
    if "ask" in seen["tools"]:
        seen["ask"] = await call("ask", question="How hot should water for black tea be?")
    return seen


async def main():
    if sys.argv[1] == "stdio":
        server = StdioServerParameters(command=sys.argv[2], args=["mcp", "--index", sys.argv[3]])
        async with stdio_client(server) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                return await look(session)
    async with http_client(sys.argv[2]) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            return await look(session)


print(json.dumps(asyncio.run(main()), ensure_ascii=False))
