"""Tables that know only the protocol document: what the lobby takes from them, and asks of them."""

from typing import Any

import httpx
import pytest
from support.attack.forged_calls import RULES, OtherTable, forged_event
from support.casino.casino_side import CasinoHarness, casino_harness

FORWARDED = {"x-forwarded-for": "203.0.113.7"}


async def _invoke(http: httpx.AsyncClient, event: dict[str, Any], **headers: str) -> int:
    """Send an event as clients of version 1.9 of the original's framework do, to the root."""
    reply = await http.post(
        "/entrypoints/recordGameEvent/invoke", json={"input": event}, headers=headers
    )
    return reply.status_code


async def _open(casino: CasinoHarness) -> httpx.Response:
    card = casino.agent("document", OtherTable().agent())
    body = {"roomId": "d1", "tableAgentCardUrl": card, "config": RULES}
    return await casino.http(casino.operator_key).post("/v1/rooms", json=body)


class TestEventsWithoutToken:
    async def test_a_lobby_without_a_key_takes_them(self) -> None:
        async with casino_harness(launch_tables=False) as casino, casino.http() as http:
            assert (await _open(casino)).status_code == 201
            assert await _invoke(http, forged_event("stacks", "d1")) == 200
            assert casino.stored("d1").last_sequence == 1

    @pytest.mark.parametrize(
        ("settings", "headers", "status"),
        [
            ({}, FORWARDED, 401),
            ({}, {"authorization": "Bearer guess"}, 403),
            ({"operator_token": "an-operator-key"}, {}, 401),
        ],
    )
    async def test_they_are_refused(
        self, settings: dict[str, Any], headers: dict[str, str], status: int
    ) -> None:
        """Through a proxy, with another token, and where there is an operator's key."""
        async with casino_harness(launch_tables=False, **settings) as casino, casino.http() as http:
            assert (await _open(casino)).status_code == 201
            assert await _invoke(http, forged_event("stacks", "d1"), **headers) == status
            assert casino.stored("d1").last_sequence == 0

    async def test_a_table_with_a_key_sends_its_token(self) -> None:
        async with casino_harness(launch_tables=False) as casino, casino.http() as http:
            body = {"roomId": "r1", "tableAgentCardUrl": casino.table_card(), "config": RULES}
            assert (await http.post("/v1/rooms", json=body)).status_code == 201
            before = casino.stored().last_sequence
            assert await _invoke(http, forged_event("stacks")) == 401
            assert casino.stored().last_sequence == before
