"""`casino verify` checks the signed results of a room's sessions, at a lobby and from files."""

import json
from pathlib import Path
from typing import Any

import httpx
from casino_agentkit.card_key import CardKey
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.console_side import casino

RESULTS = "/v1/rooms/r1/results"


class Changed(httpx.AsyncBaseTransport):
    """A lobby that says another winner, under its old signature."""

    def __init__(self, network: CasinoHarness) -> None:
        self._lobby = httpx.ASGITransport(network.transport.apps[LOBBY])

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer as the lobby, or with another net."""
        reply = await self._lobby.handle_async_request(request)
        document = json.loads(await reply.aread())
        if request.url.path == RESULTS:
            document["results"][0]["players"][0]["net"] += 1
        return httpx.Response(reply.status_code, json=document)


async def test_results_are_checked_with_the_room_and_offline(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    key = CardKey.kept_at(file).public.thumbprint
    async with casino_harness(card_key=file) as harness:
        operator = Operator(harness)
        await operator.open(maxHands=3, maxSeats=2)
        for name in ("ada", "bob"):
            harness.player(name)
            await operator.seat(name)
        await operator.idle_room()
        lobby = httpx.ASGITransport(harness.transport.apps[LOBBY])
        ended = await casino("verify", "r1", to=lobby)
        changed = await casino("verify", "r1", to=Changed(harness))
        signed = (await operator.http.get(RESULTS)).json()
        events: Any = (await operator.http.get("/v1/rooms/r1/events?limit=5000")).json()["events"]
    last = events[-1]["sequence"]
    said = f"signed       result of r1 1/1 to 1/{last}, by {key}"
    assert said in ended.stdout
    assert changed.exit_code == 1
    assert f"WRONG        result of r1 1/1 to 1/{last}: signature: it is none" in changed.stdout
    alone, both = tmp_path / "results.json", tmp_path / "both.json"
    alone.write_text(json.dumps(signed))
    ended = await casino("verify", str(alone))
    assert (ended.exit_code, ended.stdout.strip()) == (
        0,
        f"{said}; its events are deleted: only its signature is checked",
    )
    both.write_text(json.dumps([signed, {"events": events}]))
    assert said + "\n" in (await casino("verify", str(both))).stdout
    events[5]["message"] += "!"
    both.write_text(json.dumps([signed, {"events": events}]))
    ended = await casino("verify", str(both), "--json")
    assert ended.exit_code == 1
    assert "chain: the events from 1/1" in json.loads(ended.stdout.splitlines()[-1])["fault"]
