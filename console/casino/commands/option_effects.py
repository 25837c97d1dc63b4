"""Options that have an effect only with others, or only without them: elsewhere they are refused.

A variable that an option stands for is not: it may be there for other commands.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import typer


class Effect(NamedTuple):
    """Options that have an effect only beside another one, or with `is_without` only without it.

    With `values`, the other one counts if it has one of them.
    """

    options: Sequence[str]
    other: str
    is_without: bool = False
    values: Sequence[str] = ()

    @property
    def counterpart(self) -> str:
        """The other option as it is typed."""
        return f"{self.other} {' or '.join(self.values)}".rstrip()

    def refusal(self) -> str:
        if self.is_without:
            return f"has no effect with {self.counterpart}: leave one of them out"
        return f"has no effect without {self.counterpart}: add it, or leave this option out"


def _with(other: str, *options: str, values: Sequence[str] = ()) -> Effect:
    return Effect(options, other, values=values)


def _without(other: str, *options: str, values: Sequence[str] = ()) -> Effect:
    return Effect(options, other, is_without=True, values=values)


_RESET: Final = _without("--reset-stacks", "--rebuy")
EFFECTS: Final[Mapping[str, Sequence[Effect]]] = {
    "up": (
        _without("--exit", "--gateway-port"),
        _without("--no-gateway", "--gateway-port"),
        _without("--players", "--players-port", values=["none"]),
        _with("--evaluator", "--evaluator-port"),
        _with("--tables", "--table-processes"),
        _RESET,
    ),
    "join": (
        _with("--up", "--hands", "--seed", "--lobby-port"),
        _without("--up", "--lobby", "--seat", "--through"),
        _without("--through", "--host", "--port", "--public-url"),
        _without("--model", "--debug", "--any-game"),
        _with(
            "--model",
            "--base-url",
            "--temperature",
            "--reasoning-effort",
            "--max-tokens",
            "--prompt",
            "--budget-tokens",
            "--budget-usd",
            "--transcript",
            "--headers",
            "--body",
            "--publish-reasoning",
        ),
    ),
    "play": (
        _without("--a2g", "--gateway", "--buy-in"),
        _with("--a2g", "--style", "--a2g-token"),
    ),
    "ask": (_without("--question", "--decision", "--epoch", "--lobby"),),
    "export": (_with("--format", "--rows", values=["csv", "parquet"]),),
    "attack": (
        _without(
            "--list",
            "--seat",
            "--player",
            "--table",
            "--gateway",
            "--evaluator",
            "--listen",
            "--received",
            "--yes-it-is-mine",
        ),
    ),
    "room create": (_without("--table", "--table-port"), _RESET),
    "room hands": (_without("--sort", "--order"),),
    "room standings": (_without("--json", "--stats"),),
    "room bot": (
        _without("--hand", "--sort", "--limit"),
        _with("--hand", "--epoch"),
    ),
}
"""By command, in the order in which they are checked."""


def refuse_without_effect(context: typer.Context) -> None:
    """Raise BadParameter for an option on the command line that has no effect beside the others."""
    _, _, command = context.command_path.partition(" ")
    parameters = {
        name: parameter
        for parameter in context.command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    for effect in EFFECTS.get(command, ()):
        if _counts(context, parameters[effect.other], effect.values) != effect.is_without:
            continue
        for option in effect.options:
            if _source(context, parameters[option]) == "COMMANDLINE":
                raise typer.BadParameter(effect.refusal(), param_hint=option)


def _counts(context: typer.Context, other: Any, values: Sequence[Any]) -> bool:
    """Return whether an option is given, also by its variable."""
    value = context.params[other.name]
    if value is False or _source(context, other) == "DEFAULT":
        return False
    return not values or value in values


def _source(context: typer.Context, parameter: Any) -> str:
    source = context.get_parameter_source(parameter.name)
    return source.name if source else ""
