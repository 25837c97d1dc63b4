"""Read the text of PokerStars: No-Limit Hold'em, cash games and tournaments."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

from casino_histories.amounts import decimal_of
from casino_histories.errors import UnreadableHistory
from casino_histories.hand import HandHistory
from casino_histories.reading.draft import Draft, DraftPlayer, cards_in, number_in

_AMOUNT = r"\D?([\d.,]*\d)"
_HEAD = re.compile(r"^PokerStars .*?#(\d+):", re.MULTILINE)
_BLINDS = re.compile(rf"\({_AMOUNT}/{_AMOUNT}(?: [A-Z]+)?\)")
_DATE = re.compile(r"- (\d{4})/(\d\d?)/(\d\d?) (\d\d?):(\d\d):(\d\d) (\w+)")
_TABLE = re.compile(r"^Table '(.*?)' .*?Seat #(\d+) is the button")
_SEAT = re.compile(rf"^Seat (\d+): (.+) \({_AMOUNT} in chips\b[^)]*\)(.*)$")
_BOARD = re.compile(r"^\*\*\* (FLOP|TURN|RIVER) \*\*\* (?:\[.*\] )?\[(.*)\]")
_DEALT = re.compile(r"^Dealt to (.+) \[(.{5})\]")
_COLLECTED = re.compile(rf"^(.+) collected {_AMOUNT} from (.+?)\.?$")
_POSTS = re.compile(
    rf"posts (small blind|big blind|small & big blinds|the ante|straddle) {_AMOUNT}"
)
_RAISES = re.compile(rf"raises {_AMOUNT} to {_AMOUNT}")
_PUTS_IN = re.compile(rf"(?:calls|bets) {_AMOUNT}")
_SHOWS = re.compile(r"(?:shows|mucked) \[(.{5})\](?: \((.*)\))?")
_MUCKED = re.compile(r"^Seat (\d+): .+ mucked \[(.{5})\]")


def read_pokerstars(text: str) -> Iterator[HandHistory]:
    """Yield the hands of a file; raises UnreadableHistory, naming the hand."""
    begins = list(_HEAD.finditer(text))
    for count, begin in enumerate(begins, 1):
        end = begins[count].start() if count < len(begins) else len(text)
        try:
            yield _Reading(text[begin.start() : end].splitlines(), begin[1], count).hand()
        except UnreadableHistory as error:
            raise UnreadableHistory(f"hand #{begin[1]}: {error}") from error


class _Reading:
    def __init__(self, lines: list[str], number: str, count: int) -> None:
        head, *self._lines = lines
        blinds = _BLINDS.search(head)
        if "Hold'em No Limit" not in head or blinds is None:
            raise UnreadableHistory("it is no hand of No-Limit Hold'em")
        table = next((match for line in self._lines if (match := _TABLE.match(line))), None)
        if table is None:
            raise UnreadableHistory("the line of the table is missing")
        self._draft = Draft(
            hand_id=f"pokerstars/{number}",
            table=table[1],
            number=number_in(number, count),
            players=self._players(int(table[2])),
            small_blind=decimal_of(blinds[1]),
            big_blind=decimal_of(blinds[2]),
            started_at=_time(head),
        )
        self._at = {player.name: seat for seat, player in enumerate(self._draft.players)}
        self._names = sorted(self._at, key=len, reverse=True)
        self._pots: dict[str, list[tuple[int, Decimal]]] = {}

    def hand(self) -> HandHistory:
        draft = self._draft
        is_over = False
        for line in self._lines:
            is_over = is_over or line.startswith("*** SUMMARY")
            if is_over:
                self._summary(line)
            elif board := _BOARD.match(line):
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
        draft.pots = [
            self._pots[name] for name in sorted(self._pots, key=lambda name: "main" not in name)
        ]
        return draft.hand()

    def _players(self, button: int) -> list[DraftPlayer]:
        """Return the players who were dealt in, from the first left of the button."""
        seated: dict[int, DraftPlayer] = {}
        for line in self._lines:
            if line.startswith("*** "):
                break
            if seat := _SEAT.match(line):
                number, name = int(seat[1]), seat[2]
                is_out = "out of hand" in seat[4] or not self._plays(name, number)
                if not is_out:
                    seated[number] = DraftPlayer(name, number - 1, decimal_of(seat[3]), name)
        return [seated[number] for number in sorted(seated, key=lambda at: (at <= button, at))]

    def _plays(self, name: str, number: int) -> bool:
        """Return whether a player posts, acts or is in the summary: others sit out."""
        acts = ("posts", "folds", "checks", "calls", "bets", "raises", "shows", "mucks")
        lines = (*(f"{name}: {act}" for act in acts), f"{name} collected ", f"Dealt to {name} [")
        summary = f"Seat {number}: {name} "
        return any(
            line.startswith(lines) or (line.startswith(summary) and "in chips" not in line)
            for line in self._lines
        )

    def _line(self, line: str) -> None:
        name = next((name for name in self._names if line.startswith(f"{name}: ")), None)
        if name is None:
            return  # chat, joins, time-outs, and the sections without cards
        draft, seat, words = self._draft, self._at[name], line[len(name) + 2 :]
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
            cards = cards_in(shown[1])
            draft.players[seat].cards = cards
            if words.startswith("shows"):
                draft.shown.append((seat, cards, shown[2] or ""))

    def _post(self, seat: int, what: str, amount: Decimal) -> None:
        draft = self._draft
        if what == "the ante":
            draft.ante = max(draft.ante, amount)
            draft.posts.append((seat, "ante", amount, False))
        elif what == "small & big blinds":
            draft.posts.append((seat, "ante", amount - min(amount, draft.big_blind), True))
            draft.posts.append((seat, "big-blind", min(amount, draft.big_blind), False))
        else:
            draft.posts.append(
                (seat, "small-blind" if "small" in what else "big-blind", amount, False)
            )

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
