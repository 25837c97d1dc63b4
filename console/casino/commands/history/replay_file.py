"""Command `casino replay`: show the hands of a file on the page."""

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from casino_agentkit import PortTaken, configure_logs, serve
from casino_contracts.names import displayed
from casino_histories import HandHistory, UnreadableHistory
from casino_histories.reading.file import read_hands

from casino.commands.context import context_of
from casino.errors import CallFailed
from casino.formatting import counted

_MOST_BYTES = 256 * 1024 * 1024
_MOST_HANDS = 5_000
_LOBBY_MISSING = (
    "the page is that of the lobby, which needs an extra: install it with"
    " `pip install 'a2a-casino[lobby]'`"
)


def replay_file(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="PHH (.phh, .phhs), PokerStars text, or Open Hand History."
        ),
    ],
    skip: Annotated[int, typer.Option(min=0, help="Begin after so many hands.")] = 0,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The page's port. Default: a free one.")
    ] = 0,
) -> None:
    """Step through the hands of a file on the page, in a browser.

    Serves the page on this machine until Ctrl-C, and prints the link of the first hand.
    """
    output = context_of(context).output()
    try:
        hands = _read(file, skip)
        # An extra; a command must be able to say so.
        from casino.histories.file_room import FileRoom  # noqa: PLC0415
        from casino.histories.replay_service import replay_service  # noqa: PLC0415
    except (CallFailed, UnreadableHistory) as failed:
        raise _failure(context, str(failed)) from failed
    except ImportError as error:
        raise _failure(context, _LOBBY_MISSING) from error
    room = FileRoom(displayed(file.stem).replace("/", "-").strip(". ") or "file", hands)
    configure_logs("replay", level="WARNING")

    def announce(link: str) -> None:
        output.line(f"{counted(len(hands), 'hand')} of {file}")
        output.line(f"replay  {link}")
        output.line("Ctrl-C ends it")

    try:
        serve(lambda url: replay_service(url, room, announce), host="127.0.0.1", port=port)
    except PortTaken as error:
        raise _failure(context, str(error)) from error


def _read(file: Path, skip: int) -> list[HandHistory]:
    """Return the hands to show; raises CallFailed, UnreadableHistory."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise CallFailed(f"{file} has more than {_MOST_BYTES >> 20} MiB: split it")
        content = file.read_bytes()
    except OSError as error:
        raise CallFailed(f"{file} cannot be read: {error.strerror}") from error
    hands = list(islice(read_hands(content), skip, skip + _MOST_HANDS))
    if not hands:
        raise CallFailed(f"{file} has no hand" + (f" after {skip}" if skip else ""))
    return hands


def _failure(context: typer.Context, message: str) -> typer.Exit:
    typer.echo(f"{context.command_path}: {message}", err=True)
    return typer.Exit(1)
