"""A table that only knows the protocol document records events by its secret address alone."""

from typing import Any

import orjson
from casino.attack.binding_calls import BINDINGS
from support.attack.forged_calls import RULES, OtherTable, forged_event
from support.casino.keyed_casino import KeyedCasino, keyed_casino


async def test_only_the_capability_address_records_events() -> None:
    """Guesses and other tokens in its place do not."""
    async with keyed_casino() as casino:
        table = OtherTable()
        card = casino.agent("document", table.agent())
        casino.player("ada")
        body = {"roomId": "d1", "tableAgentCardUrl": card, "config": RULES}
        opened = await casino.operator().post("/v1/rooms", body)
        assert opened.status_code == 201, opened.text
        await casino.operator().seat("ada", "d1")
        ((_, configured),) = [one for one in table.received if one[0] == "configureTable"]
        callback = configured["casinoCallback"]
        assert "secret" not in callback
        card_of_lobby = orjson.loads(
            (await casino.traffic.send("GET", callback["agentCardUrl"])).body
        )
        url = card_of_lobby["supportedInterfaces"][0]["url"]
        assert url.startswith("http://lobby/t/")
        event = forged_event("stacks", "d1")
        for guess in (
            "http://lobby/a2a/jsonrpc",
            "http://lobby/t//a2a/jsonrpc",
            "http://lobby/t/guess/a2a/jsonrpc",
            url.replace(casino.key("d1").events, casino.key("d1").table),
            url.replace(casino.key("d1").events, casino.key("d1").events.upper()),
            url.replace(casino.key("d1").events, casino.key("d1").events[:-1]),
            url.replace(casino.key("d1").events, casino.seat_token("player-1", "d1")),
        ):
            assert await _recorded_at(casino, guess, event) is False, guess
        before = casino.stored("d1").last_sequence
        assert await _recorded_at(casino, url, event) is True
        assert casino.stored("d1").last_sequence == before + 1
        assert {agent.card_url for agent in casino.stored("d1").agents.values()} == {
            "http://ada/.well-known/agent-card.json"
        }


async def _recorded_at(casino: KeyedCasino, url: str, event: dict[str, Any]) -> bool:
    """Send an event to an address without a token; tells whether it was recorded."""
    body = BINDINGS[0].body("recordGameEvent", event)
    answer = await casino.traffic.send(
        "POST",
        url,
        headers={"A2A-Version": "1.0", "content-type": "application/json"},
        content=orjson.dumps(body),
    )
    return answer.status == 200 and "result" in orjson.loads(answer.body)
