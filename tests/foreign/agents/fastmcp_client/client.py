"""FastMCP's client plays a first hand: `client.py CONFIGURATION ROOM`, a host's `mcpServers`.

Prints what it has seen as JSON: tools, the rules' length, the statuses, and the standings.
"""

import asyncio
import json
import sys

from fastmcp import Client


async def main(configuration: str, room: str) -> None:
    """Sit down, check or call until the first hand is over, and leave."""
    async with Client(json.loads(configuration)) as client:
        tools = [tool.name for tool in await client.list_tools()]
        rooms = (await client.call_tool("list_rooms", {})).structured_content["rooms"]
        offered = next(one for one in rooms if one["room"] == room)
        rules = await client.read_resource(offered["rules"])
        taken = await client.call_tool("sit_down", {"room": room, "name": "FastMCP"})
        seat = {"seat": taken.structured_content["seat"]}
        first, statuses = None, []
        while not statuses or statuses[-1] != "over":
            report = (await client.call_tool("wait_for_turn", seat)).structured_content
            statuses.append(report["status"])
            if report["status"] != "your_turn":
                continue
            first = first or report["hand_number"]
            if report["hand_number"] > first:
                break
            kinds = [offer["action_type"] for offer in report["legal_actions"]]
            kind = next(one for one in ("check", "call", *kinds) if one in kinds)
            await client.call_tool("act", {**seat, "turn": report["turn"], "action": kind})
        await client.call_tool("leave", seat)
        standings = (await client.call_tool("standings", {"room": room})).structured_content
    seen = {
        "tools": tools,
        "rules": len(rules[0].text),
        "statuses": statuses,
        "standings": standings,
    }
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
