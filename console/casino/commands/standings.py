"""Command `casino room standings`: what the players of a room have won or lost."""

from typing import Annotated

import typer
from casino_contracts import Standing, Standings, Tally

from casino.commands.context import LOBBY_URL, AsJson, LobbyUrl, RoomId, at_lobby, context_of
from casino.formatting import GUEST, chips, counted, half_width, signed
from casino.output import Output

_LEFT = " (left)"
_NOTHING = "-"

AsStatistics = Annotated[
    bool,
    typer.Option(
        "--stats", help="Show how they play and how long they think, instead of the results."
    ),
]


def standings(
    context: typer.Context,
    room: RoomId,
    lobby: LobbyUrl = LOBBY_URL,
    stats: AsStatistics = False,
    as_json: AsJson = False,
) -> None:
    """Show what the players of a room have won or lost so far, also of a closed room."""
    reply = at_lobby(context, lobby, lambda api: api.standings(room))
    output = context_of(context).output()
    if as_json:
        output.json(reply)
    elif not reply.players:
        output.line("nobody has taken a seat yet")
    else:
        _write(output, reply, stats=stats)


def _write(output: Output, reply: Standings, *, stats: bool) -> None:
    """Write a line per player; guests follow behind the ranking."""
    hands = counted(reply.hands, "hand")
    since = "" if reply.since_hand is None else f", from hand {reply.since_hand} on"
    output.line(hands + since)
    ranking = sorted(reply.players, key=lambda player: player.is_guest or False)
    if stats:
        output.table(_STATISTICS, map(_statistics_row, ranking))
        return
    rate = f"{reply.unit}/100 "
    columns = ("player", "hands ", "net ", rate, "95 % ± ", "stack ", "bought ", "faults")
    output.table(columns, map(_row, ranking))


def _name(player: Standing) -> str:
    return player.display_name + GUEST * bool(player.is_guest) + _LEFT * bool(player.has_left)


def _row(player: Standing) -> tuple[str, ...]:
    return (
        _name(player),
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


_STATISTICS = (
    "player",
    "hands ",
    "VPIP ",
    "PFR ",
    "3-bet ",
    "c-bet ",
    "AF ",
    "WTSD ",
    "W$SD ",
    "p50 ms ",
    "p95 ms ",
)


def _statistics_row(player: Standing) -> tuple[str, ...]:
    play, latency = player.statistics, player.latency
    shares: tuple[str, ...] = (_NOTHING,) * 7
    if play is not None:
        shares = (
            *map(_percent, (play.vpip, play.pfr, play.three_bet, play.c_bet)),
            _factor(play.aggression),
            *map(_percent, (play.went_to_showdown, play.won_at_showdown)),
        )
    times = (str(latency.p50), str(latency.p95)) if latency else (_NOTHING, _NOTHING)
    return (_name(player), str(player.hands), *shares, *times)


def _percent(tally: Tally) -> str:
    """Return a share with its sample, or a dash without one: 31 % of 120."""
    return f"{100 * tally.count / tally.of:.0f} % of {tally.of}" if tally.of else _NOTHING


def _factor(aggression: Tally) -> str:
    """Return bets and raises per call: 1.5, or as they are where nothing was called: 3/0."""
    if not aggression.of:
        return f"{aggression.count}/0" if aggression.count else _NOTHING
    return f"{aggression.count / aggression.of:.1f}"
