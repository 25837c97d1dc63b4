"""Commands `casino rooms` and `casino room …`: list, show, seat, start, leave, close, faults."""

from typing import Annotated, Literal

import typer
from casino_contracts import (
    PlayerFault,
    PlayerFaults,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    StartOverrides,
    TableConfig,
    TableSummary,
)
from pydantic import ValidationError

from casino.commands.context import (
    LOBBY_URL,
    AsJson,
    LobbyUrl,
    RoomId,
    at_lobby,
    context_of,
    url,
    wrong_option,
)
from casino.output import GUEST, Output, chips, counted, fault_word, status_word, wait_lines

Status = Literal[
    "waiting", "playing", "running", "idle", "paused", "opening", "no-table", "closing", "closed",
    "failed", "error",
]  # fmt: skip
"""What a room does; `running` and `error` are the API's words for `playing` and `failed`."""
_AT_LOBBY = {
    "playing": "running",
    "no-table": "waits-for-table",
    "error": None,
    "failed": None,
}
"""What the lobby is asked for in place of a word; None where two of its own mean the same."""


def rooms(
    context: typer.Context,
    status: Annotated[Status | None, typer.Option(help="List only rooms that do this.")] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """List the rooms of a lobby."""
    wanted = _AT_LOBBY.get(status, status) if status else None
    listed = at_lobby(context, lobby, lambda api: api.rooms(wanted))
    if status:
        word = status_word(status).replace("-", " ")
        chosen = (
            room
            for room in listed.rooms
            if status_word(room.status, room.state, room.waits) == word
        )
        listed = RoomList(rooms=tuple(chosen))
    output = context_of(context).output()
    if as_json:
        output.json(listed)
    elif not listed.rooms:
        output.line("no rooms")
    else:
        rows = [
            (
                room.room_id,
                status_word(room.status, room.state, room.waits),
                str(room.hand_count),
                str(room.player_count),
                room.game_type,
                room.message or "",
            )
            for room in listed.rooms
        ]
        output.table(("room", "state", "hands ", "players ", "game", "last"), rows)


def show(
    context: typer.Context, room: RoomId, lobby: LobbyUrl = LOBBY_URL, as_json: AsJson = False
) -> None:
    """Show a room's rules, table and players."""
    snapshot = at_lobby(context, lobby, lambda api: api.room(room))
    write_room(context_of(context).output(), snapshot, as_json=as_json)


def register(
    context: typer.Context,
    room: RoomId,
    card: Annotated[
        str,
        typer.Argument(metavar="CARD_URL", callback=url, help="URL of the player's agent card."),
    ],
    seat: Annotated[int | None, typer.Option(min=0, help="The preferred seat.")] = None,
    action_skill: Annotated[
        str | None, typer.Option(help="The skill that decides turns. Default: `act`.")
    ] = None,
    request_id: Annotated[
        str | None, typer.Option(help="Idempotency key: a repeated id seats the player once.")
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Invite a player agent to a room and seat it."""
    try:
        request = RegisterPlayerInput(
            room_id=room,
            agent_card_url=card,
            preferred_seat=seat,
            action_skill=action_skill,
            request_id=request_id,
        )
    except ValidationError as error:
        options = {"action_skill": "--action-skill", "request_id": "--request-id"}
        raise wrong_option(error, options) from error
    seated = at_lobby(context, lobby, lambda api: api.register(request))
    output = context_of(context).output()
    if as_json:
        output.json(seated)
    else:
        text = f"seat {seated.seat_number}   {seated.display_name} with {chips(seated.stack)}"
        output.line(f"{text}   (player id {seated.player_id})")


def start(
    context: typer.Context,
    room: RoomId,
    hands: Annotated[
        int | None, typer.Option(min=1, help="Number of hands of this session.")
    ] = None,
    small_blind: Annotated[float | None, typer.Option(help="Small blind of this session.")] = None,
    big_blind: Annotated[float | None, typer.Option(help="Big blind of this session.")] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Start a session; a full room starts its first session automatically."""
    try:
        overrides = StartOverrides(max_hands=hands, small_blind=small_blind, big_blind=big_blind)
    except ValidationError as error:
        options = {"small_blind": "--small-blind", "big_blind": "--big-blind"}
        raise wrong_option(error, options) from error
    summary = at_lobby(context, lobby, lambda api: api.start(room, overrides))
    _write_table(context_of(context).output(), room, summary, as_json=as_json)


def leave(
    context: typer.Context,
    room: RoomId,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER_ID", help="The player's id, as in `room show`.")
    ],
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Make a player leave: at once between hands, otherwise after the running hand."""
    summary = at_lobby(context, lobby, lambda api: api.leave(room, player))
    _write_table(context_of(context).output(), room, summary, as_json=as_json)


def close(
    context: typer.Context, room: RoomId, lobby: LobbyUrl = LOBBY_URL, as_json: AsJson = False
) -> None:
    """Close a room, after the running hand."""
    snapshot = at_lobby(context, lobby, lambda api: api.close_room(room))
    output = context_of(context).output()
    if as_json:
        output.json(snapshot)
    else:
        output.line(f"room {snapshot.room_id} is {snapshot.state}")


def write_room(output: Output, room: RoomSnapshot, *, as_json: bool) -> None:
    if as_json:
        output.json(room)
        return
    status = room.summary.status if room.summary else "waiting"
    waits = room.summary.waits if room.summary else None
    output.line(f"room   {room.room_id}   {status_word(status, room.state, waits)}")
    for line in wait_lines(waits):
        output.line(f"waits  {line}")
    output.line(f"table  {room.table_agent_card_url}")
    output.line(f"rules  {_rules(room.config)}")
    if room.seeded:
        output.line("cards  from a seed: known in advance to anybody who has it")
    if room.summary:
        output.line(f"hands  {room.summary.hand_count}")
        output.line(f"last   {room.summary.message or ''}")
        _write_seats(output, room.summary)


def _rules(config: TableConfig) -> str:
    times = {
        "at most": config.max_action_timeout_ms,
        "time bank": config.time_bank_ms,
        "pace": config.pace_ms,
        "result": config.result_ms,
    }
    return ", ".join(
        (
            f"{config.max_seats} seats",
            f"stack {chips(config.starting_stack)}",
            f"blinds {chips(config.small_blind)}/{chips(config.big_blind)}",
            f"ante {chips(config.ante)}",
            f"buy-in {chips(config.min_buy_in)} to {chips(config.max_buy_in)}",
            counted(config.max_hands, "hand"),
            "stacks reset" if config.reset_stacks else f"rebuy {config.rebuy}",
            *(["moving button"] if config.button_rule == "moving" else []),
            f"timeout {config.action_timeout_ms / 1000:g} s",
            *(f"{name} {value_ms / 1000:g} s" for name, value_ms in times.items() if value_ms),
        )
    )


def _write_table(output: Output, room_id: str, summary: TableSummary, *, as_json: bool) -> None:
    if as_json:
        output.json(summary)
        return
    output.line(f"room {room_id} is {status_word(summary.status, summary.state, summary.waits)}")
    _write_seats(output, summary)


def _write_seats(output: Output, summary: TableSummary) -> None:
    if summary.players:
        has_models = any(seat.profile and seat.profile.model for seat in summary.players)
        rows = [
            (
                str(seat.seat_number),
                seat.display_name + GUEST * (seat.player_type == "human"),
                *(((seat.profile and seat.profile.model) or "",) if has_models else ()),
                chips(seat.stack),
                seat.player_id,
            )
            for seat in summary.players
        ]
        models = ("model",) if has_models else ()
        output.table(("seat ", "player", *models, "stack ", "id"), rows)


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
    words = (f"{outcome.replace('_', ' ')} {n}" for outcome, n in reply.outcomes.items())
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
        fault_word(fault) + turns,
        "" if fault.latency_ms is None else str(fault.latency_ms),
        fault.timestamp,
        fault.reason or "",
    )
