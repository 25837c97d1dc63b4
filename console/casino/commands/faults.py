"""Command `casino room faults`: why decisions of a player failed."""

from typing import Annotated

import typer
from casino_contracts import PlayerFault, PlayerFaults

from casino.commands.context import LOBBY_URL, AsJson, LobbyUrl, RoomId, at_lobby, context_of
from casino.formatting import counted
from casino.output import Output


def faults(
    context: typer.Context,
    room: RoomId,
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The player's id.")],
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """List the newest faults of a player, with the reasons if you have the key."""
    reply = at_lobby(context, lobby, lambda api: api.faults(room, player))
    output = context_of(context).output()
    if as_json:
        output.json(reply)
    else:
        _write(output, reply)


def _write(output: Output, reply: PlayerFaults) -> None:
    words = (f"{_word(outcome)} {count}" for outcome, count in reply.outcomes.items())
    output.line(f"decisions  {', '.join(words) or 'none'}")
    if reply.faults is None:
        output.line("the reasons are for the operator and the player: a key is needed")
    elif reply.faults:
        columns = ("hand ", "round", "outcome", "ms ", "time", "reason")
        output.table(columns, map(_row, reply.faults))


def _row(fault: PlayerFault) -> tuple[str, ...]:
    turns = f", {counted(fault.turns, 'turn')}" if fault.turns > 1 else ""
    return (
        str(fault.hand_number or ""),
        fault.betting_round or "",
        _word(fault.outcome) + turns,
        "" if fault.latency_ms is None else str(fault.latency_ms),
        fault.timestamp,
        fault.reason or "",
    )


def _word(outcome: str) -> str:
    return outcome.replace("_", " ")
