"""Addresses of a room: the agents of its players, and its table; why it waits for them. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from casino_contracts import PlayerProfile, PlayerType, Waiting, WaitReason, holding_up
from casino_contracts.lobby_messages import Service
from pydantic import PlainSerializer

PlayerIds = Annotated[set[str], PlainSerializer(sorted, return_type=list[str])]
"""A set of player ids. Its JSON is sorted: equal sets have equal JSON in every process."""


@dataclass(frozen=True)
class PlayerAgent:
    """Address of a seated player's agent, and how to call it."""

    card_url: str
    action_skill: str = "act"
    plays_any_game: bool = False
    is_invited: bool = False
    """Whether the lobby invited it; a table event cannot replace such an agent."""
    signer: str | None = None
    """Thumbprint of the key that signed its card; None for an unsigned card."""
    clock_ms: int | None = None
    """The time for a decision that it asked for."""
    player_type: PlayerType | None = None
    """Who decides for it, as it said at its signup."""
    profile: PlayerProfile | None = None
    """What it said of itself there."""
    description: str | None = None
    """Of its agent card, as one line."""
    registrar: Service | None = None
    """The service that registered it; None: the operator, or its table."""


AWAY = "table-away"
WAITING = "waits-for-table"
"""State of a room whose table is lost while no other one is free."""


_OWN: Final = (WaitReason.NO_TABLE, WaitReason.TABLE_AWAY, WaitReason.STORE_FAILED)
"""Why a room waits, as the lobby alone says."""


@dataclass
class RoomWaits:
    """What a room waits for, as its table says and as the lobby knows; one wait a reason."""

    items: tuple[Waiting, ...] = ()
    """The oldest first."""

    def begin(self, wait: Waiting) -> None:
        self.end(wait.reason)
        self.items = (*self.items, wait)

    def end(self, *reasons: str) -> None:
        self.items = tuple(wait for wait in self.items if wait.reason not in reasons)

    def tell(self, told: Iterable[Waiting]) -> bool:
        """Take what the table says now; return whether that is news."""
        before = self.items
        own = [wait for wait in before if wait.reason in _OWN]
        self.items = (*(wait for wait in told if wait.reason not in _OWN), *own)
        return self.items != before

    def lose_table(self, wait: Waiting) -> str:
        """Note that the table is away, or lost while no other is free; return the room's state.

        What the table said before may be over by now.
        """
        self.tell(())
        self.end(WaitReason.NO_TABLE, WaitReason.TABLE_AWAY)
        self.begin(wait)
        return WAITING if wait.reason == WaitReason.NO_TABLE else AWAY

    def find_table(self, state: str | None) -> str | None:
        """Note that the table is there; return the room's state after this one."""
        self.end(WaitReason.NO_TABLE, WaitReason.TABLE_AWAY)
        return None if state in {AWAY, WAITING} else state

    def state(self, told: str | None) -> str | None:
        """Return what a room does beyond its status: the told state, or why it plays no hand."""
        if told is None and (wait := holding_up(self.items)) is not None:
            return wait.reason
        return told

    def published(self) -> tuple[Waiting, ...] | None:
        """Return what everybody may know; None: it waits for nothing."""
        return tuple(wait.published() for wait in self.items) or None


class TablePlace(NamedTuple):
    """Where a room's table is, and what its card says."""

    card_url: str
    base_url: str | None
    is_keyed: bool
