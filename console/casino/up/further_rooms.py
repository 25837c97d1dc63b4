"""The rooms of `casino up` beside the main one: opened, followed to their ends, and summed up.

They are followed by their summaries, not by their events, so that many cost no more than few.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from casino_contracts import RoomSummary
from casino_lobby_client.errors import CallFailed

from casino.lobby_api import LobbyApi
from casino.operator_key import OperatorKey
from casino.output import fault_word
from casino.up.casino_plan import ROOM, CasinoPlan
from casino.up.run_report import Report, RoomResult, faults_of
from casino.up.up_room import open_room

_POLL_S: Final = 0.5
_AT_ONCE: Final = 4
"""Rooms that are opened, or read, at the same time."""
_LAST_READ_S: Final = 5.0
"""How long a stop waits for the lobby's results."""
_REASONS: Final = 10
"""Players of whom the reason of the last fault is reported."""


class FurtherRooms:
    """The further rooms of a plan; results include those of the main room.

    `key` is used for the reasons of faults where the client has no operator key.
    """

    def __init__(self, api: LobbyApi, plan: CasinoPlan, report: Report, key: OperatorKey) -> None:
        self._api = api
        self._plan = plan
        self._report = report
        self._key = key
        self._rooms = [room for room in plan.rooms if room != ROOM]
        self._begun: set[str] = set()
        """Rooms that were seen playing, or have played."""
        self._hands_in_results = 0

    async def open(self, players: Mapping[str, Sequence[str]], tables: Mapping[str, str]) -> None:
        """Open all rooms at these tables and seat these agents, by room; raises CallFailed."""

        async def open_one(room: str) -> None:
            config, game_type = self._plan.config(room), self._plan.game_type
            opened, _ = await open_room(
                self._api, room, config, game_type, players[room], tables[room]
            )
            place = opened.table_base_url
            self._report.say(f"room     {place}   {room}", room=room, url=place)

        await _each(self._rooms, open_one)

    async def follow(self) -> bool:
        """Wait until all sessions end; return whether all hands are played. Raises CallFailed."""
        while self._rooms:
            rooms = await self._summaries()
            self._begun |= {
                room.room_id for room in rooms if room.status == "running" or room.hand_count
            }
            if all(room.room_id in self._begun and room.status != "running" for room in rooms):
                return all(room.hand_count >= self._plan.hands for room in rooms)
            await asyncio.sleep(_POLL_S)
        return True

    async def keep_open(self) -> None:
        """Start sessions where others have sat down, until cancelled. Raises CallFailed."""
        while self._rooms:
            for room in await self._summaries():
                own = len(self._plan.styles_in(room.room_id))
                if room.status == "idle" and room.player_count > own:
                    await self._api.start_if_possible(room.room_id)
            await asyncio.sleep(_POLL_S)

    async def report(self, *, has_bank: bool) -> bool:
        """Report the results if new; return whether all chips are there. Raises CallFailed."""
        if not self._rooms:
            return True
        results = await self._results(has_bank=has_bank)
        hands = sum(result.hands for result in results)
        if hands > self._hands_in_results:
            self._hands_in_results = hands
            self._report.rooms(results, await self._reasons(results))
        return all(result.is_conserved for result in results)

    async def stop(self, *, has_bank: bool) -> None:
        """Report the results of the hands so far, unless the lobby is gone."""
        with suppress(CallFailed, TimeoutError):
            async with asyncio.timeout(_LAST_READ_S):
                await self.report(has_bank=has_bank)

    async def _summaries(self) -> list[RoomSummary]:
        """Return the summaries of the rooms; raises CallFailed if one has failed."""
        summaries = {room.room_id: room for room in (await self._api.rooms()).rooms}
        rooms = [summaries[room] for room in self._rooms if room in summaries]
        for room in rooms:
            if room.state == "failed" or room.status == "error":
                raise CallFailed(f"room {room.room_id} cannot play on: {room.message}")
        return rooms

    async def _results(self, *, has_bank: bool) -> list[RoomResult]:
        results: dict[str, RoomResult] = {}

        async def read(room: str) -> None:
            standings = await self._api.standings(room)
            results[room] = RoomResult(room, standings, has_bank=has_bank)

        await _each(self._plan.rooms, read)
        return [results[room] for room in self._plan.rooms]

    async def _reasons(self, results: Sequence[RoomResult]) -> list[str]:
        failed = [
            (result.room, player)
            for result in results
            for player in result.standings.players
            if result.room != ROOM and faults_of(player)
        ]
        lines = []
        for room, player in failed[:_REASONS]:
            reply = await self._api.faults(room, player.player_id, self._key)
            faults = [fault for fault in reply.faults or () if fault.outcome != "sitting_out"]
            why = (
                f"; last: {fault_word(faults[0])}, {faults[0].reason or 'no reason'}"
                if faults
                else ""
            )
            counts = ", ".join(
                f"{count} {outcome.replace('_', ' ')}" for outcome, count in player.faults.items()
            )
            lines.append(f"{room}, {player.display_name}: {counts}{why}")
        if len(failed) > _REASONS:
            lines.append(f"{len(failed) - _REASONS} more players with faults")
        return lines


async def _each(rooms: Iterable[str], work: Callable[[str], Awaitable[None]]) -> None:
    """Do something in every room, in a few at a time; raises the first error."""
    left = iter(rooms)

    async def take() -> None:
        for room in left:
            await work(room)

    tasks = [asyncio.create_task(take()) for _ in range(_AT_ONCE)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
