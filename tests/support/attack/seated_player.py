"""A sample player that sits in two rooms, and the questions it is asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import orjson
from casino_agentkit import Service
from casino_player_example.app import build_app as build_player
from casino_player_example.settings import PlayerSettings

from support.casino.keyed_casino import KeyedCasino, keyed_casino
from support.players.model_server import ModelServer, sensible
from support.table.table_side import Player, calling

THINK = timedelta(milliseconds=40)
KEY = "the-key-of-the-victim"
Json = dict[str, Any]


def data_of(body: bytes) -> Json:
    """Return the data part of a call that was sent as JSON-RPC."""
    parts = orjson.loads(body)["params"]["message"]["parts"]
    found: Json = next(part["data"] for part in parts if "data" in part)
    return found


@asynccontextmanager
async def sample_player(
    style: str, key: str | None = None, model: ModelServer | None = None
) -> AsyncIterator[Service]:
    """Return a sample player as delivered, which takes time to think."""
    model = model or ModelServer(sensible)
    settings: dict[str, Any] = {"style": style, "name": "Victim", "think": THINK, "key": key}
    if style == "llm":
        settings |= {"llm_base_url": "http://model/v1", "llm_model": "m", "llm_api_key": "k"}
    player = PlayerSettings.model_validate(settings)
    yield build_player(player, "http://victim", provider=model.transport())


QUESTION = {
    "tableId": "r1",
    "bettingRound": "preflop",
    "communityCards": [],
    "holeCards": [{"rank": "A", "suit": "spades"}, {"rank": "A", "suit": "hearts"}],
    "pot": 3,
    "minimumRaise": 2,
    "currentBet": 2,
    "playerStack": 198,
    "legalActions": ["fold", "call"],
}


def invitation(table_id: str, token: str) -> Json:
    """Return an invitation of a casino that is not the player's own."""
    return {
        "casinoName": "A2A Casino",
        "tableId": table_id,
        "roomId": table_id,
        "minBuyIn": 40,
        "maxBuyIn": 400,
        "smallBlind": 1,
        "bigBlind": 2,
        "playerId": "player-1",
        "seatToken": token,
    }


@asynccontextmanager
async def seated_player(
    style: str = "caller", key: str | None = None, **rules: Any
) -> AsyncIterator[KeyedCasino]:
    """Run a casino whose victim has played in two rooms."""
    async with keyed_casino() as casino, sample_player(style, key) as player:
        casino.serve("victim", player)
        seated = f"victim/t/{key}" if key else "victim"  # the address that the operator registers
        casino.players[seated] = Player("Victim", calling)  # stands for the one that is served
        for number in (1, 2):
            await casino.play(f"r{number}", number, seated, f"other{number}", maxHands=1, **rules)
        yield casino
