"""Commands whose modules are imported when they run, so that `casino --help` is quick."""

from collections.abc import Mapping
from importlib import import_module
from math import isfinite
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from casino.commands.option_effects import refuse_without_effect

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
