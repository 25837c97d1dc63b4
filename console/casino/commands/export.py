"""Command `casino export`: write the hands of a room or a match to a file."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer
from casino_contracts import Unit
from casino_histories import HandHistory, HistoryError, NotExportable
from casino_histories.history_files import Format, ParquetTable, Table, TextFile, hand_file
from casino_lobby_client.errors import CallFailed

from casino.commands.context import (
    LOBBY_URL,
    LobbyUrl,
    at_lobby,
    context_of,
    one_line_for,
    operator_key,
)
from casino.lobby_api import LobbyApi
from casino.output import counted, sanitize
from casino.room_hands import LeftOut, RoomHands

_PLAN = "plan.json"
_REASONS_SHOWN = 3


def export(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="ROOM|DIR", help="A room's id, or the directory of a match, such as matches/a."
        ),
    ],
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="`phh` for pokerkit, `pokerstars` for trackers, `ohh` (Open Hand History), or a"
            " table: `csv`, `parquet`.",
        ),
    ] = "phh",
    out: Annotated[
        Path | None, typer.Option(help="The file. Default: standard output, but for `parquet`.")
    ] = None,
    rows: Annotated[
        Table,
        typer.Option(help="Of a table: one row for each hand and player, or each action."),
    ] = "players",
    lobby: LobbyUrl = LOBBY_URL,
) -> None:
    """Write the hands of a room or a match to a file for other programs.

    With the operator's key it has every card of a room, else those that were shown.
    """
    if form == "parquet" and out is None:
        raise typer.BadParameter("parquet is no text: name a file", param_hint="--out")
    is_match = (Path(source) / _PLAN).is_file()
    if Path(source).is_dir() and not is_match:
        raise typer.BadParameter(f"{source} is no directory of a match: it has no {_PLAN}")
    with one_line_for(context, CallFailed, HistoryError), _written(out) as file:
        if is_match:
            count, left_out = _match(Path(source), file, form, rows), LeftOut()
        else:
            has_key = operator_key(context).value is not None
            count, left_out = at_lobby(
                context,
                lobby,
                lambda api: _room(api, source, file, form, rows, has_key=has_key),
            )
    if out is not None:
        context_of(context).output().line(f"{counted(count, 'hand')} written to {out}")
    _complain(left_out)


async def _room(
    api: LobbyApi, room: str, file: IO[bytes], form: Format, rows: Table, *, has_key: bool
) -> tuple[int, LeftOut]:
    decimals = Unit.of((await api.room(room)).config).decimals
    hands = RoomHands(api, room, with_all_cards=has_key, sleep=asyncio.sleep)
    target = hand_file(file, form, rows, decimals=decimals)
    count = 0
    async for page in hands.pages():
        count += sum(_added(target, hand, hands.left_out) for hand in page)
    target.close()
    return count, hands.left_out


def _added(target: TextFile | ParquetTable, hand: HandHistory, left_out: LeftOut) -> int:
    try:
        target.add(hand)
    except NotExportable as reason:
        left_out.hands[f"hand {hand.number}"] = str(reason)
        return 0
    return 1


def _match(directory: Path, file: IO[bytes], form: Format, rows: Table) -> int:
    from casino_match.errors import MatchError  # noqa: PLC0415  with numpy, which takes time
    from casino_match.hand_export import hands_of_match  # noqa: PLC0415

    target = hand_file(file, form, rows)
    count = 0
    try:
        for hand in hands_of_match(directory):
            target.add(hand)
            count += 1
    except MatchError as failed:
        raise CallFailed(str(failed)) from failed
    target.close()
    return count


@contextmanager
def _written(out: Path | None) -> Iterator[IO[bytes]]:
    """Open the file beside its place, to be put there once it is whole; raises CallFailed."""
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    partial = out.with_name(f".{out.name}.partial")
    try:
        with partial.open("wb") as file:
            yield file
        partial.replace(out)
    except OSError as error:
        raise CallFailed(f"{out} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def _complain(left_out: LeftOut) -> None:
    for what, missing in (
        ("left out", left_out.hands),
        ("written with the shown cards only", left_out.cards),
    ):
        if missing:
            typer.echo(f"{counted(len(missing), 'hand')} {what}", err=True)
            for name, reason in list(missing.items())[:_REASONS_SHOWN]:
                typer.echo(f"  {name}: {sanitize(reason)}", err=True)
