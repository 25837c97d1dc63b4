"""Read the text of PokerStars: No-Limit Hold'em, cash games and tournaments."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

from casino_contracts.foreign_text import FILE_LIMITS, TextLimits

from casino_histories.completed_hand import HandHistory, decimal_of
from casino_histories.errors import Unread, UnreadableHistory
from casino_histories.hand_draft import (
    MOST_SEATS,
    DraftPlayer,
    HandDraft,
    cards_in,
    check_size,
    number_in,
)

# Each takes time linear in its line: what repeats ends before where the next try begins.
_AMOUNT = r"\D?([\d.,]*\d)"
_HEAD = re.compile(r"^PokerStars .*?#(\d{1,30}):", re.MULTILINE)
_BLINDS = re.compile(rf"\({_AMOUNT}/{_AMOUNT}(?: [A-Z]+)?\)")
_DATE = re.compile(r"- (\d{4})/(\d\d?)/(\d\d?) (\d\d?):(\d\d):(\d\d) (\w+)")
_TABLE = "Table '"
_BUTTON = re.compile(r"Seat #(\d{1,3}) is the button")
_SEAT = re.compile(rf"^Seat (\d{{1,3}}): (.+) \({_AMOUNT} in chips\b[^()]*+\)(.*)$")
_BOARD = re.compile(r"^\*\*\* (FLOP|TURN|RIVER) \*\*\* (?:\[[^]]*+\] )?\[([^]]*+)\]")
_DEALT = re.compile(r"^Dealt to (.+) \[(.{5})\]")
_COLLECTED = re.compile(rf"^(.+) collected {_AMOUNT} from (.+?)\.?$")
_POSTS = re.compile(
    rf"posts (small blind|big blind|small & big blinds|the ante|straddle) {_AMOUNT}"
)
_RAISES = re.compile(rf"raises {_AMOUNT} to {_AMOUNT}")
_PUTS_IN = re.compile(rf"(?:calls|bets) {_AMOUNT}")
_SHOWS = re.compile(r"(?:shows|mucked) \[(.{5})\](?: \((.*)\))?")
_MUCKED = re.compile(r"^Seat (\d{1,3}): .+ mucked \[(.{5})\]")
_ACTS = ("posts", "folds", "checks", "calls", "bets", "raises", "shows", "mucks")
_SHORTEST = 8
"""Characters of the shortest line that says anything."""


def read_pokerstars(text: str, limits: TextLimits = FILE_LIMITS) -> Iterator[HandHistory | Unread]:
    """Yield the hands of a file, and in place of each that cannot be read what it is."""
    try:
        limits.check_lines(text)
    except ValueError as error:
        raise UnreadableHistory(str(error)) from error
    begins = list(_HEAD.finditer(text))
    line, at = 1, 0
    for count, begin in enumerate(begins, 1):
        end = begins[count].start() if count < len(begins) else len(text)
        line, at = line + text.count("\n", at, begin.start()), begin.start()
        lines = text[at:end].split("\n")
        try:
            yield _PokerstarsReading(lines, line, begin[1], count).hand()
        except UnreadableHistory as error:
            yield Unread(line, f"#{begin[1]}", str(error)[:200])


class _PokerstarsReading:
    def __init__(self, lines: list[str], first_line: int, number: str, count: int) -> None:
        head = lines[0]
        numbered = [item for item in enumerate(lines, first_line) if len(item[1]) >= _SHORTEST]
        self._numbered = numbered[1:]
        self._lines = [line for _, line in self._numbered]
        blinds = _BLINDS.search(head)
        if "Hold'em No Limit" not in head or blinds is None:
            raise UnreadableHistory("it is no hand of No-Limit Hold'em")
        table = next((line for line in self._lines if line.startswith(_TABLE)), "")
        name, quote, rest = table.removeprefix(_TABLE).partition("' ")
        button = _BUTTON.search(rest)
        if not quote or button is None:
            raise UnreadableHistory("the line of the table is missing")
        self._draft = HandDraft(
            hand_id=f"pokerstars/{number}",
            table=name,
            number=number_in(number, count),
            players=self._players(int(button[1])),
            small_blind=decimal_of(blinds[1]),
            big_blind=decimal_of(blinds[2]),
            started_at=_time(head),
        )
        check_size(len(self._draft.players))
        self._at = {player.name: seat for seat, player in enumerate(self._draft.players)}
        names = sorted(self._at, key=len, reverse=True)
        self._begins = {f"{name}: ": self._at[name] for name in names}
        self._any = tuple(self._begins)
        self._pots: dict[str, list[tuple[int, Decimal]]] = {}

    def hand(self) -> HandHistory:
        draft = self._draft
        is_over = False
        for number, line in self._numbered:
            is_over = is_over or line.startswith("*** SUMMARY")
            try:
                self._summary(line) if is_over else self._read(line)
            except UnreadableHistory as error:
                raise UnreadableHistory(f"line {number}: {error}") from error
        draft.pots = [
            self._pots[name] for name in sorted(self._pots, key=lambda name: "main" not in name)
        ]
        return draft.hand()

    def _read(self, line: str) -> None:
        draft = self._draft
        if board := _BOARD.match(line):
            draft.deal(cards_in(board[2]))
        elif line.startswith(("*** FIRST", "*** SECOND")):
            raise UnreadableHistory("the board was run twice")
        elif dealt := _DEALT.match(line):
            draft.players[self._seat(dealt[1])].cards = cards_in(dealt[2])
        elif collected := _COLLECTED.match(line):
            share = (self._seat(collected[1]), decimal_of(collected[2]))
            self._pots.setdefault(collected[3], []).append(share)
        else:
            self._line(line)

    def _players(self, button: int) -> list[DraftPlayer]:
        """Return the players who were dealt in, from the first left of the button."""
        seated: dict[int, DraftPlayer] = {}
        for line in self._lines:
            if line.startswith("*** "):
                break
            if (seat := _SEAT.match(line)) and "out of hand" not in seat[4]:
                number, name = int(seat[1]), seat[2]
                seated[number] = DraftPlayer(name, number - 1, decimal_of(seat[3]), name)
                if len(seated) > MOST_SEATS:
                    raise UnreadableHistory(f"a table has at most {MOST_SEATS} seats")
        playing = self._playing(seated)
        return [seated[number] for number in sorted(playing, key=lambda at: (at <= button, at))]

    def _playing(self, seated: dict[int, DraftPlayer]) -> set[int]:
        """Return the seats that post, act or are in the summary: others sit out."""
        begins: dict[str, list[int]] = {}
        for number, player in seated.items():
            name = player.name
            acts = (f"{name}: {act}" for act in _ACTS)
            for begin in (*acts, f"{name} collected ", f"Dealt to {name} ["):
                begins.setdefault(begin, []).append(number)
            begins.setdefault(f"Seat {number}: {name} ", []).append(number)
        any_of, playing = tuple(begins), set[int]()
        for line in self._lines:
            if line.startswith(any_of) and (not line.startswith("Seat ") or "in chips" not in line):
                for begin in [begin for begin in begins if line.startswith(begin)]:
                    playing.update(begins.pop(begin))
                any_of = tuple(begins)
        return playing

    def _line(self, line: str) -> None:
        if not line.startswith(self._any):
            return  # chat, joins, time-outs, and the sections without cards
        begin = next(begin for begin in self._any if line.startswith(begin))
        draft, seat, words = self._draft, self._begins[begin], line[len(begin) :]
        if posted := _POSTS.match(words):
            self._post(seat, posted[1], decimal_of(posted[2]))
        elif words.startswith("folds"):
            draft.step("fold", seat)
        elif words.startswith("checks"):
            draft.step("add", seat)
        elif raised := _RAISES.match(words):
            draft.step("to", seat, decimal_of(raised[2]))
        elif put_in := _PUTS_IN.match(words):
            draft.step("add", seat, decimal_of(put_in[1]))
        elif shown := _SHOWS.match(words):
            draft.players[seat].cards = cards = cards_in(shown[1])
            if words.startswith("shows"):
                draft.show(seat, cards, shown[2] or "")

    def _post(self, seat: int, what: str, amount: Decimal) -> None:
        draft = self._draft
        if what == "the ante":
            draft.ante = max(draft.ante, amount)
            draft.post(seat, "ante", amount)
        elif what == "small & big blinds":
            draft.post(seat, "ante", amount - min(amount, draft.big_blind), is_dead=True)
            draft.post(seat, "big-blind", min(amount, draft.big_blind))
        else:
            draft.post(seat, "small-blind" if "small" in what else "big-blind", amount)

    def _summary(self, line: str) -> None:
        if mucked := _MUCKED.match(line):
            for player in self._draft.players:
                if player.number == int(mucked[1]) - 1:
                    player.cards = cards_in(mucked[2])

    def _seat(self, name: str) -> int:
        if name not in self._at:
            raise UnreadableHistory(f"{name[:40]!r} is not seated")
        return self._at[name]


def _time(head: str) -> datetime | None:
    match = _DATE.search(head)
    if match is None or match[7] not in {"UTC", "GMT"}:
        return None
    try:
        year, month, day, hour, minute, second = map(int, match.groups()[:6])
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
