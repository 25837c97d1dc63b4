"""The options that are rules of a room: one definition for every command that opens one."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import timedelta
from functools import wraps
from typing import Annotated, Any, get_origin

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

_RULES = "rules"
_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)


Stack = Annotated[float | None, typer.Option(help="The starting stack, in chips.")]
Seed = Annotated[str | None, typer.Option(help="Makes the session reproducible. Default: random.")]


@dataclass(frozen=True)
class RoomOptions:
    """The options of one command; those that are None were not given."""

    seats: Annotated[int | None, typer.Option(min=2, max=10, help="Number of seats.")] = None
    stack: Stack = None
    small_blind: Annotated[float | None, typer.Option(help="The small blind.")] = None
    big_blind: Annotated[float | None, typer.Option(help="The big blind.")] = None
    ante: Annotated[float | None, typer.Option(help="The ante of each player.")] = None
    min_buy_in: Annotated[
        float | None, typer.Option(help="The minimum buy-in. Default: 20 big blinds.")
    ] = None
    max_buy_in: Annotated[
        float | None, typer.Option(help="The maximum buy-in. Default: two stacks.")
    ] = None
    rebuy: Annotated[
        Rebuy | None, typer.Option(help="auto: players without chips buy a new stack.")
    ] = None
    reset_stacks: Annotated[
        bool | None,
        typer.Option("--reset-stacks", help="Every hand begins with the starting stack."),
    ] = None
    button: Annotated[
        ButtonRule | None,
        typer.Option(help="moving: the button skips seats that are empty by now. Default: dead."),
    ] = None
    timeout: Annotated[
        str | None, typer.Option(help="Time limit of a decision, such as 500ms or 10s.")
    ] = None
    max_timeout: Annotated[
        str | None,
        typer.Option(help="Longest time limit that a player may ask for. Default: --timeout."),
    ] = None
    time_bank: Annotated[
        str | None,
        typer.Option(help="More time of each player in a session, such as 60s. Default: none."),
    ] = None
    pace: Annotated[
        str | None,
        typer.Option(
            help="Least time between two decisions, such as 800ms (or 800), so that people can"
            " follow. Default: none."
        ),
    ] = None
    result: Annotated[
        str | None,
        typer.Option(
            help="How long a hand's result stays, such as 3s. Default: 2.5s where a person sits,"
            " else four times --pace up to that."
        ),
    ] = None
    max_timeouts: Annotated[
        int | None, typer.Option(min=1, help="Consecutive failures after which a player sits out.")
    ] = None
    hands: int | None = None
    """Like `seed` an option that each command describes itself."""
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


_SHARED = tuple(option for option in fields(RoomOptions) if get_origin(option.type) is Annotated)


def with_rules(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that has the options of `RoomOptions` in place of its parameter `rules`."""
    kind, own = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.signature(command)
    parameters: list[inspect.Parameter] = []
    for parameter in own.parameters.values():
        if parameter.name == _RULES:
            for option in _SHARED:
                shared = inspect.Parameter(option.name, kind, default=None, annotation=option.type)
                parameters.append(shared)
        else:
            parameters.append(parameter)

    @wraps(command)
    def run(**given: Any) -> None:
        rules = RoomOptions(**{option.name: given.pop(option.name) for option in _SHARED})
        command(**given, **{_RULES: rules})

    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


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
