"""Command `casino room standings`: what the players of a room have won or lost."""

import typer
from casino_contracts import Standing, Standings

from casino.commands.context import LOBBY_URL, AsJson, LobbyUrl, RoomId, at_lobby, context_of
from casino.formatting import GUEST, chips, counted, half_width, signed
from casino.output import Output

_LEFT = " (left)"


def standings(
    context: typer.Context, room: RoomId, lobby: LobbyUrl = LOBBY_URL, as_json: AsJson = False
) -> None:
    """Show what the players of a room have won or lost so far, also of a closed room."""
    reply = at_lobby(context, lobby, lambda api: api.standings(room))
    output = context_of(context).output()
    if as_json:
        output.json(reply)
    elif not reply.players:
        output.line("nobody has taken a seat yet")
    else:
        _write(output, reply)


def _write(output: Output, reply: Standings) -> None:
    """Write a line per player; guests follow behind the ranking."""
    hands = counted(reply.hands, "hand")
    since = "" if reply.since_hand is None else f", from hand {reply.since_hand} on"
    output.line(hands + since)
    ranking = sorted(reply.players, key=lambda player: player.is_guest or False)
    rate = f"{reply.unit}/100 "
    columns = ("player", "hands ", "net ", rate, "95 % ± ", "stack ", "bought ", "faults")
    output.table(columns, map(_row, ranking))


def _row(player: Standing) -> tuple[str, ...]:
    suffix = GUEST * bool(player.is_guest) + _LEFT * bool(player.has_left)
    return (
        player.display_name + suffix,
        str(player.hands),
        signed(player.net),
        f"{player.bb_per_100:+.0f}",
        half_width(player.half_interval_95),
        chips(player.stack),
        chips(player.bought),
        _faults(player),
    )


def _faults(player: Standing) -> str:
    """Return the faults by outcome, and of how many decisions."""
    if not player.faults:
        return "none"
    counts = ", ".join(
        f"{outcome.replace('_', ' ')} {count}" for outcome, count in player.faults.items()
    )
    return f"{counts}, of {counted(player.decisions, 'decision')}"
