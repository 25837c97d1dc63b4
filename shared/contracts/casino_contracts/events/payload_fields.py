"""Parts of payloads, and how each field is read by itself: what cannot be read is None or empty.

A table of a third party leaves fields out or writes them in another shape. Nothing here raises.
Models are what our tables write; the tuples beside them have what could be read.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar, get_args

import pydantic
from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from casino_contracts.base import ID_LIMIT, WireModel, displayed, is_legible, optional
from casino_contracts.numbers import MAX_SAFE, Amount, PositiveWhole, SignedAmount
from casino_contracts.player_messages import (
    Card,
    Defaulted,
    PlayerProfile,
    PlayerType,
    Rank,
    Suit,
    Usage,
)
from casino_contracts.table_commands import PlayerSeat, TableStatus

_TEXT_LIMIT = 2_000
_LIST_LIMIT = 256  # no table has so many seats, pots or cards
_PLAYER_TYPES: dict[str, PlayerType] = {kind: kind for kind in get_args(PlayerType)}
_STATUSES: dict[str, TableStatus] = {status: status for status in get_args(TableStatus)}

_displayed = lru_cache(maxsize=1_024)(displayed)
_is_legible = lru_cache(maxsize=1_024)(is_legible)
"""Every event of a hand names the same few players."""

_NUMBERS = (int, float)

_CARDS: dict[tuple[str, str], Card] = {
    (rank, suit): Card(rank=rank, suit=suit) for rank in get_args(Rank) for suit in get_args(Suit)
}

T = TypeVar("T")
M = TypeVar("M", bound=WireModel)

Fields = Mapping[str, Any]


Outcome = Literal[
    "ok",
    "retried",
    "timeout",
    "illegal",
    "malformed",
    "unreachable",
    "disconnected",
    "sitting_out",
    "away",
    "defaulted",
]
"""`ok` and `retried`: the player's own answer. The others: the default action was taken.

`timeout`: no answer came in time; a later one is not read (`turn.py` of `casino_play`).
`disconnected`: the player was reached, and closed the connection without a reply. `sitting_out`:
the seat sits out, so nothing was asked. `away`: the player's program answered that
nobody is there to decide. `defaulted`: it answered with a default, and said why (`Defaulted`).
Both actions are the program's, and count as missed.
"""


class ForcedBet(WireModel):
    """A posted blind or ante."""

    player_id: str
    kind: Literal["ante", "small-blind", "big-blind", "straddle", "post"]
    amount: Amount
    is_dead: bool | None = optional(description="Goes to the pot and is no bet of the player.")


class PotShare(WireModel):
    """One player's share of one pot."""

    player_id: str
    amount: Amount


class AwardedPot(WireModel):
    """One pot and its winners; the main pot comes first."""

    amount: Amount
    winners: tuple[PotShare, ...]


class ShownHand(WireModel):
    """Hole cards shown at the showdown, in the order of showing."""

    player_id: str
    cards: tuple[Card, ...]
    rank_name: str
    best_five: tuple[Card, ...] | None = optional()


class StackAfter(WireModel):
    """A player's stack after the hand."""

    player_id: str
    stack: Amount


class PlayerPoints(WireModel):
    """A player's points and place; players with the same points share a place."""

    player_id: str
    points: SignedAmount
    place: PositiveWhole


class DisclosedDecision(WireModel):
    """What is public of a decision only when its hand is over."""

    decision: PositiveWhole = pydantic.Field(
        description="The number of its `action_taken` in the hand."
    )
    player_id: str
    defaulted: Defaulted | None = optional(description="With its detail.")
    usage: Usage | None = optional()
    reasoning: str | None = optional(
        description="Only of a player whose profile allows it; cut where a hand has much."
    )


class ReportedSeat(NamedTuple):
    """A player at the table, as an event describes it."""

    player_id: str
    seat_number: int | None
    display_name: str | None
    stack: float | None
    player_type: PlayerType | None = None
    profile: PlayerProfile | None = None

    @property
    def name(self) -> str:
        """The display name, or the id where there is none."""
        return self.display_name or self.player_id

    @property
    def complete(self) -> PlayerSeat | None:
        """The seat with defaults for its name and stack; None without a seat number."""
        if self.seat_number is None:
            return None
        return PlayerSeat(
            player_id=self.player_id,
            seat_number=self.seat_number,
            display_name=self.name,
            stack=self.stack or 0,
            player_type=self.player_type,
            profile=self.profile,
        )


class PlayerStack(NamedTuple):
    """A player's stack after something happened."""

    player_id: str
    stack: float | None


class PostedBet(NamedTuple):
    """A blind or an ante."""

    player_id: str
    kind: str | None
    amount: float | None
    is_dead: bool = False

    @property
    def is_bet(self) -> bool:
        """Whether it counts as a bet of the betting round."""
        return self.kind != "ante" and not self.is_dead


class HasFields(Protocol):
    """What reads its attributes from the fields of a payload."""

    fields: Fields


class Field(Generic[T]):
    """An attribute that is read from a payload when it is first asked for, and then kept.

    A reader of events so pays for the fields that it uses only. The name on the wire is the
    attribute's in camelCase, unless it is passed.
    """

    def __init__(self, read: Callable[[object], T], name: str = "") -> None:
        self._read = read
        self._name = name

    def __set_name__(self, _owner: type, attribute: str) -> None:
        self._attribute = attribute
        self._name = self._name or to_camel(attribute)

    def __get__(self, content: HasFields, _owner: type) -> T:
        """Return the value, and let the instance hold it from now on."""
        value = self._read(content.fields.get(self._name))
        content.__dict__[self._attribute] = value
        return value


def player_id(value: object) -> str | None:
    """Return a player's id: at most 128 visible characters and inner spaces."""
    if isinstance(value, str) and len(value) <= ID_LIMIT and _is_legible(value):
        return value
    return None


def amount(value: object) -> float | None:
    """Return an amount of chips: a finite number from 0."""
    if isinstance(value, _NUMBERS) and 0 <= value <= MAX_SAFE and not isinstance(value, bool):
        return value
    return None


def signed(value: object) -> float | None:
    """Return a finite number within what every JSON reader reads exactly."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        return None
    return value if abs(value) <= MAX_SAFE else None


def whole(value: object) -> int | None:
    """Return a whole number from 0; `7.0` is 7, as in JavaScript."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MAX_SAFE else None


def text(value: object) -> str | None:
    """Return a text, cut at 2,000 characters, without NUL."""
    if not isinstance(value, str):
        return None
    if len(value) <= _TEXT_LIMIT and "\0" not in value:  # nearly always
        return value
    return value.replace("\0", "")[:_TEXT_LIMIT]


def is_true(value: object) -> bool:
    return value is True


def status(value: object) -> TableStatus | None:
    return _STATUSES.get(value) if isinstance(value, str) else None


def player_type(value: object) -> PlayerType | None:
    return _PLAYER_TYPES.get(value) if isinstance(value, str) else None


def profile(value: object) -> PlayerProfile | None:
    return _profile(value) if isinstance(value, dict) else None


def mapping(value: object) -> Fields | None:
    return value if isinstance(value, dict) else None


def objects(value: object) -> list[Fields]:
    if not isinstance(value, list):
        return []
    return [item for item in value[:_LIST_LIMIT] if isinstance(item, dict)]


def message(model: type[M]) -> Callable[[object], M | None]:
    def read(value: object) -> M | None:
        try:
            return model.model_validate(value)
        except ValidationError:
            return None

    return read


def cards(value: object) -> tuple[Card, ...]:
    """Return a list of cards, which is empty if one of them cannot be read."""
    try:
        return tuple(
            [_CARDS[item["rank"], item["suit"]] for item in value]
            if isinstance(value, list)
            else ()
        )
    except (KeyError, TypeError):
        return _cards(value)


def messages(model: type[M]) -> Callable[[object], tuple[M, ...]]:
    """Return a reader of a list of messages, which is empty if one of them cannot be read."""

    def read(value: object) -> tuple[M, ...]:
        try:
            return tuple(map(model.model_validate, value if isinstance(value, list) else ()))
        except ValidationError:
            return ()

    return read


def seat(fields: Fields) -> ReportedSeat | None:
    name = player_id(fields.get("playerId"))
    if name is None:
        return None
    return ReportedSeat(
        name,
        whole(fields.get("seatNumber")),
        _displayed(text(fields.get("displayName")) or "") or None,
        amount(fields.get("stack")),
        player_type(fields.get("playerType")),
        profile(fields.get("profile")),
    )


def seats(value: object) -> tuple[ReportedSeat, ...]:
    return tuple([found for item in objects(value) if (found := seat(item))])


def bets(value: object) -> tuple[PostedBet, ...]:
    return tuple(
        [
            PostedBet(
                name, text(bet.get("kind")), amount(bet.get("amount")), is_true(bet.get("isDead"))
            )
            for bet in objects(value)
            if (name := player_id(bet.get("playerId"))) is not None
        ]
    )


def stacks(value: object) -> tuple[PlayerStack, ...]:
    return tuple(
        [
            PlayerStack(name, amount(item.get("stack")))
            for item in objects(value)
            if (name := player_id(item.get("playerId"))) is not None
        ]
    )


def amounts(value: object) -> tuple[float | None, ...]:
    return tuple([amount(item.get("amount")) for item in objects(value)])


def winners(value: object) -> frozenset[str]:
    shares = [share for pot in objects(value) for share in objects(pot.get("winners"))]
    winners = [player_id(share.get("playerId")) for share in shares if share.get("amount")]
    return frozenset([winner for winner in winners if winner is not None])


def ranks(value: object) -> dict[str, str]:
    """Return the names of the ranks that players have shown."""
    named = [(player_id(hand.get("playerId")), hand.get("rankName")) for hand in objects(value)]
    return {name: text(rank) or "" for name, rank in named if name is not None}


def size(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def scores(value: object) -> Mapping[str, float] | None:
    scores = mapping(value)
    if scores is None:
        return None
    numbers = ((player_id(key), signed(score)) for key, score in scores.items())
    return {key: score for key, score in numbers if key is not None and score is not None}


_cards = messages(Card)
_profile = message(PlayerProfile)
