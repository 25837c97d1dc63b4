"""Generic players at a table of Kuhn poker, by the specification that their lobby has."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from casino_games.registry import specification as specification_of
from casino_games.spec_document import build
from casino_gamespec import GameSpec
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings
from structlog.testing import capture_logs
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.specifications import LobbySide
from support.table.table_side import CONFIG

KUHN = build(specification_of("kuhn_poker"))
HANDS = 30


class KuhnCasino:
    """A room of Kuhn poker at a table that nobody has announced, and its operator."""

    def __init__(self, network: CasinoHarness) -> None:
        self.network = network
        self.operator = Operator(network)

    async def open(self) -> None:
        config = {**CONFIG, "maxSeats": 2, "maxHands": HANDS, "rebuy": "auto"}
        body = {
            "roomId": "r1",
            "tableAgentCardUrl": self.network.table_card(),
            "gameType": "kuhn_poker",
            "config": config,
        }
        reply = await self.operator.post("/v1/rooms", body)
        assert reply.status_code == 201, reply.text

    async def invite(
        self, name: str, reads_at: httpx.AsyncClient | None = None, **settings: Any
    ) -> httpx.Response:
        """Invite a generic player that reads at this casino's lobby, or elsewhere."""
        given = {"style": "generic", "name": name, "lobby_url": "http://lobby", **settings}
        service = build_app(
            PlayerSettings.model_validate(given),
            f"http://{name}",
            http=reads_at or self.network.http(),
        )
        self.network.serve(name, service)
        return await self.operator.seat(name)

    async def refusal(self, reads_at: httpx.AsyncClient) -> str:
        """Return what the operator reads about a player that refuses its seat."""
        reply = await self.invite("ada", reads_at)
        problem = reply.json()
        assert (reply.status_code, problem["type"]) == (409, "/problems/agent-refused")
        assert problem["reason"] == "SPECIFICATION_UNAVAILABLE"
        room = await self.operator.room()
        assert room.summary is not None
        assert room.summary.players == ()
        detail: str = problem["detail"]
        return detail

    async def play(self) -> list[dict[str, Any]]:
        """Play the session; return its public events."""
        room = await self.operator.idle_room()
        assert room.summary is not None
        assert room.summary.hand_count == HANDS
        page = await self.operator.http.get("/v1/rooms/r1/events?limit=5000")
        events: list[dict[str, Any]] = page.json()["events"]
        return events


@pytest.fixture
async def casino() -> AsyncIterator[KuhnCasino]:
    """Run a lobby that launches no tables, a process of tables, and open the room."""
    async with casino_harness(2, launch_tables=False) as network:
        casino = KuhnCasino(network)
        await casino.open()
        yield casino


def payloads(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["payload"] for event in events if event["eventType"] == kind]


async def test_two_players_that_know_the_document_play_a_session(casino: KuhnCasino) -> None:
    """Every decision is their own, and every result is as the specification says."""
    with capture_logs() as logs:
        for name in ("ada", "bob"):
            assert (await casino.invite(name)).status_code == 201
        events = await casino.play()
    assert {entry["outcome"] for entry in payloads(events, "action_taken")} == {"ok"}
    assert not [entry for entry in logs if entry["log_level"] == "warning"]
    document = await casino.operator.http.get("/api/games/kuhn_poker/spec")
    spec = GameSpec.parse(document.text)
    results = [entry["result"] for entry in payloads(events, "hand_completed")]
    assert len(results) == HANDS
    assert {spec.check_result(result) for result in results} == {()}
    assert all(sum(result["scores"].values()) == 0 for result in results)
    assert spec.check_result({**results[0], "winner": 7}) != ()


async def test_a_player_whose_lobby_lacks_the_game_takes_no_seat(casino: KuhnCasino) -> None:
    """The operator reads which games it has; a player with the game still gets the seat."""
    side = LobbySide(chess=KUHN)
    assert "kuhn_poker is not offered; the games are: chess" in await casino.refusal(side.client())
    for name in ("bob", "eve"):
        assert (await casino.invite(name)).status_code == 201
