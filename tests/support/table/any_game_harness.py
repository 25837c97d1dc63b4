"""A table of any game, with players that play any game."""

from typing import Any

from casino_games import game_class
from casino_table.journal.disk_log import DiskLog

from support.players.any_player import AnyPlayer
from support.table.table_harness import TableHarness
from support.table.table_side import configuring, seating

RULES = {"startingStack": 400, "minBuyIn": 40, "maxBuyIn": 400, "maxHands": 12, "rebuy": "auto"}
SECRET = "the room's own"


async def any_game_harness(
    game_type: str,
    *decides: Any,
    log: DiskLog | None = None,
    game_config: dict[str, Any] | None = None,
    **rules: Any,
) -> tuple[TableHarness, list[AnyPlayer]]:
    """Return a table of a game, and its players."""
    harness = TableHarness(log)
    seats = len(decides)
    given = configuring(
        gameType=game_type,
        gameConfig=game_config or {},
        config={
            **configuring().config.model_dump(mode="json"),
            **RULES,
            "maxSeats": max(2, seats),
            "seed": "any",
            **rules,
        },
    )
    callback = given.casino_callback.model_copy(update={"secret": SECRET})
    await harness.host.configure(given.model_copy(update={"casino_callback": callback}))
    players = [AnyPlayer(f"Any {number}", decide) for number, decide in enumerate(decides)]
    for number, player in enumerate(players):
        card = harness.network.add(f"p{number}", player.agent())
        seat = seating(number, card, playsAnyGame=True, startingStack=400)
        await harness.host.register(seat)
    return harness, players


def counts(game_type: str) -> list[int]:
    """Return the numbers of players with which a game is tested."""
    game = game_class(game_type)
    return sorted({game.min_players, min(3, game.max_players)})
