"""Generic players at a table of Kuhn poker, by the specification that their lobby has."""

import httpx
from casino_games.registry import specification
from casino_games.spec_document import build
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.specifications import LobbySide
from support.table.table_side import CONFIG

HANDS = 30


async def invited(
    network: CasinoHarness, name: str, reads_at: httpx.AsyncClient | None = None
) -> httpx.Response:
    """Invite a generic player that reads at this casino's lobby, or elsewhere."""
    settings = PlayerSettings(style="generic", name=name, lobby_url="http://lobby")
    service = build_app(settings, f"http://{name}", http=reads_at or network.http())
    network.serve(name, service)
    return await Operator(network).seat(name)


async def test_who_knows_the_game_plays_and_who_does_not_takes_no_seat() -> None:
    """The operator reads which games the player's lobby has; no table has announced itself."""
    side = LobbySide(chess=build(specification("kuhn_poker")))
    async with casino_harness(2, launch_tables=False) as network:
        operator = Operator(network)
        body = {
            "roomId": "r1",
            "tableAgentCardUrl": network.table_card(),
            "gameType": "kuhn_poker",
            "config": {**CONFIG, "maxSeats": 2, "maxHands": HANDS, "rebuy": "auto"},
        }
        assert (await operator.post("/v1/rooms", body)).status_code == 201
        refused = await invited(network, "ada", side.client())
        problem = refused.json()
        assert (refused.status_code, problem["type"]) == (409, "/problems/agent-refused")
        assert problem["reason"] == "SPECIFICATION_UNAVAILABLE"
        assert "kuhn_poker is not offered; the games are: chess" in problem["detail"]
        for name in ("bob", "eve"):
            assert (await invited(network, name)).status_code == 201
        room = await operator.idle_room()
        assert room.summary is not None
        assert room.summary.hand_count == HANDS
        page = await operator.http.get("/v1/rooms/r1/events?limit=5000")
    taken = [one["payload"] for one in page.json()["events"] if one["eventType"] == "action_taken"]
    assert {payload["outcome"] for payload in taken} == {"ok"}
