"""The options that are rules of a room: one definition for every command that opens one."""

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Annotated

import typer
from casino_agentkit import Duration
from casino_contracts.table_config import ButtonRule, Rebuy
from pydantic import TypeAdapter, ValidationError

from casino.commands.context import message_of

OPTIONS = {
    "room_id": "ROOM",
    "max_seats": "--seats",
    "max_hands": "--hands",
    "starting_stack": "--stack",
    "small_blind": "--small-blind",
    "big_blind": "--big-blind",
    "min_buy_in": "--min-buy-in",
    "max_buy_in": "--max-buy-in",
    "action_timeout_ms": "--timeout",
    "max_action_timeout_ms": "--max-timeout",
    "max_timeouts": "--max-timeouts",
    "time_bank_ms": "--time-bank",
    "pace_ms": "--pace",
    "result_ms": "--result",
    "button_rule": "--button",
    "ante": "--ante",
    "seed": "--seed",
    "request_id": "--request-id",
}
"""The option of each field of a room."""

_FIELDS = {
    "stack": "starting_stack",
    "seats": "max_seats",
    "hands": "max_hands",
    "timeout": "action_timeout_ms",
    "max_timeout": "max_action_timeout_ms",
    "time_bank": "time_bank_ms",
    "pace": "pace_ms",
    "result": "result_ms",
    "button": "button_rule",
}
"""The field of TableConfig that an option sets, where the names differ."""

_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)


Seats = Annotated[int | None, typer.Option(min=2, max=10, help="Number of seats.")]
Stack = Annotated[float | None, typer.Option(help="The starting stack, in chips.")]
SmallBlind = Annotated[float | None, typer.Option(help="The small blind.")]
BigBlind = Annotated[float | None, typer.Option(help="The big blind.")]
Ante = Annotated[float | None, typer.Option(help="The ante of each player.")]
MinBuyIn = Annotated[float | None, typer.Option(help="The minimum buy-in. Default: 20 big blinds.")]
MaxBuyIn = Annotated[float | None, typer.Option(help="The maximum buy-in. Default: two stacks.")]
RebuyChoice = Annotated[
    Rebuy | None, typer.Option(help="auto: players without chips buy a new stack.")
]
ButtonChoice = Annotated[
    ButtonRule | None,
    typer.Option(help="moving: the button skips seats that are empty by now. Default: dead."),
]
ResetStacks = Annotated[
    bool | None, typer.Option("--reset-stacks", help="Every hand begins with the starting stack.")
]
Timeout = Annotated[
    str | None, typer.Option(help="Time limit of a decision, such as 500ms or 10s.")
]
MaxTimeout = Annotated[
    str | None,
    typer.Option(help="Longest time limit that a player may ask for. Default: --timeout."),
]
TimeBank = Annotated[
    str | None,
    typer.Option(help="More time of each player in a session, such as 60s. Default: none."),
]
Pace = Annotated[
    str | None,
    typer.Option(
        help="Least time between two decisions, such as 800ms (or 800), so that people can follow."
        " Default: none."
    ),
]
Result = Annotated[
    str | None,
    typer.Option(
        help="How long a hand's result stays, such as 3s. Default: 2.5s where a person sits, else"
        " four times --pace up to that."
    ),
]
MaxTimeouts = Annotated[
    int | None, typer.Option(min=1, help="Consecutive failures after which a player sits out.")
]
Seed = Annotated[str | None, typer.Option(help="Makes the session reproducible. Default: random.")]


@dataclass(frozen=True)
class RoomOptions:
    """The options of one command; those that are None were not given."""

    seats: int | None = None
    hands: int | None = None
    stack: float | None = None
    small_blind: float | None = None
    big_blind: float | None = None
    ante: float | None = None
    min_buy_in: float | None = None
    max_buy_in: float | None = None
    rebuy: Rebuy | None = None
    reset_stacks: bool | None = None
    button: ButtonRule | None = None
    timeout: str | None = None
    max_timeout: str | None = None
    time_bank: str | None = None
    pace: str | None = None
    result: str | None = None
    max_timeouts: int | None = None
    seed: str | None = None

    def chosen(self) -> dict[str, object]:
        """Return the fields of TableConfig that were chosen; raises BadParameter."""
        values: dict[str, object] = {}
        for option in fields(self):
            value = getattr(self, option.name)
            if value is None:
                continue
            name = _FIELDS.get(option.name, option.name)
            if name.endswith("_ms"):
                value = _milliseconds(value, OPTIONS[name])
            values[name] = value
        return values


def _milliseconds(text: str, option: str) -> int:
    if option == "--pace" and text.isdecimal():
        return int(text)
    return round(duration(text, option) / timedelta(milliseconds=1))


def duration(text: str, option: str) -> timedelta:
    """Return the duration that an option names, such as 500ms or 10s; raises BadParameter."""
    try:
        return _DURATION.validate_python(text)
    except ValidationError as error:
        raise typer.BadParameter(message_of(error), param_hint=option) from error


def hand_of(text: str, option: str) -> tuple[str, int]:
    """Return the room's id and the hand's number; raises BadParameter."""
    room, _, number = text.rpartition("/")
    if not room or not number.isdecimal():
        raise typer.BadParameter(
            "must be a room and a hand's number, such as main/17", param_hint=option
        )
    return room, int(number)
