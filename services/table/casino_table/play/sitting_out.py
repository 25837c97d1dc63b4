"""Seats that sit out: their agents are asked whether they are back, beside play."""

import asyncio

from casino_table.decisions.player_directory import PlayerDirectory
from casino_table.domain.table import Table
from casino_table.journal.journal import TableFact
from casino_table.presenters.status import status


class SitOutMonitor:
    """Those of one session."""

    def __init__(self, table: Table, players: PlayerDirectory) -> None:
        self._table = table
        self._players = players
        self._probes: dict[str, asyncio.Task[bool]] = {}

    def welcome_back(self) -> list[TableFact]:
        """Take back who answered a probe, and probe who has waited long enough."""
        table = self._table
        told = []
        for seat in [seat for seat in table.seats.values() if seat.sits_out]:
            probe = self._probes.get(seat.player_id)
            if probe is None:
                seat.rounds_to_wait -= 1
                if seat.rounds_to_wait < 0:
                    self._probes[seat.player_id] = asyncio.ensure_future(
                        self._players.is_back(seat.card_url)
                    )
            elif probe.done():
                del self._probes[seat.player_id]
                if probe.result():
                    seat.came_back(table.config.max_timeouts)
                    told.append(status(table, "returned", f"{seat.display_name} is back", seat))
        return told

    def cancel(self) -> None:
        """Ask no more."""
        for probe in self._probes.values():
            probe.cancel()
