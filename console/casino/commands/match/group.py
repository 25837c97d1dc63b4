"""The commands of `casino match`, of which `run` needs no name."""

from typing import Any

from typer.core import TyperGroup

_DEFAULT = "run"


class MatchGroup(TyperGroup):
    """A group whose first argument may be a bot or a plan, as if `run` stood before it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with the default command where there is none."""
        helps = (*ctx.help_option_names, "--show-completion", "--install-completion")
        if args and args[0] not in self.commands and args[0] not in helps:
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)
