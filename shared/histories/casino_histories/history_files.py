"""Read a file of hands, whatever of the formats it has, and write one, hand after hand."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import IO, Any, Final, Literal, NamedTuple, get_args

from casino_agentkit.installation import installation_hint
from casino_contracts import DisclosedDecision, Usage

from casino_histories.completed_hand import BOARD_SIZES, STREETS, HandHistory, amount_text
from casino_histories.errors import NotExportable, ParquetMissing, UnreadHand
from casino_histories.open_hand_history import ohh_text, read_ohh
from casino_histories.phh import phh, read_phhs
from casino_histories.pokerstars_reader import has_hands, is_named, read_pokerstars
from casino_histories.pokerstars_writer import pokerstars_text
from casino_histories.site_notation import decoded, other_site, refusal

ColumnType = Literal["text", "whole", "amount", "number", "flag", "time"]
Table = Literal["players", "actions"]
Row = tuple[Any, ...]
"""The values in the order of the columns: text, int, bool, datetime, or None for unknown; amounts
are whole chips of the hand's smallest unit."""

_LETTERS = {"fold": "f", "check": "x", "call": "c", "bet": "b", "raise": "r"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins so for a formula."""
_ROWS = 50_000
"""Rows of a group: what is in memory at a time."""
_DIGITS = 25


class Column(NamedTuple):
    """A column, with what it holds."""

    name: str
    type: ColumnType
    description: str


_HAND = (
    Column("hand_id", "text", "unique among all hands"),
    Column("table", "text", "the room or the match"),
    Column("hand", "whole", "number of the hand at its table"),
    Column("time", "time", "when the hand began, UTC; empty in matches"),
)
_SEAT = (
    Column("seat", "whole", "number of the seat at the table, from 1"),
    Column("player_id", "text", "id of the player at its table"),
    Column("player", "text", "display name"),
    Column("position", "text", "BTN, SB, BB, CO, HJ, UTG, UTG+1, …"),
)
PLAYERS = (
    *_HAND,
    Column("players", "whole", "players who were dealt in"),
    Column("small_blind", "amount", "the small blind of the table"),
    Column("big_blind", "amount", "the big blind of the table"),
    Column("ante", "amount", "the ante of the table"),
    *_SEAT,
    Column("stack", "amount", "stack before the forced bets"),
    Column("hole_cards", "text", "such as `AhKd`; empty where they are unknown"),
    Column("board", "text", "such as `QsJd2c3h4s`; empty without a flop"),
    Column("put_in", "amount", "chips put in, without the part that nobody matched"),
    Column("won", "amount", "chips won of the pots"),
    Column("net", "amount", "`won` less `put_in`"),
    Column("finishing_stack", "amount", "stack after the hand"),
    Column("folded_on", "text", "preflop, flop, turn, river; empty if the player did not fold"),
    Column("went_to_showdown", "flag", "whether this player and another one did not fold"),
    Column("showed", "flag", "whether the cards were shown"),
    Column(
        "actions",
        "text",
        "f, x, c, b or r with its total, such as `c r6/x c/b10`: streets apart by `/`",
    ),
    Column("model", "text", "the language model that decides, if the player names one"),
    Column("defaults", "whole", "decisions that something made in the player's place"),
)
ACTIONS = (
    *_HAND,
    Column("action_number", "whole", "from 1 within the hand, forced bets included"),
    Column("street", "text", "preflop, flop, turn, river"),
    *_SEAT,
    Column("action", "text", "a forced bet, such as big-blind, or fold, check, call, bet, raise"),
    Column("total", "amount", "bets of the player in this betting round after it"),
    Column("added", "amount", "chips put in by it"),
    Column("is_all_in", "flag", "whether it left the player without chips"),
    Column("pot", "amount", "all chips of the hand after it"),
    Column("board", "text", "the board at that time"),
    Column(
        "defaulted",
        "text",
        "why something decided in the player's place, such as `timeout` or `model_failed`",
    ),
    Column("model", "text", "the language model that was asked, as the player says"),
    Column("tokens", "number", "tokens of the decision; empty where the player does not say"),
    Column("cost_usd", "number", "its price in US dollars; empty where it is unknown"),
)
COLUMNS: dict[Table, tuple[Column, ...]] = {"players": PLAYERS, "actions": ACTIONS}


def rows_of(hand: HandHistory, table: Table) -> Iterator[Row]:
    return _players(hand) if table == "players" else _actions(hand)


def _head(hand: HandHistory) -> Row:
    return hand.hand_id, hand.table, hand.number, hand.started_at


def _who(hand: HandHistory, seat: int) -> Row:
    player = hand.seats[seat]
    return player.number + 1, player.player_id, player.name, hand.position_of(seat)


def _players(hand: HandHistory) -> Iterator[Row]:
    shown = {item.seat for item in hand.shown}
    folds = {action.seat: action.street for action in hand.actions if action.kind == "fold"}
    after = hand.finishing_stacks
    board = "".join(hand.board)
    defaults = Counter(said.player_id for said in hand.decided if said.defaulted)
    blinds = (len(hand.seats), hand.small_blind, hand.big_blind, hand.ante)
    for seat, player in enumerate(hand.seats):
        put_in, won = hand.contributed[seat], hand.won[seat]
        yield (
            *_head(hand),
            *blinds,
            *_who(hand, seat),
            player.stack,
            "".join(player.cards),
            board,
            put_in,
            won,
            won - put_in,
            after[seat],
            STREETS[folds[seat]] if seat in folds else "",
            hand.has_showdown and seat not in folds,
            seat in shown,
            _story(hand, seat),
            player.model,
            defaults[player.player_id],
        )


def _story(hand: HandHistory, seat: int) -> str:
    """Return a player's actions as letters; bets and raises with the total of the round."""
    words: list[list[str]] = [[] for _ in STREETS]
    for action in hand.actions:
        if action.seat == seat:
            has_total = action.kind in {"bet", "raise"}
            total = amount_text(action.total, hand.decimals) if has_total else ""
            words[action.street].append(_LETTERS[action.kind] + total)
    return "/".join(" ".join(street) for street in words).rstrip("/")


def _actions(hand: HandHistory) -> Iterator[Row]:
    pot, number = 0, 0
    left = [seat.stack for seat in hand.seats]
    bets = [0] * len(hand.seats)
    for number, bet in enumerate(hand.forced, 1):
        pot += bet.amount
        left[bet.seat] -= bet.amount
        bets[bet.seat] += bet.amount * bet.is_bet
        who = _who(hand, bet.seat)
        total = (bets[bet.seat], bet.amount, left[bet.seat] == 0, pot, "")
        yield (*_head(hand), number, STREETS[0], *who, bet.kind, *total, *_UNKNOWN)
    decided = {said.decision: said for said in hand.decided}
    for place, action in enumerate(hand.actions, 1):
        pot += action.added
        street = STREETS[action.street]
        board = "".join(hand.board[: BOARD_SIZES[action.street]])
        end = (action.kind, action.total, action.added, action.is_all_in, pot, board)
        who = _who(hand, action.seat)
        yield (*_head(hand), number + place, street, *who, *end, *_decided(decided.get(place)))


_UNKNOWN: Row = ("", "", None, None)


def _decided(said: DisclosedDecision | None) -> Row:
    if said is None:
        return _UNKNOWN
    reason = said.defaulted.reason if said.defaulted else ""
    usage = said.usage or Usage()
    tokens = (usage.input_tokens, usage.output_tokens)
    total = None if tokens == (None, None) else sum(filter(None, tokens))
    return reason, usage.model or "", total, usage.cost_usd


def csv_header(table: Table = "players") -> str:
    return _line([column.name for column in COLUMNS[table]])


def csv_lines(hand: HandHistory, table: Table = "players") -> str:
    types = [column.type for column in COLUMNS[table]]
    return "".join(
        _line(_cell(kind, value, hand.decimals) for kind, value in zip(types, row, strict=True))
        for row in rows_of(hand, table)
    )


def safe_text(text: str) -> str:
    """Return a text that is no formula, by an apostrophe before it, and without NUL."""
    text = text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(kind: ColumnType, value: object, decimals: int) -> object:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return amount_text(value, decimals) if kind == "amount" else value
    return safe_text(str(value))


def _line(cells: Iterable[object]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue()


class ParquetTable:
    """A table written in groups of rows; amounts are int64, with `decimals` decimal128."""

    def __init__(self, file: IO[bytes], table: Table = "players", decimals: int = 0) -> None:
        try:
            import pyarrow as pa  # noqa: PLC0415  an extra
            from pyarrow import parquet  # noqa: PLC0415
        except ImportError as error:
            hint = installation_hint("parquet")
            raise ParquetMissing(f"pyarrow is not installed: {hint}") from error
        types: dict[str, Any] = {
            "text": pa.string(),
            "whole": pa.int64(),
            "amount": pa.decimal128(_DIGITS, decimals) if decimals else pa.int64(),
            "number": pa.float64(),
            "flag": pa.bool_(),
            "time": pa.timestamp("us", tz="UTC"),
        }
        columns = COLUMNS[table]
        self._arrow = pa
        self._schema = pa.schema([(column.name, types[column.type]) for column in columns])
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._table = table
        self._decimals = decimals
        self._amounts = [column.type == "amount" for column in columns]
        self._rows: list[tuple[Any, ...]] = []

    def add(self, hand: HandHistory) -> None:
        """Write the rows of a hand; raises NotExportable if it has too many decimals."""
        if hand.decimals > self._decimals:
            raise NotExportable(f"it has amounts with more than {self._decimals} decimals")
        self._rows += (self._values(hand, row) for row in rows_of(hand, self._table))
        if len(self._rows) >= _ROWS:
            self._write()

    def close(self) -> None:
        """Write the rest, and end the file, which stays open."""
        if self._rows:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        arrays = [
            self._arrow.array(values, self._schema.field(number).type)
            for number, values in enumerate(zip(*self._rows, strict=True))
        ]
        self._writer.write_table(self._arrow.table(arrays, schema=self._schema))
        self._rows.clear()

    def _values(self, hand: HandHistory, row: tuple[Any, ...]) -> tuple[Any, ...]:
        cells = zip(self._amounts, row, strict=True)
        return tuple(
            (Decimal(value).scaleb(-hand.decimals) if self._decimals else value)
            if is_amount
            else (_text(value) if isinstance(value, str) else value)
            for is_amount, value in cells
        )


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


_HEAD = 4_000
_JSON = re.compile(r"\s*+(?:\{|\[\s*+[{\[])")

Format = Literal["phh", "pokerstars", "ohh", "csv", "parquet"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


def read_hands(content: bytes) -> Iterator[HandHistory | UnreadHand]:
    """Yield the hands of a file of any format, and in place of each that cannot be read what it is.

    Raises UnreadableHistory for what is no file of hands.
    """
    text = decoded(content)
    head = text[:_HEAD]
    if _JSON.match(head):
        return read_ohh(text)
    if is_named(text) or (has_hands(text) and not other_site(text)):
        return read_pokerstars(text)
    if "variant" in head:
        return read_phhs(text)
    raise refusal(text)


class TextFile:
    """A file of one of the text formats, in UTF-8."""

    def __init__(self, file: IO[bytes], form: Format, table: Table = "players") -> None:
        self._file = file
        self._form = form
        self._table = table
        self._count = 0
        if form == "csv":
            self._write(csv_header(table))

    def add(self, hand: HandHistory) -> None:
        match self._form:
            case "phh":
                self._write(f"[{self._count + 1}]\n{phh(hand)}\n")
            case "pokerstars":
                self._write(f"{pokerstars_text(hand)}\n\n")
            case "ohh":
                self._write(f"{ohh_text(hand)}\n")
            case _:
                self._write(csv_lines(hand, self._table))
        self._count += 1

    def close(self) -> None:
        """Do nothing: every hand is written at once."""

    def _write(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "replace"))


def hand_file(
    file: IO[bytes], form: Format, table: Table = "players", *, decimals: int = 0
) -> TextFile | ParquetTable:
    """Return a file for hands; CSV and Parquet take a `table`. Raises ParquetMissing."""
    if form == "parquet":
        return ParquetTable(file, table, decimals)
    return TextFile(file, form, table)
