"""What a table event says: its payload, read field by field.

A table that knows only the protocol document leaves fields out or writes them in another shape.
A field that cannot be read is None or empty; the others still count, so a reader decides what it
needs. `PAYLOADS` holds the models of what our own tables write.
"""

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

from casino_contracts.events import EventType, TableEvent
from casino_contracts.names import ID_LIMIT
from casino_contracts.numbers import MAX_SAFE

_TEXT_LIMIT = 2_000
_LIST_LIMIT = 256
"""No table has so many seats, pots or cards."""

Fields = Mapping[str, Any]


class ReportedSeat(NamedTuple):
    """A player at the table, as an event describes it."""

    player_id: str
    seat_number: int | None
    display_name: str | None
    stack: float | None


class PlayerStack(NamedTuple):
    """A player's stack after something happened."""

    player_id: str
    stack: float | None


class PostedBet(NamedTuple):
    """A blind or an ante."""

    player_id: str
    kind: str | None
    amount: float | None


class PlayerRegistered(NamedTuple):
    """`player_registered`: a player took a seat."""

    seat: ReportedSeat
    agent_card_url: str | None
    action_skill: str | None
    plays_any_game: bool


class HandStarted(NamedTuple):
    """`hand_started`: stacks are as before the forced bets."""

    hand_number: int | None
    posted: tuple[PostedBet, ...]
    players: tuple[ReportedSeat, ...]


class ActionTaken(NamedTuple):
    """`action_taken`: one decision, with the stack after it."""

    hand_number: int | None
    player_id: str
    stack: float | None
    outcome: str | None


class HandCompleted(NamedTuple):
    """`hand_completed`: a hand or a round of a game is over and paid."""

    hand_number: int | None
    stacks: tuple[PlayerStack, ...]
    pots: tuple[float | None, ...]
    """The amount of each pot, None where it cannot be read."""
    community_cards: tuple[tuple[str, str], ...]
    """Rank and suit of each card."""
    house: float | None
    """What the bank won or, negative, lost."""


class PlayerBusted(NamedTuple):
    """`player_busted`: a player lost the last chip and the seat."""

    hand_number: int | None
    player_id: str


class StatusChanged(NamedTuple):
    """`table_status` and `table_error`: something about the table or one of its seats changed."""

    kind: str | None
    status: str | None
    hand_number: int | None
    player_id: str | None
    stack: float | None
    amount: float | None
    hands_left: int | None


EventContent = (
    PlayerRegistered | HandStarted | ActionTaken | HandCompleted | PlayerBusted | StatusChanged
)


def content_of(event: TableEvent) -> EventContent | None:
    """Return what an event says; None where it does not even name the player that it is about."""
    return _READERS[event.event_type](event.payload or {})


def player_id(value: object) -> str | None:
    """Return a player's id: 1 to 128 characters without NUL."""
    is_id = isinstance(value, str) and 0 < len(value) <= ID_LIMIT and "\0" not in value
    return str(value) if is_id else None


def amount(value: object) -> float | None:
    """Return an amount of chips: a finite number from 0."""
    number = signed(value)
    return number if number is not None and number >= 0 else None


def signed(value: object) -> float | None:
    """Return a finite number within what every JSON reader reads exactly."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        return None
    return value if abs(value) <= MAX_SAFE else None


def whole(value: object) -> int | None:
    """Return a whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MAX_SAFE else None


def text(value: object) -> str | None:
    """Return a text, cut at 2,000 characters, without NUL."""
    return value.replace("\0", "")[:_TEXT_LIMIT] if isinstance(value, str) else None


def _objects(value: object) -> Iterator[Fields]:
    if isinstance(value, list):
        yield from (item for item in value[:_LIST_LIMIT] if isinstance(item, dict))


def _seat(fields: Fields) -> ReportedSeat | None:
    name = player_id(fields.get("playerId"))
    if name is None:
        return None
    return ReportedSeat(
        name,
        whole(fields.get("seatNumber")),
        text(fields.get("displayName")),
        amount(fields.get("stack")),
    )


def _player_registered(fields: Fields) -> PlayerRegistered | None:
    seat = _seat(fields)
    if seat is None:
        return None
    return PlayerRegistered(
        seat,
        text(fields.get("agentCardUrl")),
        text(fields.get("actionSkill")),
        fields.get("playsAnyGame") is True,
    )


def _hand_started(fields: Fields) -> HandStarted:
    posted = (
        PostedBet(name, text(bet.get("kind")), amount(bet.get("amount")))
        for bet in _objects(fields.get("posted"))
        if (name := player_id(bet.get("playerId"))) is not None
    )
    players = (seat for item in _objects(fields.get("players")) if (seat := _seat(item)))
    return HandStarted(whole(fields.get("handNumber")), tuple(posted), tuple(players))


def _action_taken(fields: Fields) -> ActionTaken | None:
    name = player_id(fields.get("playerId"))
    if name is None:
        return None
    return ActionTaken(
        whole(fields.get("handNumber")),
        name,
        amount(fields.get("stack")),
        text(fields.get("outcome")),
    )


def _hand_completed(fields: Fields) -> HandCompleted:
    stacks = (
        PlayerStack(name, amount(item.get("stack")))
        for item in _objects(fields.get("stacks"))
        if (name := player_id(item.get("playerId"))) is not None
    )
    cards = (
        (text(card.get("rank")), text(card.get("suit")))
        for card in _objects(fields.get("communityCards"))
    )
    return HandCompleted(
        whole(fields.get("handNumber")),
        tuple(stacks),
        tuple(amount(pot.get("amount")) for pot in _objects(fields.get("pots"))),
        tuple((rank, suit) for rank, suit in cards if rank and suit),
        signed(fields.get("house")),
    )


def _player_busted(fields: Fields) -> PlayerBusted | None:
    name = player_id(fields.get("playerId"))
    return None if name is None else PlayerBusted(whole(fields.get("handNumber")), name)


def _status_changed(fields: Fields) -> StatusChanged:
    return StatusChanged(
        text(fields.get("kind")),
        text(fields.get("status")),
        whole(fields.get("handNumber")),
        player_id(fields.get("playerId")),
        amount(fields.get("stack")),
        amount(fields.get("amount")),
        whole(fields.get("handsLeft")),
    )


_READERS: dict[EventType, Callable[[Fields], EventContent | None]] = {
    "player_registered": _player_registered,
    "hand_started": _hand_started,
    "action_taken": _action_taken,
    "hand_completed": _hand_completed,
    "player_busted": _player_busted,
    "table_error": _status_changed,
    "table_status": _status_changed,
}
