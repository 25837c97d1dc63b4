"""Command `casino export`: read the hands of a room or a match, a page at a time, into a file."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Annotated, TypeVar

import typer
from casino_agentkit import KitReason
from casino_contracts import (
    HOLDEM,
    HandDetail,
    HandPage,
    HandRecord,
    HandSummary,
    Reason,
    TableEvent,
    Unit,
)
from casino_histories import HandHistory, HistoryError, NotExportable
from casino_histories.from_record import history_of
from casino_histories.history_files import Format, ParquetTable, Table, TextFile, hand_file
from casino_lobby_client.errors import CallFailed, LobbyAway

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

_PER_PAGE = 100
_RECORDS_AT_ONCE = 8
_WAIT_S = 5.0
_MOST_WAITS = 60

T = TypeVar("T")


@dataclass
class LeftOut:
    """What is missing in an export, with a reason for each."""

    hands: dict[str, str] = field(default_factory=dict)
    """By name of the hand."""
    cards: dict[str, str] = field(default_factory=dict)
    """Hands that are there with the cards that were shown only."""


class RoomHands:
    """The hands of a room, with every card if there is an operator's key."""

    def __init__(
        self,
        api: LobbyApi,
        room: str,
        *,
        with_all_cards: bool,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._api = api
        self._room = room
        self._with_all_cards = with_all_cards
        self._sleep = sleep
        self.left_out = LeftOut()

    async def pages(self) -> AsyncIterator[list[HandHistory]]:
        """Yield the hands in the order of play, without those of `left_out`; raises CallFailed."""
        game = (await self._api.room(self._room)).game_type or HOLDEM
        if game != HOLDEM:
            raise CallFailed(
                f"{self._room} is a room of {game}: only hands of {HOLDEM} can be exported"
            )
        after: str | None = None
        while True:
            page = await self._page(after)
            yield await self._histories(page.hands)
            after = page.next
            if after is None:
                return

    async def _page(self, after: str | None) -> HandPage:
        query = {"after": after, "limit": _PER_PAGE}
        return await self._patient(lambda: self._api.hand_page(self._room, query))

    async def _histories(self, hands: Sequence[HandSummary]) -> list[HandHistory]:
        details = [detail for epoch in self._by_epoch(hands) for detail in await self._read(epoch)]
        records: Sequence[HandRecord | None] = [None] * len(details)
        if self._with_all_cards:
            limit = asyncio.Semaphore(_RECORDS_AT_ONCE)
            records = await asyncio.gather(*(self._record(detail, limit) for detail in details))
        histories = []
        for detail, record in zip(details, records, strict=True):
            try:
                histories.append(history_of(detail, record))
            except NotExportable as reason:
                self.left_out.hands[_name(detail.hand)] = str(reason)
        return histories

    @staticmethod
    def _by_epoch(hands: Sequence[HandSummary]) -> list[list[HandSummary]]:
        epochs: dict[int, list[HandSummary]] = {}
        for hand in hands:
            epochs.setdefault(hand.epoch, []).append(hand)
        return list(epochs.values())

    async def _read(self, hands: Sequence[HandSummary]) -> list[HandDetail]:
        """Return hands of an epoch with their events, which are read together."""
        first = min(hand.first_sequence or hand.last_sequence for hand in hands)
        last = max(hand.last_sequence for hand in hands)
        epoch, after = hands[0].epoch, first - 1
        events: list[TableEvent] = []
        while after < last:
            page = await self._patient(lambda: self._api.events(self._room, after, epoch))  # noqa: B023  called at once
            if not page.events:
                break
            events += page.events
            after = page.last_sequence
        by_sequence = {event.sequence: event for event in events}
        return [
            HandDetail(
                room_id=self._room,
                hand=hand,
                events=tuple(
                    by_sequence[place]
                    for place in range(
                        hand.first_sequence or hand.last_sequence, hand.last_sequence + 1
                    )
                    if place in by_sequence
                ),
            )
            for hand in hands
        ]

    async def _record(self, detail: HandDetail, limit: asyncio.Semaphore) -> HandRecord | None:
        hand = detail.hand
        async with limit:
            try:
                return await self._patient(
                    lambda: self._api.hand_record(
                        self._room, hand.hand_number, hand.epoch, questions=False
                    )
                )
            except CallFailed as failed:
                if failed.reason == KitReason.UNAUTHORIZED:
                    raise
                self.left_out.cards[_name(hand)] = str(failed)
                return None

    async def _patient(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what a request returns; one that came too early is sent again after a while."""
        for _ in range(_MOST_WAITS):
            try:
                return await call()
            except LobbyAway as away:
                if away.reason != Reason.TOO_MANY_REQUESTS:
                    raise
            await self._sleep(_WAIT_S)
        return await call()


def _name(hand: HandSummary) -> str:
    return f"hand {hand.hand_number}" + (f" of epoch {hand.epoch}" if hand.epoch > 1 else "")


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
