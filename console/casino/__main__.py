"""Entry point of the `casino` command: registers its subcommands."""

import sys
from collections.abc import Callable

import typer

from casino.commands.attack import attack
from casino.commands.backup import backup, restore
from casino.commands.check import check
from casino.commands.faults import faults
from casino.commands.hands import hand, hands
from casino.commands.join import join
from casino.commands.key import key
from casino.commands.new_bot import new_bot
from casino.commands.play import play
from casino.commands.room_create import create
from casino.commands.rooms import close, leave, register, rooms, show, start
from casino.commands.up import deal, up
from casino.commands.watch import watch

Command = Callable[..., None]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A2A Casino: independent agents play for chips.",
)
room_app = typer.Typer(no_args_is_help=True)

_COMMANDS: tuple[Command, ...] = (
    up,
    new_bot,
    join,
    play,
    check,
    watch,
    rooms,
    deal,
    backup,
    restore,
    key,
    attack,
)
_ROOM_COMMANDS: tuple[Command, ...] = (
    create,
    show,
    register,
    start,
    leave,
    close,
    hands,
    hand,
    faults,
)
for command in _COMMANDS:
    app.command()(command)
for command in _ROOM_COMMANDS:
    room_app.command()(command)
app.add_typer(
    room_app, name="room", help="Open a room, seat players, start it, read its hands, close it."
)


@app.callback()
def casino() -> None:
    """A2A Casino: independent agents play for chips."""


def main() -> None:
    """Run the command."""
    # A pipe may use any encoding: replace characters such as suits that it lacks.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(prog_name="casino")


if __name__ == "__main__":
    main()
