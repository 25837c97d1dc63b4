"""What a joined bot answers its lobby and its table, whichever way the calls come."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from casino_agentkit import CommandRefused
from casino_contracts import HOLDEM

from casino.errors import BotFailed
from casino.join.codes import JoinReason
from casino.join.log import BotLog

Decide = Callable[[dict[str, Any]], Awaitable[Any]]

_INVITATIONS = 8


@dataclass(frozen=True)
class Invitation:
    """What a lobby sends with `signup`."""

    table_id: str
    player_id: str
    seat_token: str = field(repr=False)


class Player:
    """Signs up, and passes questions to the bot.

    With `room_id` it takes a seat in that room only, and only while it `is_joining`.
    """

    def __init__(
        self,
        name: str,
        decide: Decide,
        log: BotLog,
        say: Callable[[str], None],
        *,
        room_id: str | None = None,
        plays_any_game: bool = False,
        clock_ms: int | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.name = name
        self.is_joining = False
        self.invitations: list[Invitation] = []
        self.signed_up = asyncio.Event()
        self._failed = ""
        self._decide = decide
        self._log = log
        self._say = say
        self._room_id = room_id
        self._plays_any_game = plays_any_game
        self._clock_ms = clock_ms
        self._now = now

    def signup(self, invitation: Mapping[str, Any]) -> dict[str, Any]:
        """Accept the casino's invitation. Raises CommandRefused."""
        if self._room_id is not None and (
            not self.is_joining
            or invitation.get("roomId") != self._room_id
            or len(self.invitations) >= _INVITATIONS
        ):
            raise CommandRefused(JoinReason.NOT_JOINING, f"{self.name} takes no seat here now.")
        game = invitation.get("gameType") or HOLDEM
        if game != HOLDEM and not self._plays_any_game:
            raise CommandRefused(
                JoinReason.PLAYS_HOLDEM,
                f"{self.name} plays Hold'em, and this room plays {game}:"
                " `casino join --any-game` sends it the questions of any game.",
            )
        self.invitations.append(
            Invitation(
                str(invitation.get("tableId", "")),
                str(invitation.get("playerId") or ""),
                str(invitation.get("seatToken") or ""),
            )
        )
        self.signed_up.set()
        reply: dict[str, Any] = {"displayName": self.name}
        if self._plays_any_game:
            reply["playsAnyGame"] = True
        if self._clock_ms is not None:
            reply["clockMs"] = self._clock_ms
        return reply

    async def act(self, turn: dict[str, Any]) -> Any:
        """Decide one turn. Raises CommandRefused with the bot's error, which the table records."""
        rejection = turn.get("rejected")
        if isinstance(rejection, dict):
            reason = str(rejection.get("message", "no reason was sent"))
            self._log.rejected(turn, reason)
            if reason != self._failed:  # its own error, which was shown
                self._say(f"{_place(turn)}not accepted: {reason}; asked once more")
        self._log.question(turn)
        began = self._now()
        try:
            answer = await self._decide(turn)
        except BotFailed as failed:
            self._log.failed(turn, str(failed), 1000 * (self._now() - began))
            self._failed = str(failed)
            raise CommandRefused(JoinReason.BOT_FAILED, self._failed) from failed
        self._log.answer(turn, answer, 1000 * (self._now() - began))
        return answer

    async def answer(self, skill: str, data: dict[str, Any]) -> Any:
        """Answer a call of any skill. Raises CommandRefused."""
        match skill:
            case "signup":
                return self.signup(data)
            case "act":
                return await self.act(data)
        raise CommandRefused(JoinReason.UNKNOWN_SKILL, "A joined bot has signup and act.")

    def invited(self, player_id: str) -> Invitation | None:
        """Return the invitation of a player id, else the newest."""
        newest = self.invitations[-1] if self.invitations else None
        same = (held for held in reversed(self.invitations) if held.player_id == player_id)
        return next(same, newest)


def _place(turn: Mapping[str, Any]) -> str:
    """Return `hand 17: ` of a question whose id says so, such as main/17:9:1."""
    _, _, rest = str(turn.get("requestId", "")).rpartition("/")
    hand = rest.partition(":")[0]
    return f"hand {hand}: " if hand.isdigit() else ""
