"""Commands `casino room hands`, `hand` and `standings`: what was played, and who won."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer
from casino_contracts import (
    DefaultCount,
    Defaulted,
    HandDetail,
    HandKind,
    HandPage,
    HandRecord,
    HandSummary,
    Standing,
    Standings,
    Tally,
)
from casino_contracts.play_counts import NOT_ASKED
from casino_lobby_client.errors import CallFailed

from casino.commands.context import LOBBY_URL, AsJson, LobbyUrl, RoomId, at_lobby, context_of
from casino.hand_history import hand_history
from casino.lobby_api import LobbyApi
from casino.output import (
    GUEST,
    NOTHING,
    Output,
    cards,
    chips,
    cost_cells,
    cost_columns,
    counted,
    default_counts,
    default_words,
    half_width,
    rate_cell,
    sanitize,
    signed,
)
from casino.publishing import hand_link, room_link

HandOrder = Literal["newest", "oldest"]
HandForm = Literal["text", "json"]
Sort = Literal["newest", "score", "pot"]


def hands(  # noqa: PLR0913, PLR0917  each parameter is an option
    context: typer.Context,
    room: RoomId,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of hands to list.")] = 20,
    order: Annotated[
        HandOrder, typer.Option(help="Which hands to list first, unless --sort is set.")
    ] = "newest",
    sort: Annotated[
        Sort | None,
        typer.Option(help="List the best hands first, by score or pot, with links to replays."),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(help="List only hands of this player: its id, or its name in this room."),
    ] = None,
    kind: Annotated[HandKind | None, typer.Option(help="List only hands of this kind.")] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """List the completed hands of a room and their results."""

    async def read(api: LobbyApi) -> HandPage:
        player_id = None if player is None else await _player_id(api, room, player)
        return await api.hands(room, sort or order, limit, player_id=player_id, kind=kind)

    page = at_lobby(context, lobby, read)
    output = context_of(context).output()
    is_chosen = player is not None or kind is not None
    if as_json:
        output.json(page)
    elif not page.hands:
        output.line("there is no such hand" if is_chosen else "no hand was completed yet")
    elif sort is None and not is_chosen:
        _write(output, page.hands)
    else:
        _write_best(output, page.hands, room_link(lobby, room))
    if page.next is not None and not as_json:
        output.line(f"there are more: --limit {2 * limit}")


def hand(
    context: typer.Context,
    room: RoomId,
    number: Annotated[int, typer.Argument(metavar="HAND", min=1, help="The hand's number.")],
    epoch: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Which of two hands with this number: a room whose table was replaced begins a new"
            " epoch, and `hands` lists it. Default: the newest.",
        ),
    ] = None,
    with_cards: Annotated[
        bool,
        typer.Option(
            "--cards", help="Show everybody's cards, from the operator's record: needs its key."
        ),
    ] = False,
    form: Annotated[
        HandForm | None,
        typer.Option(
            "--format",
            help="`text` writes the history alone, to be pasted; `json` is --json. Without it the"
            " link of the replay follows.",
        ),
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Show one hand in plain text, from the blinds to the final stacks."""
    if as_json and form == "text":
        raise typer.BadParameter("text and --json exclude each other", param_hint="--format")

    async def read(api: LobbyApi) -> tuple[HandDetail, HandRecord | None]:
        detail = await api.hand(room, number, epoch)
        if not with_cards:
            return detail, None
        record = await api.hand_record(room, number, detail.hand.epoch, questions=False)
        return detail, record

    detail, record = at_lobby(context, lobby, read)
    output = context_of(context).output()
    if as_json or form == "json":
        output.json(detail if record is None else record)
        return
    output.lines(hand_history(detail, record))
    if form is None:
        output.line(f"replay  {hand_link(lobby, room, number, epoch)}")


async def _player_id(api: LobbyApi, room: str, player: str) -> str:
    """Return the id of a player of a room by its id or name; raises CallFailed."""
    players = (await api.standings(room)).players
    if any(standing.player_id == player for standing in players):
        return player
    ids = [standing.player_id for standing in players if standing.display_name == player]
    if len(ids) == 1:
        return ids[0]
    if ids:
        raise CallFailed(f"{len(ids)} players are called {player}: name one of {', '.join(ids)}.")
    names = ", ".join(f"{item.display_name} ({item.player_id})" for item in players) or "nobody"
    raise CallFailed(f"No player {player} has played in room {room}. Who has: {names}.")


def _write(output: Output, hands: Sequence[HandSummary]) -> None:
    """Write a line per hand; the columns for pot and board only for games that have them."""
    has_pots = any(hand.pots for hand in hands)
    rows = [
        (
            str(hand.hand_number),
            str(hand.epoch),
            *((_pot(hand),) if has_pots else ()),
            *((cards(hand.community_cards),) if has_pots else ()),
            _ending(hand),
        )
        for hand in hands
    ]
    pots = ("pot ", "board") if has_pots else ()
    output.table(("hand ", "epoch ", *pots, "result"), rows)


def _write_best(output: Output, hands: Sequence[HandSummary], address: str) -> None:
    """Write a line per hand with what makes it worth looking at, and the address of its replay."""
    has_pots = any(hand.pots for hand in hands)
    rows = [
        (
            str(hand.hand_number),
            "" if hand.score is None else str(hand.score),
            *((_pot(hand),) if has_pots else ()),
            ", ".join(hand.kinds),
            _ending(hand),
            f"{address}/hands/{hand.hand_number}",
        )
        for hand in hands
    ]
    pots = ("pot ",) if has_pots else ()
    output.table(("hand ", "score ", *pots, "kinds", "result", "replay"), rows)


def _pot(hand: HandSummary) -> str:
    return chips(sum(pot.amount for pot in hand.pots))


def _ending(hand: HandSummary) -> str:
    return hand.message.partition(": ")[2] or hand.message


_LEFT = " (left)"

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
        _write_standings(output, reply, stats=stats)


def _write_standings(output: Output, reply: Standings, *, stats: bool) -> None:
    """Write a line per player; guests follow behind the ranking."""
    output.line(counted(reply.hands, "hand"))
    ranking = sorted(reply.players, key=lambda player: player.is_guest or False)
    if stats:
        output.table(_STATISTICS, map(_statistics_row, ranking))
        return
    rate = f"{reply.unit}/100 "
    columns = ("player", "hands ", "net ", rate, "95 % ± ", "stack ", "bought ", "faults")
    output.table(columns, map(_row, ranking))
    for player in ranking:
        details = [one for one in player.defaulted or () if one.detail]
        output.lines(sanitize(f"{_name(player)}: {_last(one)}") for one in details)
    if costs := [cost_cells(_name(player), player.costs) for player in ranking if player.costs]:
        output.table(cost_columns(reply.unit), costs)


def _last(default: DefaultCount) -> str:
    said = Defaulted(reason=default.reason, detail=default.detail)
    return f"{default_words(said)} (the last of {default.count})"


def _name(player: Standing) -> str:
    return player.display_name + GUEST * bool(player.is_guest) + _LEFT * bool(player.has_left)


def _row(player: Standing) -> tuple[str, ...]:
    return (
        _name(player),
        str(player.hands),
        signed(player.net),
        rate_cell(player.bb_per_100, player.half_interval_95),
        half_width(player.half_interval_95),
        chips(player.stack),
        chips(player.bought),
        _faults(player),
    )


def _faults(player: Standing) -> str:
    if not player.faults:
        return "none"
    counts = ", ".join(
        f"{outcome.replace('_', ' ')} {count}" for outcome, count in player.faults.items()
    )
    reasons = default_counts(one for one in player.defaulted or () if one.reason not in NOT_ASKED)
    counts += f" ({reasons})" if reasons else ""
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
    shares: tuple[str, ...] = (NOTHING,) * 7
    if play is not None:
        shares = (
            *map(_percent, (play.vpip, play.pfr, play.three_bet, play.c_bet)),
            _factor(play.aggression),
            *map(_percent, (play.went_to_showdown, play.won_at_showdown)),
        )
    times = (str(latency.p50), str(latency.p95)) if latency else (NOTHING, NOTHING)
    return (_name(player), str(player.hands), *shares, *times)


def _percent(tally: Tally) -> str:
    """Return a share with its sample, or a dash without one: 31 % of 120."""
    return f"{100 * tally.count / tally.of:.0f} % of {tally.of}" if tally.of else NOTHING


def _factor(aggression: Tally) -> str:
    """Return bets and raises per call: 1.5, or as they are where nothing was called: 3/0."""
    if not aggression.of:
        return f"{aggression.count}/0" if aggression.count else NOTHING
    return f"{aggression.count / aggression.of:.1f}"
