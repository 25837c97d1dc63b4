"""The A2A agent of one seat: `signup`, `act`, `notify`, `contribute`, as any player has them."""

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from casino_agentkit import ANYONE, Agent, Caller, CommandRefused, KitReason, Scheme
from casino_agentkit.authority import refusal_of
from casino_contracts import (
    ContributeInput,
    ContributeOutput,
    GameActionRequest,
    GameActionResponse,
    HandNotice,
    HandNoticeOutput,
    PlayerType,
    Reason,
    SignupInvitation,
    SignupResponse,
)

SEAT = Scheme("seatToken", "the seat token that came with `signup`")
_INVITATIONS = 8  # a lobby invites again, under another id, if the first one is taken at the table
_REGISTRATION_S = 5.0  # the table may ask before the lobby's reply to the registration has arrived


class Invited(NamedTuple):
    """What an invitation said."""

    table_id: str
    token_digest: bytes | None


class SeatRecord(Protocol):
    """What is known of a seat before the lobby registers it, and what its table is afterwards."""

    @property
    def room_id(self) -> str:
        """The room in which it is, or will be."""

    @property
    def display_name(self) -> str: ...

    @property
    def kind(self) -> PlayerType: ...

    @property
    def buy_in(self) -> float | None:
        """The wished buy-in; None takes the room's starting stack."""

    @property
    def table_id(self) -> str | None:
        """The table; None until the seat is registered."""

    @property
    def table_token_digest(self) -> bytes | None:
        """The digest of the token with which the table calls; None where it sends none."""


class Seated(Protocol):
    """A seat that the lobby has registered: what its table calls."""

    @property
    def closed(self) -> object | None:
        """How it ended; None while it is taken."""

    @property
    def is_asleep(self) -> bool:
        """Whether the table need not bring the seat back from sitting out."""

    async def ask(self, request: GameActionRequest) -> GameActionResponse:
        """Return the answer to a question; raises CommandRefused."""

    def notify(self, notice: HandNotice) -> None: ...


RecordT = TypeVar("RecordT", bound=SeatRecord)
SeatT = TypeVar("SeatT", bound=Seated)
Contribute = Callable[[ContributeInput], Awaitable[ContributeOutput]]


@dataclass
class SeatPlace(Generic[RecordT, SeatT]):
    """A seat from the moment at which its card is served: first invited, then taken."""

    stored: RecordT
    clock: timedelta | None  # the clock that a person asks for
    invitations: dict[str, Invited] = field(default_factory=dict)
    """By player id; taken only while the lobby registers the seat."""
    is_registering: bool = False
    seat: SeatT | None = None
    is_seated: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_available(self) -> bool:
        """Whether the card is served: not while the seat sits out and nobody is there."""
        return self.seat is None or not self.seat.is_asleep

    async def signup(self, invitation: SignupInvitation) -> SignupResponse:
        """Accept the casino's invitation, while the seat is being registered.

        Raises CommandRefused: FORBIDDEN.
        """
        if not self.is_registering or invitation.room_id != self.stored.room_id:
            raise CommandRefused(
                KitReason.FORBIDDEN, "This seat is not being registered in that room."
            )
        if len(self.invitations) >= _INVITATIONS:
            raise CommandRefused(KitReason.FORBIDDEN, "This seat was invited too often.")
        token = invitation.seat_token
        self.invitations[invitation.player_id or ""] = Invited(
            invitation.table_id, None if token is None else digest_of(token)
        )
        return SignupResponse(
            display_name=self.stored.display_name,
            buy_in=self.stored.buy_in,
            plays_any_game=True,
            clock_ms=round(self.clock.total_seconds() * 1000) if self.clock else None,
            player_type=self.stored.kind,
        )

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        """Decide one turn of any game."""
        return await (await self.seated()).ask(request)

    async def notify(self, notice: HandNotice) -> HandNoticeOutput:
        (await self.seated()).notify(notice)
        return HandNoticeOutput()

    async def seated(self) -> SeatT:
        """Return the seat, once the lobby has registered it; raises CommandRefused."""
        if self.seat is None:
            try:
                async with asyncio.timeout(_REGISTRATION_S):
                    await self.is_seated.wait()
            except TimeoutError:
                pass
        if self.seat is None or self.seat.closed is not None:
            raise CommandRefused(Reason.UNKNOWN_PLAYER, "Nobody sits here.")
        return self.seat

    def invited(self, player_id: str = "") -> Invited | None:
        """Return the seat's invitation, if possible the one of this player id."""
        if self.stored.table_id is not None:
            return Invited(self.stored.table_id, self.stored.table_token_digest)
        newest = next(reversed(self.invitations.values()), None)
        return self.invitations.get(player_id, newest)


class TableRule:
    """Admits the table of a seat by its `signup` token; a seat without one admits any."""

    scheme = SEAT

    def __init__(self, place: SeatPlace[Any, Any]) -> None:
        self._place = place

    def admit(self, caller: Caller, message: Any) -> None:
        invited = self._place.invited()
        if invited is None or message.table_id != invited.table_id:
            raise refusal_of(caller, SEAT)
        expected = invited.token_digest
        if expected is not None and not hmac.compare_digest(digest_of(caller.token), expected):
            raise refusal_of(caller, SEAT)


def digest_of(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()


def seat_agent(
    place: SeatPlace[Any, Any], version: str, contribute: Contribute | None = None
) -> Agent:
    """Return the agent of a seat; `version` is that of the service that hosts it.

    Without `contribute` the seat has no part in its table's deal.
    """
    agent = Agent(
        place.stored.display_name,
        "A seat at a casino's table, played from outside.",
        version=version,
        tags=("casino", "player"),
        infers_skill=True,
    )
    table = TableRule(place)

    agent.entrypoint("signup", who=ANYONE)(place.signup)
    agent.entrypoint("act", who=table)(place.act)
    agent.entrypoint("notify", who=table)(place.notify)
    if contribute is not None:
        agent.entrypoint("contribute", who=table)(contribute)
    return agent
