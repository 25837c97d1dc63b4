"""What the lobby tells the table of a room, and reads of its replies and failures.

The protocol document does not say what is in most replies.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal, TypeVar

from casino_agentkit import (
    AgentError,
    CommandRefused,
    KitReason,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
)
from casino_agentkit.protocol import CAPABILITY_PATH, CARD_PATH, keyed_skill
from casino_contracts import (
    Amount,
    CasinoCallback,
    ConfigureTableInput,
    Continuation,
    PlayerSeat,
    Reason,
    SeatAssignment,
    SeatPlayerInput,
    TableStatus,
    TableSummary,
)
from casino_contracts.base import PlayerId, WireModel, optional
from casino_contracts.numbers import Whole
from casino_contracts.player_messages import HOLDEM
from casino_contracts.table_commands import Visitors, WaitList
from pydantic import ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import table_summary
from casino_lobby.domain.told_summary import apply_summary, is_silent

EVENT_SKILL = "recordGameEvent"

_T = TypeVar("_T")
_INVALID_PARAMS, _REFUSED_COMMAND = -32602, -32004
_WITHOUT_REASON = {KitReason.UNKNOWN, KitReason.UNSUPPORTED_OPERATION}


@dataclass(frozen=True)
class LobbyIdentity:
    """How a lobby presents itself to tables.

    `fleet_key` authorizes it at free announced tables, `launch_key` at launched ones. `visitors` is
    what others may do at its tables, as it lets them itself; None: nothing.
    """

    name: str
    url: str
    fleet_key: str | None = None
    launch_key: str | None = None
    visitors: Visitors | None = None


def milliseconds(duration: timedelta) -> int:
    """Return whole milliseconds, rounded down."""
    return duration // timedelta(milliseconds=1)


def configuration_of(
    lobby: LobbyIdentity,
    room: Room,
    seats: tuple[SeatAssignment, ...] | None = None,
    continuation: Continuation | None = None,
    lease: timedelta | None = None,
    *,
    is_invoked: bool = False,
) -> ConfigureTableInput:
    """Return the configuration for a room's table.

    `seats` and `continuation` are those of a table whose play it continues; `lease` is how long it
    may ask players without an answered announcement. A table that does not
    use the room key gets a capability in the callback's URL instead; one that `is_invoked`, whose
    client may drop that path, gets it in the event skill as well.
    """
    key = room.key()
    capability = "" if room.is_keyed else f"{CAPABILITY_PATH}{key.events}"
    return ConfigureTableInput(
        table_id=room.table_id,
        casino_name=lobby.name,
        config=room.config,
        casino_callback=CasinoCallback(
            agent_card_url=f"{lobby.url}{capability}{CARD_PATH}",
            event_skill=keyed_skill(EVENT_SKILL, key.events) if is_invoked else EVENT_SKILL,
            secret=key.secret if room.is_keyed else None,
        ),
        epoch=room.epoch,
        seats=seats,
        continuation=continuation,
        lease_ms=None if lease is None else milliseconds(lease),
        visitors="see" if lobby.visitors == "sit" and room.entry == "invited" else lobby.visitors,
        game_type=room.game_type,
        game_config=room.game_config,
    )


_MOST_GAMES = 100
"""Entries that are read of a card's list of games."""


def games_of(about: Mapping[str, Any]) -> frozenset[str]:
    """Return the types of the games on a table's card; one without a list plays Hold'em."""
    listed = about.get("games")
    if not isinstance(listed, list):
        return frozenset({HOLDEM})
    types = (line.get("gameType") for line in listed[:_MOST_GAMES] if isinstance(line, dict))
    return frozenset(one for one in types if isinstance(one, str))


def plays(about: Mapping[str, Any], game_type: str) -> bool:
    """Return whether a table with this card plays a game."""
    return game_type in games_of(about)


def _or_none(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value)
    except ValidationError:
        return None


Read = Annotated[_T | None, WrapValidator(_or_none)]
"""A field that is None if it is absent or cannot be read."""


class TableReply(WireModel):
    """What a table says of itself, as a `TableSummary` of which any field may be missing."""

    table_id: Read[str] = optional()
    status: Read[TableStatus] = optional()
    hand_count: Read[Whole] = optional()
    players: Read[tuple[PlayerSeat, ...]] = optional()
    message: Read[str] = optional()
    state: Read[str] = optional()
    epoch: Read[Whole] = optional()
    sequence: Read[Whole] = optional()
    kept_from: Read[Whole] = optional()
    plays_for: Read[Literal["points"]] = optional()
    waits: Read[WaitList] = optional()

    def completed(self, recorded: TableSummary) -> TableSummary:
        """Return the summary, with what the lobby has recorded in place of missing fields."""
        replied = {name: getattr(self, name) for name in TableSummary.model_fields}
        present = {name: value for name, value in replied.items() if value is not None}
        return recorded.model_copy(update=present)

    def tell(self, room: Room, *, is_newest: bool) -> None:
        """Fold what a table that knows only the document says into its room."""
        told = self.completed(table_summary(room).model_copy(update={"message": None}))
        counts_hands = self.hand_count is not None and is_silent(room)
        apply_summary(room, told, counts_hands=counts_hands, is_newest=is_newest)


class SeatReply(WireModel):
    """What a table says of a new seat, as a `PlayerSeat` of which any field may be missing."""

    player_id: Read[PlayerId] = optional()
    seat_number: Read[Whole] = optional()
    stack: Read[Amount] = optional()

    def completed(self, request: SeatPlayerInput, free_seat: int) -> PlayerSeat:
        """Return the seat, with what was requested in place of missing fields, and its name."""
        return PlayerSeat(
            player_id=self.player_id or request.player_id,
            seat_number=free_seat if self.seat_number is None else self.seat_number,
            display_name=request.display_name,
            stack=request.starting_stack if self.stack is None else self.stack,
            player_type=request.player_type,
            profile=request.profile,
        )


@contextmanager
def translate_errors(who: str) -> Iterator[None]:
    """Translate errors of a call into CommandRefused; `who` names the agent in messages.

    A refusal of the other agent keeps its reason, violations and details.
    Raises CommandRefused: AGENT_UNREACHABLE, AGENT_TIMED_OUT, AGENT_CONTRACT_VIOLATION,
    AGENT_REFUSED, or the other agent's reason.
    """
    try:
        yield
    except RemoteRefused as refused:
        if refused.code == _REFUSED_COMMAND and refused.reason not in _WITHOUT_REASON:
            reason = refused.reason
        elif refused.code == _INVALID_PARAMS:
            reason = Reason.AGENT_CONTRACT_VIOLATION
        else:
            reason = Reason.AGENT_REFUSED
        raise CommandRefused(
            reason, f"{who} refused: {refused.message}", refused.violations, refused.details
        ) from refused
    except Unreachable as error:
        raise CommandRefused(
            Reason.AGENT_UNREACHABLE, f"{who} cannot be reached: {error}"
        ) from error
    except TimedOut as error:
        raise CommandRefused(
            Reason.AGENT_TIMED_OUT, f"{who} did not answer in time: {error}"
        ) from error
    except (Malformed, ProtocolFault) as error:
        raise CommandRefused(
            Reason.AGENT_CONTRACT_VIOLATION, f"{who} does not speak the casino protocol: {error}"
        ) from error
    except AgentError as error:
        raise CommandRefused(Reason.AGENT_UNREACHABLE, f"{who}: {error}") from error
