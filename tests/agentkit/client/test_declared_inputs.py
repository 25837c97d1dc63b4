"""The fields that a card declares for its entrypoints."""

from typing import Any

import pytest
from casino_agentkit import ANYONE, Agent
from casino_agentkit.client.card_discovery import declared_inputs
from casino_contracts import RecordGameEventInput, RecordGameEventOutput, TableEvent
from support.table.table_side import SOON, InProcessNetwork


async def test_a_resolved_agent_says_what_its_entrypoints_take() -> None:
    agent = Agent("Lobby", "Takes events.")

    @agent.entrypoint("either", who=ANYONE)
    async def either(_given: RecordGameEventInput) -> RecordGameEventOutput:
        return RecordGameEventOutput()

    @agent.entrypoint("single", who=ANYONE)
    async def single(_given: TableEvent) -> RecordGameEventOutput:
        return RecordGameEventOutput()

    network = InProcessNetwork()
    card_url = network.add("lobby", agent)
    peer = await network.client().resolve(card_url, timeout=SOON)
    assert {"events", "tableId", "payload"} <= peer.inputs["either"]
    assert "tableId" in peer.inputs["single"]
    assert "events" not in peer.inputs["single"]


@pytest.mark.parametrize(
    "params",
    [
        [],
        [None],
        [{"entrypoints": {"skill": "s"}}],
        [{"entrypoints": ["s", {"skill": 1, "input": {}}, {"input": {}}]}],
        [{"entrypoints": [{"skill": "x" * 129, "input": {"properties": {"a": {}}}}]}],
    ],
)
def test_what_is_no_entrypoint_is_left_out(params: list[Any]) -> None:
    assert declared_inputs(params) == {}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        {"properties": ["a"]},
        {"oneOf": "a", "anyOf": [None, 3, {"$ref": 3}, {"$ref": "#/$defs/Missing"}]},
        {"oneOf": [{"$ref": "#/$defs/A"}], "$defs": []},
        {"properties": {"x" * 129: {}}},
    ],
)
def test_an_unreadable_schema_declares_nothing(schema: Any) -> None:
    declared = declared_inputs([{"entrypoints": [{"skill": "s", "input": schema}]}])
    assert declared == {"s": frozenset()}


def test_what_is_kept_of_a_card_is_bounded() -> None:
    fields: dict[str, Any] = {f"field {number}": {} for number in range(1000)}
    entrypoints = [{"skill": f"s{n}", "input": {"properties": fields}} for n in range(1000)]
    declared = declared_inputs([{"entrypoints": entrypoints}])
    assert sum(map(len, declared.values())) <= 64 * 64
