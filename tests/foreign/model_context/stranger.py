"""A player that knows nothing of a casino but what its tools say, over any client of MCP."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from mcp import Client

Json = dict[str, Any]
Choose = Callable[[list[Json]], Json]
"""Returns one of the offered actions."""
_WORDS = re.compile(r"[a-z_]+")


class Stranger:
    """Does what `next` says: calls the tools that it names, in their order.

    A tool's arguments are the fields of the same names in earlier results.
    """

    def __init__(self, client: Client, name: str, room: str, choose: Choose) -> None:
        self.client = client
        self._choose = choose
        self._tools: dict[str, Json] = {}
        self._known: Json = {"name": name, "room": room}
        self.rules = ""
        self.reports: list[Json] = []
        """What wait_for_turn has returned."""
        self.acted = 0

    async def play(self) -> Json:
        """Take a seat in the room and play to the end; returns the standings."""
        listed = (await self.client.list_tools()).tools
        self._tools = {tool.name: tool.input_schema["properties"] for tool in listed}
        result = await self.call("list_rooms")
        room = next(one for one in result["rooms"] if one["room"] == self._known["room"])
        self.rules = str(await self.read(room["rules"]))
        while "standings" not in (steps := self._named(result["next"])):
            for step in steps:
                result = await self.call(step) or result
        return await self.call("standings")

    async def call(self, tool: str) -> Json:
        """Call a tool with what is known; returns its result, of a text nothing."""
        known = {name: self._known[name] for name in self._tools[tool] if name in self._known}
        answer = await self.client.call_tool(tool, known)
        result: Json = answer.structured_content or {}
        assert not answer.is_error, (tool, known, answer.content)
        if tool == "wait_for_turn":
            self.reports.append(result)
        self.acted += tool == "act"
        self._learn(result)
        return result if "next" in result else {}

    async def read(self, uri: str) -> str:
        """Read a resource of text."""
        contents = (await self.client.read_resource(uri)).contents
        return str(contents[0].model_dump()["text"])

    def _named(self, text: str) -> list[str]:
        return [word for word in _WORDS.findall(text) if word in self._tools]

    def _learn(self, result: Mapping[str, Any]) -> None:
        self._known |= {
            name: value
            for name, value in result.items()
            if isinstance(value, str | int) and name not in {"name", "action"}
        }
        if offers := result.get("legal_actions"):
            self._known |= arguments(offers, self._choose)


def arguments(offers: list[Json], choose: Choose) -> Json:
    """Return the arguments of `act` for one of the offered actions."""
    offer = choose(offers)
    kind = offer["action_type"]
    is_alone = sum(one["action_type"] == kind for one in offers) == 1
    return {"action": kind if is_alone else json.dumps(offer), "amount": offer.get("min")}
