"""The process of sample players: one at the root, or many below /players."""

from datetime import timedelta
from typing import Any

import orjson
import pytest
from casino_agentkit import AgentClient, RemoteRefused
from casino_contracts import (
    ActionResponse,
    Card,
    ContributeOutput,
    SignupInvitation,
    SignupResponse,
)
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings
from support.in_process import InProcessTransport
from support.players.fair_table import QUESTION, FairTable

INVITATION = SignupInvitation(
    casino_name="C",
    table_id="t",
    room_id="r",
    min_buy_in=1,
    max_buy_in=2,
    small_blind=1,
    big_blind=2,
)
SOON = timedelta(seconds=5)


async def names(settings: PlayerSettings, *paths: str) -> list[str]:
    """Return the names with which the players at these paths sign up."""
    transport = InProcessTransport({"http://players": build_app(settings, "http://players").asgi()})
    client = AgentClient(transport)
    found = []
    for path in paths:
        player = await client.resolve(f"http://players{path}", timeout=SOON)
        signup = await player.call("signup", INVITATION, SignupResponse, timeout=SOON)
        found.append(signup.display_name)
    return found


async def test_a_single_player_is_served_at_the_root() -> None:
    """Its name is its style's by default."""
    assert await names(PlayerSettings(style="maniac"), "") == ["Maniac"]
    assert await names(PlayerSettings(name="Ada"), "") == ["Ada"]


async def test_many_players_share_a_process() -> None:
    """Each has its own card and name."""
    settings = PlayerSettings(count=3)
    found = await names(settings, "/players/1", "/players/2", "/players/3")
    assert found == ["Caller 1", "Caller 2", "Caller 3"]


async def test_a_player_contributes_and_refuses_cards_that_were_not_committed_to() -> None:
    """Other questions are answered, and those of a table without contributors."""
    app = build_app(PlayerSettings(), "http://players")
    transport = InProcessTransport({"http://players": app.asgi()})
    player = await AgentClient(transport).resolve("http://players", timeout=SOON)
    assert "contribute" in player.skills
    table = FairTable()

    async def contribute(request: dict[str, Any]) -> dict[str, Any]:
        body = orjson.dumps(request)
        reply = await player.call("contribute", body, ContributeOutput, timeout=SOON)
        return reply.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def asked(number: int, cards: list[int], proof: dict[str, Any] | None) -> str:
        hole = [Card.of_number(card).model_dump(mode="json") for card in cards]
        question = QUESTION | {"handNumber": number, "holeCards": hole, "requestId": f"r{number}"}
        body = orjson.dumps(question | ({"proof": proof} if proof else {}))
        return (await player.call("act", body, ActionResponse, timeout=SOON)).action

    assert await asked(1, [0, 1], None) == "call"
    second = table.commit(await contribute(table.request()))
    revealed = await contribute(second)
    assert await contribute(table.contribute(revealed)) == {}
    again = FairTable(secret=bytes(32))
    with pytest.raises(RemoteRefused, match="main/1/1 has had another one before") as refusal:
        await contribute(again.commit(await contribute(table.request())))
    assert refusal.value.reason == "UNFAIR_DEAL"
    proof, cards = table.deal(2)
    assert await asked(2, cards, proof) == "call"
    for number, dealt, given in ((3, cards, proof), (3, cards, None)):
        with pytest.raises(RemoteRefused, match="The deal is not fair: hand 3 of main/1/1: proof"):
            await asked(number, dealt, given)
