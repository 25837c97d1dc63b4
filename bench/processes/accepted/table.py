"""The calls that tables accept, each at a table of its own."""

from itertools import count
from typing import Any, Final

from accepted.calls import RULES, Accepted, Around, Example, invoke, is_done, until
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import RoomKey
from support.attack.large_calls import Renew, Victim

_ROOM: Final = RoomKey("key-of-the-room-of-the-bench")


def of_table(target: Victim, around: Around) -> Accepted:
    """Return the calls that tables accept, each at a table of its own."""
    token = _ROOM.table
    callback = {
        "agentCardUrl": f"{around.agents}/events{CARD_PATH}",
        "eventSkill": "recordGameEvent",
        "secret": _ROOM.secret,
    }
    bases = (card.removeprefix(target.url).removesuffix(CARD_PATH) for card in target.cards)
    epochs = count(2)

    def configuration(table: str, epoch: object = 1) -> dict[str, Any]:
        identity = {"tableId": table, "casinoName": "Bench", "epoch": epoch}
        return {**identity, "config": RULES, "casinoCallback": callback}

    def player(number: int) -> dict[str, Any]:
        return {
            "playerId": f"player-{number}",
            "displayName": f"Player {number}",
            "agentCardUrl": around.players.cards[number],
            "actionSkill": "act",
            "startingStack": 200,
        }

    def table(name: str, players: int = 0) -> str:
        base = next(bases)
        invoke(target.url + base, "configureTable", configuration(name), token)
        for number in range(players):
            invoke(target.url + base, "registerPlayer", player(number), token)
        return base

    def after(base: str, skill: str, data: Any) -> Renew:
        def renew(_reply: bytes) -> dict[str, str]:
            until(lambda: is_done(target.url + base, skill, data, token))
            return {}

        return renew

    def configured(base: str) -> Renew:
        def renew(_reply: bytes) -> dict[str, str]:
            new = configuration("closing", next(epochs))
            until(lambda: is_done(target.url + base, "configureTable", new, token))
            return {}

        return renew

    seating, leaving, closing = table("seating"), table("leaving"), table("closing")
    played = table("played", 2)
    start = {"requestId": "start"}
    invoke(target.url + played, "startGame", start, token)
    record = {"handId": "played/1", "questions": True}
    until(lambda: is_done(target.url + played, "handRecord", record, token))
    return Accepted(
        {
            "configureTable": Example(
                configuration("configured", "@epoch@"),
                token,
                table("configured"),
                renew=lambda _reply: {'"@epoch@"': str(next(epochs))},
            ),
            "registerPlayer": Example(
                player(0),
                token,
                seating,
                renew=lambda _reply: _left(target.url + seating, token),
            ),
            "startGame": Example(start, token, played),
            "leaveTable": Example(
                {"playerId": "player-0"},
                token,
                leaving,
                renew=after(leaving, "registerPlayer", player(0)),
            ),
            "tableSummary": Example({}, token, played),
            "handRecord": Example(record, token, played),
            "closeTable": Example({}, token, closing, renew=configured(closing)),
        }
    )


def _left(url: str, token: str) -> dict[str, str]:
    is_done(url, "leaveTable", {"playerId": "player-0"}, token)
    return {}
