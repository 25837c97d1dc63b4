"""Commands whose modules are imported when they run, so that `casino --help` is quick.

Some of their options have an effect only with others, or only without them: elsewhere they are
refused. A variable that an option stands for is not: it may be there for other commands.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from math import isfinite
from typing import Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command


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


LOBBY_OPTION = "--lobby"
_LOBBY = "_lobby"
"""The parameter of the entry point with that option."""


class LazyCommand(TyperCommand):
    """A listed command; `target`, `module:function` below `casino.commands`, implements it."""

    target = ""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse as the implementation does, with the lobby that was named before the command.

        Raises BadParameter for an option that is no finite number, or has no effect.
        """
        command = self.implementation()
        lobby = parent.find_root().params.get(_LOBBY) if parent else None
        if lobby is not None:
            if not any(LOBBY_OPTION in parameter.opts for parameter in command.params):
                raise typer.BadParameter(
                    f"{parent.command_path} {info_name} asks no lobby", param_hint=LOBBY_OPTION
                )
            args = [LOBBY_OPTION, lobby, *args]
        context = command.make_context(info_name, args, parent=parent, **extra)
        for parameter in command.params:
            value = context.params.get(parameter.name)
            if isinstance(value, float) and not isfinite(value):
                raise typer.BadParameter(f"{value}: write a finite number", context, parameter)
        refuse_without_effect(context)
        return context

    def implementation(self) -> Any:
        """Import the function, and return it as a command."""
        import_module("casino_agentkit.process.lean")  # before what imports structlog or the SDK
        module, _, function = self.target.partition(":")
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command(self.name)(getattr(import_module(f"casino.commands.{module}"), function))
        return get_command(app)


def add_commands(app: typer.Typer, targets: Mapping[str, tuple[str, str]]) -> None:
    """Add commands by name, each with its target and the first sentence of its help."""
    for name, (target, summary) in targets.items():
        kind = type("LazyCommand", (LazyCommand,), {"target": target})
        app.command(name, cls=kind, help=summary)(_unused)


def _unused() -> None:
    """Stand for the implementation."""


_DEFAULT = "run"


class MatchGroup(TyperGroup):
    """A group whose first argument may be a bot or a plan, as if `run` stood before it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with the default command where there is none."""
        helps = (*ctx.help_option_names, "--show-completion", "--install-completion")
        if args and args[0] not in self.commands and args[0] not in helps:
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)
