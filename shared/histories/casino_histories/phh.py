"""Read and write PHH (Poker Hand History): `.phh` with one hand, `.phhs` with several as tables."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any

from casino_contracts.foreign_text import LIMITS, TextLimits

from casino_histories.completed_hand import (
    BOARD_SIZES,
    HEADS_UP,
    HandHistory,
    amount_text,
    decimal_of,
)
from casino_histories.errors import UnreadableHistory, UnreadHand
from casino_histories.hand_draft import (
    DraftPlayer,
    HandDraft,
    cards_in,
    check_size,
    number_in,
)
from casino_histories.phh_stakes import (
    DEAD,
    KINDS,
    STAKES,
    amounts_text,
    beside_the_standard,
    plain_toml,
    posts_of,
    stakes_of,
    standard_of,
    toml_text,
)

_TABLE = re.compile(
    r"^\[[ \t]*+[\"']?+([\w-]++)[\"']?+[ \t]*+\][ \t]*+$|\[(\d{1,9})\]\n(?=variant\b)", re.MULTILINE
)
"""A hand begins on a line of its own, or within one that was cut off."""

_VARIANTS = {
    "FT": "Limit Hold'em",
    "NS": "No-Limit Short-Deck Hold'em",
    "PO": "Pot-Limit Omaha",
    "FO/8": "Limit Omaha Hi/Lo",
    "F7S": "Seven Card Stud",
    "F7S/8": "Seven Card Stud Hi/Lo",
    "FR": "Razz",
    "N2L1D": "No-Limit 2-7 Single Draw",
    "F2L3D": "Limit 2-7 Triple Draw",
    "FB": "Badugi",
}

Fields = dict[str, Any]

_UNKNOWN = "????"
_WON_DECIMALS = 4
"""Sums of binary fractions, as files have them, differ from the amount after these."""


def read_phhs(text: str, limits: TextLimits = LIMITS) -> Iterator[HandHistory | UnreadHand]:
    """Yield the hands of a file, and in place of each that cannot be read what it is."""
    begins = list(_TABLE.finditer(text))
    if not begins:
        yield _hand(text, "1", 1, 1, limits)
    line, at = 1, 0
    for count, begin in enumerate(begins, 1):
        end = begins[count].start() if count < len(begins) else len(text)
        line, at = line + text.count("\n", at, begin.end()), begin.end()
        yield _hand(text[begin.end() : end], begin[1] or begin[2], count, line, limits)


def _hand(
    text: str, name: str, count: int, line: int, limits: TextLimits
) -> HandHistory | UnreadHand:
    try:
        fields = limits.toml(text, line, parse_float=str)
        return _PhhReading(fields, count).hand()
    except (ValueError, OverflowError, UnreadableHistory) as error:
        return UnreadHand(line, f"[{name[:20]}]", str(error)[:200])


class _PhhReading:
    def __init__(self, fields: Fields, count: int) -> None:
        if fields.get("variant") != "NT":
            variant = str(fields.get("variant"))[:20]
            name = f" ({_VARIANTS[variant]})" if variant in _VARIANTS else ""
            raise UnreadableHistory(
                f"variant {variant!r}{name} is not NT, No-Limit Texas Hold'em, which alone is read"
            )
        self._fields = fields
        stacks = self._amounts("starting_stacks")
        size = len(stacks)
        check_size(size)
        antes = self._amounts("antes", [Decimal(0)] * size)
        blinds = self._amounts("blinds_or_straddles")
        if not size == len(antes) == len(blinds):
            raise UnreadableHistory("antes, blinds_or_straddles and starting_stacks differ in size")
        if size == HEADS_UP:  # written small blind first, but p1 is the big blind
            antes.reverse()
            blinds.reverse()
        posts = posts_of(antes, blinds, is_trimmed=bool(fields.get("ante_trimming_status", False)))
        stakes = self._amounts("_stakes", [])
        stakes = stakes if len(stakes) == len(STAKES) else stakes_of(posts)
        names, ids = self._texts("players", size), self._texts("_players", size)
        seats = self._seats(size)
        number = number_in(fields.get("hand"), count)
        self._draft = HandDraft(
            hand_id=str(fields.get("_hand_id") or f"{fields.get('table') or 'hand'}/{number}"),
            table=str(fields.get("table") or fields.get("event") or "phh"),
            number=number,
            players=[
                DraftPlayer(names[seat] or f"p{seat + 1}", seats[seat], stacks[seat], ids[seat])
                for seat in range(size)
            ],
            small_blind=stakes[0],
            big_blind=stakes[1],
            ante=stakes[2],
            started_at=_time(fields),
            posts=posts,
        )
        if button := number_in(fields.get("_button"), 0):
            self._draft.button = button - 1
        if "_forced" in fields:
            self._draft.posts, self._draft.is_told_apart = [], True
            for text in self._texts("_forced", None):
                self._post(text)
        self._totals, self._calls = self._amounts("_totals", []), 0

    def hand(self) -> HandHistory:
        for action in self._texts("actions", None):
            self._act(action.partition("#")[0].split(), action)
        size = len(self._draft.players)
        if finishing := self._amounts("finishing_stacks", []):
            self._draft.finishing = finishing
            if len(finishing) != size:
                raise UnreadableHistory("finishing_stacks and players differ in number")
        winnings = [round(amount, _WON_DECIMALS) for amount in self._amounts("winnings", [])]
        if len(winnings) == size and min(winnings) >= 0:
            self._draft.winnings = winnings
        if "_rake" in self._fields:
            self._draft.rake = decimal_of(self._fields["_rake"])
        self._draft.is_cancelled = self._fields.get("_is_cancelled") is True
        ranks = self._texts("_ranks", len(self._draft.shown))
        self._draft.shown = [
            (seat, cards, rank)
            for (seat, cards, _), rank in zip(self._draft.shown, ranks, strict=True)
        ]
        return self._draft.hand()

    def _post(self, text: str) -> None:
        """Post a forced bet such as `p3 post 1 dead`."""
        match text.split():
            case [player, kind, amount, *dead] if kind in KINDS and dead in ([], [DEAD]):
                forced, is_dead = decimal_of(amount), bool(dead)
                self._draft.post(self._seat(player), KINDS[kind], forced, is_dead=is_dead)
            case _:
                raise UnreadableHistory(f"{text[:40]!r} is no forced bet")

    def _act(self, words: list[str], action: str) -> None:
        draft = self._draft
        match words:
            case ["d", "dh", player, cards]:
                draft.players[self._seat(player)].cards = cards_in(cards)
            case ["d", "db", cards]:
                draft.deal(cards_in(cards))
            case [player, "f"]:
                draft.step("fold", self._seat(player))
            case [player, "cc"] if self._totals:
                if self._calls >= len(self._totals):
                    raise UnreadableHistory("_totals has fewer amounts than there are calls")
                draft.step("to", self._seat(player), self._totals[self._calls])
                self._calls += 1
            case [player, "cc"]:
                draft.step("call", self._seat(player))
            case [player, "cbr", amount]:
                draft.step("to", self._seat(player), decimal_of(amount))
            case [player, "sm", *cards]:
                self._show(self._seat(player), "".join(cards))
            case []:
                pass
            case _:
                raise UnreadableHistory(f"{action[:40]!r} is no action of Hold'em")

    def _show(self, seat: int, text: str) -> None:
        cards = self._draft.players[seat].cards if text == "-" else cards_in(text)
        if cards:
            self._draft.show(seat, cards)

    def _seat(self, player: str) -> int:
        number = number_in(player[1:], 0) if player.startswith("p") else 0
        if not 1 <= number <= len(self._draft.players):
            raise UnreadableHistory(f"{player[:20]!r} is no player of the hand")
        return number - 1

    def _amounts(self, name: str, otherwise: list[Decimal] | None = None) -> list[Decimal]:
        values = self._fields.get(name, otherwise)
        if not isinstance(values, list) or (not values and otherwise is None):
            raise UnreadableHistory(f"{name} is missing")
        return [decimal_of(value) for value in values]

    def _texts(self, name: str, size: int | None) -> list[str]:
        values = self._fields.get(name)
        if isinstance(values, list) and size in {None, len(values)}:
            return [str(value) for value in values]
        if size is None:
            raise UnreadableHistory(f"{name} is missing")
        return [""] * size

    def _seats(self, size: int) -> list[int]:
        values = self._fields.get("seats")
        if isinstance(values, list) and len(values) == size:
            numbers = [number_in(value, 0) - 1 for value in values]
            if min(numbers) >= 0 and len({*numbers}) == size:
                return numbers
        return list(range(size))


def _time(fields: Fields) -> datetime | None:
    year, month, day = (fields.get(name) for name in ("year", "month", "day"))
    if not (isinstance(year, int) and isinstance(month, int) and isinstance(day, int)):
        return None
    try:
        date = datetime(year, month, day, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    at = fields.get("time")
    return datetime.combine(date, at, UTC) if isinstance(at, time) else date


def phh(hand: HandHistory) -> str:
    lines = [f"{name} = {value}" for name, value in _fields(hand)]
    return "\n".join(lines) + "\n"


def comment(text: str) -> str:
    """Return a text as a line of comment, without characters that a comment cannot have."""
    return f"# {''.join(sign if sign.isprintable() else ' ' for sign in plain_toml(text))}\n"


def _fields(hand: HandHistory) -> Iterator[tuple[str, str]]:
    antes, blinds = standard_of(hand)
    is_trimmed = not any(bet.is_dead for bet in hand.forced)
    posts = posts_of(antes, blinds, is_trimmed=is_trimmed)
    if len(hand.seats) == HEADS_UP:  # small blind first, also where p1 is the big blind
        antes, blinds = antes[::-1], blinds[::-1]
    yield "variant", toml_text("NT")
    yield "ante_trimming_status", str(is_trimmed).lower()
    yield "antes", amounts_text(hand, antes)
    yield "blinds_or_straddles", amounts_text(hand, blinds)
    yield "min_bet", amount_text(hand.big_blind, hand.decimals)
    yield "starting_stacks", amounts_text(hand, [seat.stack for seat in hand.seats])
    yield "actions", "[\n" + "".join(f"  {toml_text(action)},\n" for action in _actions(hand)) + "]"
    yield "players", f"[{', '.join(toml_text(seat.name) for seat in hand.seats)}]"
    if hand.pots:
        yield "finishing_stacks", amounts_text(hand, hand.finishing_stacks)
        yield "winnings", amounts_text(hand, hand.won)
    yield from beside_the_standard(hand, posts)
    yield "seats", str([seat.number + 1 for seat in hand.seats])
    yield "table", toml_text(hand.table)
    yield "hand", str(hand.number)
    if hand.started_at is not None:
        at = hand.started_at.astimezone(UTC)
        yield "time", f"{at:%H:%M:%S}"
        yield "time_zone", toml_text("UTC")
        yield from (("day", str(at.day)), ("month", str(at.month)), ("year", str(at.year)))
    if any(item.rank_name for item in hand.shown):
        yield "_ranks", f"[{', '.join(toml_text(item.rank_name) for item in hand.shown)}]"
    yield "_hand_id", toml_text(hand.hand_id)
    yield "_players", f"[{', '.join(toml_text(seat.player_id) for seat in hand.seats)}]"
    if any(seat.model for seat in hand.seats):
        yield "_models", f"[{', '.join(toml_text(seat.model) for seat in hand.seats)}]"
    if hand.decided:
        made = [_value(said.model_dump(mode="json")) for said in hand.decided]
        yield "_decisions", f"[{', '.join(made)}]"
    if hand.opening is not None:
        yield "_opening", _value(hand.opening.model_dump(mode="json"))


def _actions(hand: HandHistory) -> Iterator[str]:
    for seat, player in enumerate(hand.seats, 1):
        yield f"d dh p{seat} {''.join(player.cards) or _UNKNOWN}"
    street = 0
    for action in hand.actions:
        while street < action.street:
            street += 1
            yield _board(hand, street)
        player_name = f"p{action.seat + 1}"
        if action.kind == "fold":
            yield f"{player_name} f"
        elif action.kind in {"check", "call"}:
            yield f"{player_name} cc"
        else:
            yield f"{player_name} cbr {amount_text(action.total, hand.decimals)}"
    if not hand.has_showdown:
        return
    # Where everybody is all-in, the cards are open before the rest of the board.
    yield from _showdown(hand)
    while street < hand.streets:
        street += 1
        yield _board(hand, street)


def _showdown(hand: HandHistory) -> Iterator[str]:
    shown = [item.seat for item in hand.shown]
    for item in hand.shown:
        yield f"p{item.seat + 1} sm {''.join(item.cards)}"
    for seat in hand.live:
        if seat not in shown:
            yield f"p{seat + 1} sm"


def _board(hand: HandHistory, street: int) -> str:
    return f"d db {''.join(hand.board[BOARD_SIZES[street - 1] : BOARD_SIZES[street]])}"


def _value(value: object) -> str:
    """Return a message's field as a value of TOML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {_value(item)}' for name, item in value.items())}}}"
    return toml_text(value) if isinstance(value, str) else str(value)
