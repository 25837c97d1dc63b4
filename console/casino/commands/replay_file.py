"""Command `casino replay`: show the hands of a file on the page."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from casino_contracts.base import displayed
from casino_histories import HandHistory, UnreadableHistory, UnreadHand, all_read
from casino_histories.history_files import read_hands
from casino_histories.phh import phh
from casino_lobby_client.errors import CallFailed

from casino.commands.context import context_of, one_line_for
from casino.output import Output, counted, sanitize
from casino.publishing import hand_link

_MOST_BYTES = 256 * 1024 * 1024
_MOST_HANDS = 5_000
_NAMED, _REASONS = 5, 10
"""Of hands that are left out: how many are named, and how many reasons of the others."""
_LINE = re.compile(r"^line \d{1,9}: ")
_CTRL_C = 130


def replay_file(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="PHH (.phh, .phhs), PokerStars or GGPoker text, Open Hand History."
        ),
    ],
    skip: Annotated[int, typer.Option(min=0, help="Begin after so many hands.")] = 0,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The page's port. Default: a free one.")
    ] = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first hand that cannot be read.")
    ] = False,
) -> None:
    """Step through the hands of a file on the page, in a browser.

    A hand that cannot be read is left out, and named on standard error. Serves the page
    on this machine until Ctrl-C, and prints the link of the first hand.
    """
    with one_line_for(context, CallFailed):
        hands, unread = _read(file, skip, is_strict=strict)
        hands = _completed(hands)
    output = context_of(context).output()
    output.line(f"{counted(len(hands), 'hand')} of {file}")
    for line in left_out(unread):
        typer.echo(sanitize(line), err=True)
    raise typer.Exit(_serve(hands, room_of(file), port, output))


def room_of(file: Path) -> str:
    """Return the id of the room that shows a file: its name."""
    return displayed(file.stem).replace("/", "-").strip(". ") or "file"


def _read(file: Path, skip: int, *, is_strict: bool) -> tuple[list[HandHistory], list[UnreadHand]]:
    """Return the hands to show, and those left out; raises CallFailed."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise CallFailed(f"{file} has more than {_MOST_BYTES >> 20} MiB: split it")
        content = file.read_bytes()
    except OSError as error:
        raise CallFailed(f"{file} cannot be read: {error.strerror}") from error
    try:
        found = islice(read_hands(content), skip, skip + _MOST_HANDS)
        items = list(all_read(found) if is_strict else found)
    except UnreadableHistory as error:
        raise CallFailed(f"{file}: {sanitize(str(error))}") from error
    hands = [item for item in items if not isinstance(item, UnreadHand)]
    unread = [item for item in items if isinstance(item, UnreadHand)]
    if unread and not hands:
        raise CallFailed(sanitize(f"{file} has no hand that can be read; {unread[0]}"))
    if not hands:
        raise CallFailed(f"{file} has no hand" + (f" after {skip}" if skip else ""))
    return hands, unread


def left_out(unread: list[UnreadHand]) -> Iterator[str]:
    """Yield lines that name the first hands, and count the reasons of the others."""
    if unread:
        yield f"{counted(len(unread), 'hand')} left out"
    yield from (f"  {item}" for item in unread[:_NAMED])
    reasons = Counter(_LINE.sub("", item.reason) for item in unread[_NAMED:]).most_common()
    yield from (f"  {count} more: {reason}" for reason, count in reasons[:_REASONS])
    if others := sum(count for _, count in reasons[_REASONS:]):
        yield f"  {others} more for other reasons"


def _completed(hands: list[HandHistory]) -> list[HandHistory]:
    """Return the hands with what follows from their cards, where hands can be ranked."""
    from casino_match.hand_export import ranked  # noqa: PLC0415  with numpy, which takes time

    return [ranked(hand) for hand in hands]


def _serve(hands: list[HandHistory], room: str, port: int, output: Output) -> int:
    """Start the page with the hands, print its link, and return its exit code at its end.

    The page ends with its standard input, and so with this process.
    """
    text = "".join(f"[{number}]\n{phh(hand)}\n" for number, hand in enumerate(hands, 1)).encode()
    command = [sys.executable, "-m", "casino_lobby.replay", room, "--port", str(port)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as page:  # noqa: S603  our own module
        assert page.stdin is not None  # noqa: S101  it is a pipe
        assert page.stdout is not None  # noqa: S101  it is a pipe
        try:
            page.stdin.write(b"%d\n%b" % (len(text), text))
            page.stdin.flush()
            ready = page.stdout.readline()
            if ready:
                output.line(f"replay  {hand_link(json.loads(ready)['url'], room, 1)}")
                output.line("Ctrl-C ends it")
            return page.wait()
        except BrokenPipeError:
            return page.wait()
        except KeyboardInterrupt:
            page.stdin.close()
            page.wait()
            return _CTRL_C
