"""The options of `casino match` that are values of the plan."""

from enum import StrEnum
from typing import Annotated, Any

import typer

_PLAN = "The plan"


class SeatingsChoice(StrEnum):
    """In which orders of the players a deck is played."""

    ROTATIONS = "rotations"
    ALL = "all"


class WrongAnswerChoice(StrEnum):
    """What follows a second wrong answer."""

    DEFAULT = "default"
    STOP = "stop"


class NoAnswerChoice(StrEnum):
    """What follows when an agent gives no answer."""

    PAUSE = "pause"
    DEFAULT = "default"


def _option(text: str, *names: str, **options: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PLAN, **options)


Name = Annotated[str | None, _option("Name of the match. Default: the names of the players.")]
Decks = Annotated[
    int | None, _option("Number of decks, each played in every seating. Default: 5000.")
]
DecksPerBlock = Annotated[
    int | None, _option("Decks of a block, which is played as a whole. Default: by the decks.")
]
Seed = Annotated[
    str | None,
    _option("What the decks follow from. Default: random, or that of the match that goes on."),
]
SeatingsOption = Annotated[
    SeatingsChoice | None, _option("all: every order of the players. Default: rotations.")
]
Stack = Annotated[int | None, _option("Chips of everybody before every hand. Default: 200.")]
SmallBlind = Annotated[int | None, _option("The small blind. Default: 1.")]
BigBlind = Annotated[int | None, _option("The big blind. Default: 2.")]
Ante = Annotated[int | None, _option("The ante of each player. Default: 0.")]
Clock = Annotated[
    str | None, _option("The time for a decision, such as 500ms or 10s. Default: 10s.")
]
StopBetter = Annotated[
    str | None,
    _option(
        "Stop early by a sequential test (SPRT): whether the first player wins at most LOW or at"
        " least HIGH bb/100 more than the second.",
        metavar="LOW:HIGH",
    ),
]
Alpha = Annotated[
    float | None, _option("Maximum probability to accept HIGH although LOW is true. Default: 0.05.")
]
Beta = Annotated[
    float | None, _option("Maximum probability to accept LOW although HIGH is true. Default: 0.05.")
]
WrongAnswer = Annotated[
    WrongAnswerChoice | None,
    _option("After a second wrong answer: check or fold (default), or stop the match."),
]
NoAnswer = Annotated[
    NoAnswerChoice | None,
    _option("When an agent is late or gone: pause (default), or check or fold."),
]
Patience = Annotated[
    str | None, _option("How long a pause lasts before the match is suspended. Default: 60s.")
]
GamesAtOnce = Annotated[
    int | None, _option("Maximum number of hands that each agent plays at once. Default: 4.")
]


def bounds_of(text: str) -> dict[str, Any]:
    """Return the fields of the stopping rule of `LOW:HIGH`; raises BadParameter.

    >>> bounds_of("0:5")
    {'rule': 'sprt', 'low': 0.0, 'high': 5.0}
    """
    low, _, high = text.partition(":")
    try:
        return {"rule": "sprt", "low": float(low), "high": float(high)}
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r}: write two win rates in bb/100, such as 0:5", param_hint="--stop-better"
        ) from error


def chosen(**values: Any) -> dict[str, Any]:
    """Return the values that are there."""
    return {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in values.items()
        if value is not None
    }
