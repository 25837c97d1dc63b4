"""What a table that knows only the protocol document tells when it is asked for its summary. Pure.

The document demands neither stacks nor a status in its events, and some tables send neither.
"""

from casino_agentkit.accepted_json import shown
from casino_contracts import PlayerSeat, TableSummary
from casino_contracts.base import MESSAGE_LIMIT
from casino_contracts.events.content import (
    HandCompleted,
    PlayerRegistered,
    StatusChanged,
    TableFailed,
    stacks_of,
)

from casino_lobby.domain.reported_event import ReportedEvent, content_of_event
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_books import PLAYER, LedgerEntry, chips_of
from casino_lobby.domain.room_fold import big_blind_of, log_discrepancy, register


def is_silent(room: Room) -> bool:
    """Return whether a room's table numbers no events, so that none may tell what happens."""
    return not room.is_keyed and room.unnumbered is None


def says_too_little(room: Room, event: ReportedEvent) -> bool:
    """Return whether an event says that something changed, and not what it is now."""
    match content_of_event(event):
        case HandCompleted(stacks=stacks):
            return not room.seats.keys() <= stacks_of(stacks).keys()
        case StatusChanged(status=None) | TableFailed(status=None):
            return True
        case PlayerRegistered(seat=seat):
            return seat.display_name is None or seat.complete is None or seat.stack is None
    return False


def apply_summary(room: Room, told: TableSummary, *, counts_hands: bool, is_newest: bool) -> None:
    """Fold a table's summary into its room.

    `counts_hands`: the table itself says how many hands were completed. `is_newest`: no event has
    arrived since it was asked; then a player that it has reported, and does not list, has left.
    """
    room.set_status(told.status, room.state)
    room.message = shown(told.message or "", MESSAGE_LIMIT) or room.message
    if counts_hands:
        room.hand_count, room.hands_are_told = told.hand_count, True
    booked: list[LedgerEntry] = []
    for seat in told.players:
        if not room.has_reported(seat.player_id):
            booked += _take(room, room.seats.get(seat.player_id, seat))
        room.set_stack(seat.player_id, seat.stack)
    listed = {seat.player_id for seat in told.players}
    for player_id in (room.seats.keys() & room.reported_ids) - listed if is_newest else ():
        room.results.leave(player_id)
        room.remove_player(player_id)
    log_discrepancy(room, [*booked, *_settle(room)], room.last_sequence, room.hand_count)


def _take(room: Room, seat: PlayerSeat) -> list[LedgerEntry]:
    """Seat a player whom no event has reported; one without chips is about to leave."""
    content = PlayerRegistered.of(seat.model_dump(by_alias=True)) if seat.stack else None
    if content is None:
        return []
    room.results.add(content, room.epoch, big_blind_of(room))
    return register(room, content)


def _settle(room: Room) -> list[LedgerEntry]:
    """Book the stacks, unless chips are in a pot; whoever left without chips has lost them."""
    accounts = {
        account.removeprefix(PLAYER): chips
        for account, chips in room.ledger.balances.items()
        if account.startswith(PLAYER)
    }
    seated = sum(chips_of(stack, room.unit) or 0 for stack in room.stacks.values())
    is_whole = seated == sum(accounts.values())
    if room.is_playing and not is_whole:
        return []
    stacks = {**dict.fromkeys(accounts, 0), **room.stacks} if is_whole else room.stacks
    entries = [{"playerId": player_id, "stack": stack} for player_id, stack in stacks.items()]
    content = HandCompleted({"handNumber": room.hand_count or None, "stacks": entries})
    room.results.settle(content, room.hand_count, big_blind_of(room))
    room.settle()
    return room.ledger.book(content, room.unit)
