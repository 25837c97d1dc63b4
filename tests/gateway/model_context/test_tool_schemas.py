"""Hosts of models take the tools: their schemas, names and sizes are within every host's limits."""

from unittest.mock import Mock

import pytest
import pytest_asyncio
from casino_gateway.model_context.mcp_server import model_server
from casino_gateway.model_context.model_seats import ModelSeats
from mcp import Client
from mcp_types import Tool

PLAIN = {"default", "description", "items", "maximum", "maxLength", "minimum", "title", "type"}
"""What every host's interface knows of JSON Schema."""
SCALARS = {"boolean", "integer", "number", "string"}
LONGEST_NAME = 40
"""Of 60 characters that hosts allow, with their name of the server."""
LONGEST_INSTRUCTIONS = 512
"""Characters of which every host reads at least the first."""
MOST_CHARACTERS = 20_000
"""Of all tools in JSON; models read them before every session."""


@pytest_asyncio.fixture
async def client() -> Client:
    """Return a client of the server, in this process; nothing is called."""
    return Client(model_server(ModelSeats(Mock(), Mock(), Mock(), Mock(), lambda: 0.0)))


async def tools_of(client: Client) -> list[Tool]:
    async with client:
        return (await client.list_tools()).tools


async def test_every_argument_has_one_plain_type(client: Client) -> None:
    """Gemini refuses unions, null and exclusive limits; Codex makes a string of them."""
    for tool in await tools_of(client):
        schema = tool.input_schema
        assert schema.keys() <= {"properties", "required", "title", "type"}, tool.name
        for name, argument in schema["properties"].items():
            assert argument.keys() <= PLAIN, (tool.name, name, argument)
            assert argument.get("default", 0) is not None, (tool.name, name)
            one = argument["items"] if argument["type"] == "array" else argument
            assert one["type"] in SCALARS, (tool.name, name, argument)


async def test_names_and_sizes_are_within_limits(client: Client) -> None:
    """Every tool says what it does, and returns an object with a schema, or a text."""
    tools = await tools_of(client)
    assert all(tool.name.replace("_", "").isalpha() for tool in tools)
    assert max(len(tool.name) for tool in tools) <= LONGEST_NAME
    assert all(tool.description and tool.output_schema for tool in tools)
    assert sum(len(tool.model_dump_json(exclude_none=True)) for tool in tools) <= MOST_CHARACTERS


async def test_the_instructions_are_read_whole(client: Client) -> None:
    async with client:
        assert 0 < len(client.instructions or "") <= LONGEST_INSTRUCTIONS


@pytest.mark.parametrize("left_out", [{}, {"seat": None}, {"amount": None, "say": None}])
async def test_null_is_an_argument_that_is_left_out(
    client: Client, left_out: dict[str, None]
) -> None:
    """Hosts send null for what a model leaves out, although the schema has no null."""
    async with client:
        answer = await client.call_tool("act", {"turn": 1, "action": "fold", **left_out})
    assert answer.is_error
    assert "validation error" not in answer.content[0].model_dump()["text"]


@pytest.mark.parametrize("action", ["fold", '{"action_type": "fold"}', {"action_type": "fold"}])
async def test_an_action_is_a_word_or_an_object(client: Client, action: object) -> None:
    """Hosts send objects as objects or as their JSON text."""
    async with client:
        answer = await client.call_tool("act", {"turn": 1, "action": action})
    assert "validation error" not in answer.content[0].model_dump()["text"]
