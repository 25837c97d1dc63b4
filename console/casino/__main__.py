"""Entry point of the `casino` command: lists its subcommands, and imports the one that runs."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from casino.commands.lazy_command import LOBBY_OPTION, MatchGroup, add_commands

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A2A Casino: independent agents play for chips.",
)
room_app = typer.Typer(no_args_is_help=True)
match_app = typer.Typer(no_args_is_help=True, cls=MatchGroup)

COMMANDS = {
    "up": (
        "up:up",
        "Start a casino on this machine and play: lobby, table and players, each in a process.",
    ),
    "new-bot": (
        "new_bot:new_bot",
        "Write a bot that plays at once, with tests, a Dockerfile and a README.",
    ),
    "new-game": (
        "new_bot:new_game",
        "Write a game in the five files of the game-interface document, which plays at once.",
    ),
    "join": (
        "join:join",
        "Seat a function `act(turn)` of a file, reloaded when it changes, or a language model.",
    ),
    "check": (
        "check:check",
        "Check a bot without a casino: its card, signup, sixty questions, bad input, speed.",
    ),
    "play": (
        "play:play",
        "Sit down in a room and play by typing, until its session ends, `quit` or Ctrl-C.",
    ),
    "mcp": (
        "mcp_command:mcp",
        "Give a language model's host the tools to play, over standard input and output (MCP).",
    ),
    "watch": (
        "watch_command:watch",
        "Watch a room, or all rooms, live until the room is closed or Ctrl-C.",
    ),
    "league": (
        "league:league",
        "Play a match between every two players of a folder, and rank them by what is sure.",
    ),
    "rooms": ("room_commands:rooms", "List the rooms of a lobby."),
    "deal": (
        "up:deal",
        "Keep a room playing at a running lobby; settings are read from CASINO_DEALER_….",
    ),
    "export": (
        "export:export",
        "Write the hands of a room or a match to a file for other programs.",
    ),
    "replay": (
        "replay_file:replay_file",
        "Step through the hands of a file on the page, in a browser.",
    ),
    "backup": (
        "backup:backup",
        "Write a casino's database and data directory into one file, also while it plays.",
    ),
    "restore": (
        "backup:restore",
        "Restore a casino from a backup, while no lobby runs on the data.",
    ),
    "audit": (
        "audit:audit",
        "Check that a casino's events, hands and standings agree to the chip, also while it plays.",
    ),
    "verify": (
        "verify:verify",
        "Check offline, from public events, that nobody chose the cards of a room.",
    ),
    "key": (
        "key:key",
        "Generate a key of 256 random bits, for a lobby's operator or for its tables.",
    ),
    "ask": (
        "ask:ask_again",
        "Ask an agent one question of a past hand again, and judge its answer as a table does.",
    ),
    "attack": (
        "attack:attack",
        "Attack your own casino as outsiders and seated bots would, and report the results.",
    ),
}
ROOM_COMMANDS = {
    "list": ("room_commands:rooms", "List the rooms of a lobby."),
    "create": (
        "room_create:create",
        "Open a room; a rule that no option sets is the lobby's default.",
    ),
    "show": ("room_commands:show", "Show a room's rules, table and players."),
    "register": ("room_commands:register", "Invite a player agent to a room and seat it."),
    "start": (
        "room_commands:start",
        "Start a session; a full room starts its first session automatically.",
    ),
    "leave": (
        "room_commands:leave",
        "Make a player leave: at once between hands, otherwise after the running hand.",
    ),
    "close": ("room_commands:close", "Close a room, after the running hand."),
    "hands": ("hand_commands:hands", "List the completed hands of a room and their results."),
    "hand": (
        "hand_commands:hand",
        "Show one hand in plain text, from the blinds to the final stacks.",
    ),
    "standings": (
        "hand_commands:standings",
        "Show what the players of a room have won or lost so far, also of a closed room.",
    ),
    "replay": (
        "replay:replay",
        "Play one hand again, with its deck and other players, and show it.",
    ),
    "bot": (
        "own_bot:bot",
        "List a bot's hands as it saw them; its author needs no operator's key.",
    ),
    "faults": (
        "room_commands:faults",
        "List the newest faults of a player, with the reasons if you have the key.",
    ),
}
MATCH_COMMANDS = {
    "run": (
        "match_commands:run",
        "Play a match between bots, or go on with it, and say which of them is better.",
    ),
    "show": (
        "match_commands:show",
        "Show the result of a match, or of what is played of it so far.",
    ),
    "verify": (
        "match_commands:verify",
        "Check a match: compute its result again, its hands, and play some of its blocks again.",
    ),
    "new": (
        "match_commands:new",
        "Write a plan with every field and what it means, to be changed.",
    ),
}
"""The function of each command, and the first line of its docstring."""

add_commands(app, COMMANDS)
add_commands(room_app, ROOM_COMMANDS)
add_commands(match_app, MATCH_COMMANDS)
app.add_typer(
    room_app, name="room", help="Open a room, seat players, start it, read its hands, close it."
)
app.add_typer(
    match_app,
    name="match",
    help="Which bot is better? `casino match BOT BOT` plays the same decks in every seat, and says"
    " it.",
)


def _print_version(is_asked: bool) -> None:  # noqa: FBT001  typer calls it with the option's value
    if is_asked:
        typer.echo(f"casino {version('a2a-casino')}")
        raise typer.Exit


@app.callback()
def casino(
    *,
    _lobby: Annotated[
        str | None,
        typer.Option(
            LOBBY_OPTION, metavar="URL", help="The lobby's URL, as behind the command's name."
        ),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
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
