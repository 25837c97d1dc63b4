"""What a frame shows, before it has places and colours."""

from dataclasses import dataclass

Card = str | None
"""A label, such as `Ah`, `K` or `10`; None is a card face down, an empty text an empty place."""


@dataclass(frozen=True, slots=True)
class Side:
    """The candidate, or what plays against it."""

    cards: tuple[Card, ...] = ()
    stack: int | None = None
    bet: int | None = None
    note: str = ""
    """Its last action, its points or the total of its cards."""
    has_button: bool = False
    is_turn: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Cards between the two sides."""

    cards: tuple[Card, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A named number or word of a game without a layout of its own."""

    name: str
    word: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """What is on the table."""

    opponent: Side | None
    own: Side | None
    rows: tuple[Row, ...] = ()
    """At most two."""
    label: str = ""
    """What `amount` is, or a word about the rows."""
    amount: int | None = None
    values: tuple[Value, ...] = ()
    """Drawn where there is no side and no row."""
