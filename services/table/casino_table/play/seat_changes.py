"""What changes seats between hands: rebuys, busts, departures, and returns from sitting out."""

import asyncio

from casino_contracts import PlayerBustedPayload
from casino_play.turn import Clock, PlayerDirectory

from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import EventDraft
from casino_table.play.game_presenter import status

_AWAY_PROBE_S = 1.0


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


class SitOutMonitor:
    """Polls sitting-out players of one session and seats them again.

    A seat whose agent failed waits before it is probed. One whose program said that nobody is there
    is probed from the moment it sits out, until its card can be read.
    """

    def __init__(self, table: Table, players: PlayerDirectory, clock: Clock) -> None:
        self._table = table
        self._players = players
        self._clock = clock
        self._probes: dict[str, asyncio.Task[bool]] = {}
        """Running probes by player id."""

    def begin(self, seat: Seat) -> None:
        if seat.is_away:
            self._probes[seat.player_id] = asyncio.create_task(self._until_back(seat.card_url))

    def poll(self) -> list[EventDraft]:
        """Probe seats that are due; after it succeeds they play again. Returns the events."""
        table = self._table
        drafts = []
        waiting = {seat.player_id: seat for seat in table.seats.values() if seat.sits_out}
        for player_id in self._probes.keys() - waiting.keys():  # the player has left
            self._probes.pop(player_id).cancel()
        for seat in waiting.values():
            probe = self._probes.get(seat.player_id)
            if probe is None:
                seat.rounds_to_wait -= 1
                if seat.is_away:
                    self.begin(seat)
                elif seat.rounds_to_wait < 0:
                    self._probes[seat.player_id] = asyncio.create_task(
                        self._players.is_back(seat.card_url)
                    )
            elif probe.done():
                del self._probes[seat.player_id]
                if probe.result():
                    seat.came_back(table.config.max_timeouts)
                    drafts.append(status(table, "returned", f"{seat.display_name} is back", seat))
        return drafts

    async def _until_back(self, card_url: str) -> bool:
        while not await self._players.is_back(card_url):
            await self._clock.sleep(_AWAY_PROBE_S)
        return True

    def cancel(self) -> None:
        for probe in self._probes.values():
            probe.cancel()
