"""Read the fields of a payload, each by itself: what cannot be read is None or empty.

A table of a third party leaves fields out or writes them in another shape. Nothing here raises.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, Generic, Protocol, TypeVar, get_args

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from casino_contracts.base import ID_LIMIT, WireModel, is_legible
from casino_contracts.events.table_event import EventType
from casino_contracts.numbers import MAX_SAFE
from casino_contracts.player_messages import Card, PlayerType, Rank, Suit
from casino_contracts.table_commands import TableStatus

_TEXT_LIMIT = 2_000
_LIST_LIMIT = 256  # no table has so many seats, pots or cards
_PLAYER_TYPES: dict[str, PlayerType] = {kind: kind for kind in get_args(PlayerType)}
_STATUSES: dict[str, TableStatus] = {status: status for status in get_args(TableStatus)}

_is_legible = lru_cache(maxsize=1_024)(is_legible)
"""Every event of a hand names the same few players."""

_NUMBERS = (int, float)

_CARDS: dict[tuple[str, str], Card] = {
    (rank, suit): Card(rank=rank, suit=suit) for rank in get_args(Rank) for suit in get_args(Suit)
}

T = TypeVar("T")
M = TypeVar("M", bound=WireModel)

Fields = Mapping[str, Any]


class HasFields(Protocol):
    """What reads its attributes from the fields of a payload."""

    fields: Fields


class HasPayload(Protocol):
    """What is read of a table event."""

    @property
    def event_type(self) -> EventType: ...

    @property
    def payload(self) -> Fields | None: ...


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


def mapping(value: object) -> Fields | None:
    return value if isinstance(value, dict) else None


def objects(value: object) -> Iterator[Fields]:
    if isinstance(value, list):
        yield from (item for item in value[:_LIST_LIMIT] if isinstance(item, dict))


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


_cards = messages(Card)
