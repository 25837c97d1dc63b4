"""`casino rooms` and `casino room …`: looking at rooms, seating, starting, closing."""

from enum import StrEnum
from typing import Annotated

import typer
from casino_contracts import (
    RegisterPlayerInput,
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
    desk_of,
    url,
    wrong_option,
)
from casino.formatting import chips
from casino.output import Output


class Status(StrEnum):
    """What a room may be asked for."""

    WAITING = "waiting"
    RUNNING = "running"
    IDLE = "idle"
    ERROR = "error"


def rooms(
    context: typer.Context,
    status: Annotated[Status | None, typer.Option(help="Only rooms of this status.")] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """List the rooms of a lobby."""
    listed = at_lobby(context, lobby, lambda api: api.rooms(status))
    paper = desk_of(context).paper()
    if as_json:
        paper.json(listed)
    elif not listed.rooms:
        paper.line("no rooms")
    else:
        rows = [
            (
                room.room_id,
                room.state or room.status,
                str(room.hand_count),
                str(room.player_count),
                room.game_type,
                room.message or "",
            )
            for room in listed.rooms
        ]
        paper.table(("room", "state", "hands ", "players ", "game", "last"), rows)


def show(
    context: typer.Context, room: RoomId, lobby: LobbyUrl = LOBBY_URL, as_json: AsJson = False
) -> None:
    """Show a room: its rules, its table, who sits there."""
    snapshot = at_lobby(context, lobby, lambda api: api.room(room))
    write_room(desk_of(context).paper(), snapshot, as_json=as_json)


def register(
    context: typer.Context,
    room: RoomId,
    card: Annotated[
        str, typer.Argument(metavar="CARD_URL", callback=url, help="The player's agent card.")
    ],
    seat: Annotated[int | None, typer.Option(min=0, help="The seat it would like.")] = None,
    action_skill: Annotated[
        str | None, typer.Option(help="The skill that decides turns, where it is not `act`.")
    ] = None,
    request_id: Annotated[
        str | None, typer.Option(help="The same id again seats nobody twice.")
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Invite a player agent into a room, and give it a seat."""
    try:
        given = RegisterPlayerInput(
            room_id=room,
            agent_card_url=card,
            preferred_seat=seat,
            action_skill=action_skill,
            request_id=request_id,
        )
    except ValidationError as error:
        options = {"action_skill": "--action-skill", "request_id": "--request-id"}
        raise wrong_option(error, options) from error
    seated = at_lobby(context, lobby, lambda api: api.register(given))
    paper = desk_of(context).paper()
    if as_json:
        paper.json(seated)
    else:
        told = f"seat {seated.seat_number}   {seated.display_name} with {chips(seated.stack)}"
        paper.line(f"{told}   (player id {seated.player_id})")


def start(
    context: typer.Context,
    room: RoomId,
    hands: Annotated[int | None, typer.Option(min=1, help="Hands of this session.")] = None,
    small_blind: Annotated[float | None, typer.Option(help="For this session.")] = None,
    big_blind: Annotated[float | None, typer.Option(help="For this session.")] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Begin a session; a full room begins its first one by itself."""
    try:
        overrides = StartOverrides(max_hands=hands, small_blind=small_blind, big_blind=big_blind)
    except ValidationError as error:
        options = {"small_blind": "--small-blind", "big_blind": "--big-blind"}
        raise wrong_option(error, options) from error
    summary = at_lobby(context, lobby, lambda api: api.start(room, overrides))
    _write_table(desk_of(context).paper(), room, summary, as_json=as_json)


def leave(
    context: typer.Context,
    room: RoomId,
    player: Annotated[str, typer.Argument(metavar="PLAYER_ID", help="As `room show` tells it.")],
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Give a player's seat back: at once between hands, else after the running hand."""
    summary = at_lobby(context, lobby, lambda api: api.leave(room, player))
    _write_table(desk_of(context).paper(), room, summary, as_json=as_json)


def close(
    context: typer.Context, room: RoomId, lobby: LobbyUrl = LOBBY_URL, as_json: AsJson = False
) -> None:
    """Close a room, after the running hand."""
    snapshot = at_lobby(context, lobby, lambda api: api.close_room(room))
    paper = desk_of(context).paper()
    if as_json:
        paper.json(snapshot)
    else:
        paper.line(f"room {snapshot.room_id} is {snapshot.state}")


def write_room(paper: Output, room: RoomSnapshot, *, as_json: bool) -> None:
    """Write a room in full."""
    if as_json:
        paper.json(room)
        return
    paper.line(f"room   {room.room_id}   {room.state or (room.summary and room.summary.status)}")
    paper.line(f"table  {room.table_agent_card_url}")
    paper.line(f"rules  {_rules(room.config)}")
    if room.seeded:
        paper.line("cards  from a seed: whoever opened the room can know them")
    if room.summary:
        paper.line(f"hands  {room.summary.hand_count}")
        paper.line(f"last   {room.summary.message or ''}")
        _write_seats(paper, room.summary)


def _rules(config: TableConfig) -> str:
    return ", ".join(
        (
            f"{config.max_seats} seats",
            f"stack {chips(config.starting_stack)}",
            f"blinds {chips(config.small_blind)}/{chips(config.big_blind)}",
            f"ante {chips(config.ante)}",
            f"buy-in {chips(config.min_buy_in)} to {chips(config.max_buy_in)}",
            f"{config.max_hands} hands",
            f"rebuy {config.rebuy}",
            f"clock {config.action_timeout_ms / 1000:g} s",
        )
    )


def _write_table(paper: Output, room_id: str, summary: TableSummary, *, as_json: bool) -> None:
    if as_json:
        paper.json(summary)
        return
    paper.line(f"room {room_id} is {summary.state or summary.status}")
    _write_seats(paper, summary)


def _write_seats(paper: Output, summary: TableSummary) -> None:
    if summary.players:
        rows = [
            (str(seat.seat_number), seat.display_name, chips(seat.stack), seat.player_id)
            for seat in summary.players
        ]
        paper.table(("seat ", "player", "stack ", "id"), rows)
