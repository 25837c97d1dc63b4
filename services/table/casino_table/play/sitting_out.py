"""Probe the agents of seats that sit out, concurrently with play."""

import asyncio

from casino_table.decisions.player_directory import PlayerDirectory
from casino_table.domain.table import Table
from casino_table.journal.journal import TableFact
from casino_table.presenters.status import status


class SitOutMonitor:
    """Polls sitting-out players of one session and seats them again."""

    def __init__(self, table: Table, players: PlayerDirectory) -> None:
        self._table = table
        self._players = players
        self._probes: dict[str, asyncio.Task[bool]] = {}
        """Running probes by player id."""

    def poll(self) -> list[TableFact]:
        """Probe seats that are due; seats with a successful probe play again. Returns the facts."""
        table = self._table
        facts = []
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
                    facts.append(status(table, "returned", f"{seat.display_name} is back", seat))
        return facts

    def cancel(self) -> None:
        """Cancel all running probes."""
        for probe in self._probes.values():
            probe.cancel()
