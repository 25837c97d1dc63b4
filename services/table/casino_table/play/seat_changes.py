"""Rebuys, busts and departures between hands, and their events. Pure."""

from casino_contracts import PlayerBustedPayload

from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import EventDraft
from casino_table.play.game_presenter import status


def session_opening(table: Table) -> list[EventDraft]:
    message = f"the session begins: {table.hands_left} hands"
    started = status(table, "started", message, hands_left=table.hands_left)
    return [started, *rebuys(table)]


def rebuys(table: Table) -> list[EventDraft]:
    """Rebuy for busted seats, or reset all stacks, where the room does so; returns the events."""
    if table.config.reset_stacks:
        return [_reset(table, seat, chips) for seat, chips in table.reset_stacks()]
    bought = table.config.starting_stack
    return [
        status(table, "rebought", f"{seat.display_name} buys {bought}", seat, amount=bought)
        for seat in table.rebuy_busted()
    ]


def _reset(table: Table, seat: Seat, bought: int) -> EventDraft:
    amount = table.unit.amount(abs(bought))
    name = seat.display_name
    if bought > 0:
        return status(table, "rebought", f"{name} buys {amount}", seat, amount=amount)
    return status(table, "cashed_out", f"{name} cashes out {amount}", seat, amount=amount)


def departures(table: Table) -> list[EventDraft]:
    return [
        status(table, "left", f"{seat.display_name} leaves", seat, reason=seat.absence)
        for seat in table.free_leaving()
    ]


def busts(table: Table) -> list[EventDraft]:
    left = len(table.with_chips())
    return [
        EventDraft(
            "player_busted",
            f"{seat.display_name} is out",
            PlayerBustedPayload(
                hand_number=table.hand_number, player_id=seat.player_id, finish=place
            ),
            f"{table.table_id}/{table.hand_number}",
        )
        for place, seat in enumerate(table.free_busted(), start=left + 1)
    ]
