"""Reports why decisions of players failed: each new kind of fault, once its hand is over."""

from collections.abc import Sequence

from casino_contracts import PlayerFault

from casino.lobby_api import LobbyApi
from casino.operator_key import OperatorKey
from casino.up.report import Report
from casino.up.score import Hand, PlayerScore, Score


class FaultReports:
    """Reads the faults of a room's players, and reports the first of each outcome.

    `key` is used where the client has no operator key.
    """

    def __init__(self, api: LobbyApi, room_id: str, key: OperatorKey, report: Report) -> None:
        self._api = api
        self._room_id = room_id
        self._key = key
        self._report = report
        self._read: dict[str, int] = {}
        """Number of failed answers of which a player's faults were read."""
        self._reported: set[tuple[str, str]] = set()
        """Player id and outcome."""

    async def after_hands(self, score: Score, hands: Sequence[Hand]) -> None:
        """Report the faults up to the last of these completed hands; raises CallFailed."""
        if not hands:
            return
        number = hands[-1].number
        for player in score.players.values():
            if player.failed_answers > self._read.get(player.player_id, 0):
                await self._report_of(player, number)

    async def _report_of(self, player: PlayerScore, number: int) -> None:
        reply = await self._api.faults(self._room_id, player.player_id, self._key)
        answers = [fault for fault in reply.faults or () if fault.outcome != "sitting_out"]
        completed = [fault for fault in answers if (fault.hand_number or 0) <= number]
        if completed:
            player.last_fault = completed[0]
        if len(completed) == len(answers):  # otherwise the reasons of a running hand are missing
            self._read[player.player_id] = player.failed_answers
        for fault in reversed(completed):
            self._report_new(player, fault)

    def _report_new(self, player: PlayerScore, fault: PlayerFault) -> None:
        kind = (player.player_id, fault.outcome)
        if kind not in self._reported:
            self._reported.add(kind)
            self._report.fault(player, fault)
