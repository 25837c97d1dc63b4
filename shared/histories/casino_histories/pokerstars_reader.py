"""Read the text of PokerStars, which GGPoker and others write as well: No-Limit Hold'em.

Cash games and tournaments. Chips that change hands outside of the pot, such as those of a cash-out
or a bounty, are not read.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import dropwhile

from casino_contracts.foreign_text import FILE_LIMITS, TextLimits

from casino_histories.completed_hand import ForcedKind, HandHistory
from casino_histories.errors import UnreadableHistory, UnreadHand
from casino_histories.hand_draft import (
    MOST_SEATS,
    DraftPlayer,
    HandDraft,
    cards_in,
    check_size,
    number_in,
)
from casino_histories.site_notation import AMOUNT, SiteAmounts, begins_other, other_site, time_in

# Each takes time linear in its line: what repeats ends before where the next try begins.
_HAND = r"(?:Hand|Game) #"
_WRITERS = r"(?:PokerStars|Full Tilt|PokerBros|PokerMaster|Run It Once Poker|Poker)"
"""Sites that are known to write this text; `Poker` alone is GGPoker."""
_OWN = rf"{_WRITERS} (?:(?:Zoom|Home Game|Rush) ){{0,2}}{_HAND}"
_NAMED = re.compile(
    rf"^\W{{0,9}}{_OWN}\w{{1,40}}: [^\n]{{0,400}}\n\s{{0,9}}Table ", re.MULTILINE | re.IGNORECASE
)
_HEAD = re.compile(
    rf"^[ \t]{{0,9}}(?P<site>[\w .&-]{{0,60}}?)\b{_HAND}(?P<id>\w{{1,40}}):(?! *Table )"
    r"(?=[^\n]{0,400}Limit|[^\n]{0,400}\n\s{0,9}Table )"
    rf"|(?P<site_within>{_OWN})(?P<id_within>\w{{1,40}}):"
    r"(?=[^\n]{0,400}\n\s{0,9}Table )",
    re.MULTILINE | re.IGNORECASE,
)
"""A hand begins on a line of its own, or within one that was cut off."""
_HOLDEM = re.compile(
    r"(?P<other>6\+ |Short Deck |Fusion |Unfold |Split |Showtime |Tempest |Deep Water |Swap )?"
    r"(?:Hold['\u2019]?em No Limit|No Limit Hold['\u2019]?em)",
    re.IGNORECASE,
)
_GAME = re.compile(
    r"(?:6\+ )?(?:\d[ -]Card |Triple |Single )?(?:Draw |Hold['\u2019]?em|Omaha|Courchevel|Stud|Razz"
    r"|Badugi|PLO|Short ?Deck|HORSE|8-Game)[^()$\u20ac\n,:]{0,40}",
    re.IGNORECASE,
)
_STAKES = re.compile(rf"[(,] ?{AMOUNT}/{AMOUNT}(?!\d)")
_TABLE = re.compile(r"^Table (?:ID )?'(.*)' [^']*Seat #(\d{1,3}) is the button")
_SEAT = re.compile(rf"^Seat (\d{{1,3}}): (.*\S) ?\({AMOUNT} in chips\b[^()]*+\)(.*)$")
_BOARD = re.compile(r"^\*\*\* (FLOP|TURN|RIVER) \*\*\* (?:\[[^]]*+\] ?)?\[([^]]*+)\]")
_TWICE = re.compile(r"^\*\*\* (?:FIRST|SECOND|THIRD) |^Hand was run ")
_DEALT = re.compile(r"^Dealt to (.+?) ?\[(.{5})\]")
_COLLECTED = re.compile(rf"^(.+) collected {AMOUNT} from (.+?)\.?$")
_DROPPED = re.compile(rf"^(?:Cash Drop to Pot ?: total|STP added:) {AMOUNT}")
_POSTS = re.compile(rf"(?:posts ([a-z&' ]{{0,30}}?)|(straddle)) ?{AMOUNT}")
_RAISES = re.compile(rf"raises (?:{AMOUNT} )?to {AMOUNT}")
_PUTS_IN = re.compile(rf"(?:calls|bets) {AMOUNT}")
_SHOWS = re.compile(r"(?:shows|mucked) \[(.{5})\](?: \((.*)\)| for ([^\[]+))?")
_SHOWN = "shows ["
_WON = re.compile(rf"\b(?:collected|won) \(?{AMOUNT}")
_MUCKED = re.compile(r"\bmucked \[(.{5})\]")
_FEES = re.compile(rf"\| (?!STP )[A-Z]\w{{1,20}} {AMOUNT}")
_TOTAL = "Total pot "
_UNCALLED = re.compile(rf"^Uncalled bet \({AMOUNT}\) returned to (.+)$")
_KINDS: dict[str, ForcedKind] = {
    "ante": "ante",
    "small": "small-blind",
    "big": "big-blind",
    "straddle": "straddle",
}
_ACTS = ("posts", "straddle", "folds", "checks", "calls", "bets", "raises", "shows", "mucks")
_WITH_AMOUNT = ("posts ", "straddle ", "calls ", "bets ", "raises ")
_SHORTEST = 8
"""Characters of the shortest line that says anything."""
_SUMMARY = "*** SUMMARY"
_RUN_TWICE = "the board was run twice or more: only one board is read"


def has_hands(text: str) -> bool:
    """Return whether a text has the first line of a hand."""
    return _HEAD.search(text) is not None


def is_named(text: str) -> bool:
    """Return whether a text has the first line of a hand with the name of a known site."""
    return _NAMED.search(text) is not None


def read_pokerstars(
    text: str, limits: TextLimits = FILE_LIMITS
) -> Iterator[HandHistory | UnreadHand]:
    """Yield the hands of a file, and in place of each that cannot be read what it is.

    Raises UnreadableHistory for a file that is too large.
    """
    if len(text) > limits.size:
        raise UnreadableHistory(f"a text of more than {limits.size} characters")
    begins = list(_HEAD.finditer(text))
    amounts = SiteAmounts(text)
    yield from _others(enumerate(text[: begins[0].start()].split("\n") if begins else (), 1))
    line, at = 1, 0
    for count, begin in enumerate(begins, 1):
        end = begins[count].start() if count < len(begins) else len(text)
        line, at = line + text.count("\n", at, begin.start()), begin.start()
        hand = text[at:end]
        number = begin["id"] or begin["id_within"]
        try:
            limits.check_lines(hand, line)
            reading = _PokerstarsReading(
                hand.split("\n"), line, SiteAmounts(hand, amounts), begin, count
            )
            yield reading.hand()
            yield from _others(reading.after)
        except (UnreadableHistory, ValueError) as error:
            end_of_it = "" if _SUMMARY in hand else "; it has no summary, so it may be cut off"
            yield UnreadHand(line, f"#{number}", f"{error}"[:200] + end_of_it)


def _others(numbered: Iterable[tuple[int, str]]) -> Iterator[UnreadHand]:
    """Yield what is left out where hands of another format stand between those that are read."""
    for number, line in numbered:
        if begins_other(line):
            site = other_site(line)
            yield UnreadHand(
                number, f"of {site}", "neither this format nor what follows it is read"
            )
            return


class _PokerstarsReading:
    def __init__(
        self,
        lines: list[str],
        first_line: int,
        amounts: SiteAmounts,
        begin: re.Match[str],
        count: int,
    ) -> None:
        head = lines[0]
        stripped = [(number, line.strip()) for number, line in enumerate(lines, first_line)]
        numbered = [item for item in stripped if len(item[1]) >= _SHORTEST]
        self._numbered = numbered[1:]
        self._lines = [line for _, line in self._numbered]
        self._amount = amounts.of
        small_blind, big_blind = self._stakes(head)
        tables = [table for line in self._lines if (table := _TABLE.match(line))]
        if len(tables) != 1:
            what = "another hand begins within it" if tables else "the line of the table is missing"
            raise UnreadableHistory(what)
        number = begin["id"] or begin["id_within"]
        self._draft = HandDraft(
            hand_id=f"{_site(begin['site'] or begin['site_within'] or '')}/{number}",
            table=tables[0][1],
            number=number_in(number.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), count),
            players=self._players(int(tables[0][2])),
            small_blind=small_blind,
            big_blind=big_blind,
            started_at=time_in(head),
            button=int(tables[0][2]) - 1,
        )
        check_size(len(self._draft.players))
        self._at = {player.name: seat for seat, player in enumerate(self._draft.players)}
        if len(self._at) < len(self._draft.players):
            raise UnreadableHistory("two players have the same name")
        names = sorted(self._at, key=len, reverse=True)
        self._begins = {
            begin: self._at[name] for name in names for begin in (f"{name}: ", f"{name} {_SHOWN}")
        }
        self._any = tuple(self._begins)
        self._pots: dict[str, list[tuple[int, Decimal]]] = {}
        self._added = Decimal(0)
        """What the site itself put into the pot."""
        self._won: list[tuple[int, Decimal]] = []
        """What the summary says of the winners, which counts where nothing else does."""
        self._blinds = [Decimal(0)] * len(names)
        """What each seat posted that counts as its bet."""

    @property
    def after(self) -> Iterator[tuple[int, str]]:
        """The numbered lines after the summary's first one."""
        return dropwhile(lambda item: not item[1].startswith(_SUMMARY), self._numbered)

    def hand(self) -> HandHistory:
        draft = self._draft
        is_over = False
        for number, line in self._numbered:
            if line.startswith(_SUMMARY):
                if is_over:
                    raise UnreadableHistory(f"line {number}: a second summary")
                is_over = True
            draft.line = number
            try:
                self._summary(line) if is_over else self._read(line)
            except UnreadableHistory as error:
                raise UnreadableHistory(f"line {number}: {error}") from error
        folded = {seat for word, seat, *_ in draft.steps if word == "fold"}
        if not (
            is_over or self._pots or draft.is_cancelled or len(folded) == len(draft.players) - 1
        ):
            raise UnreadableHistory("its play is not over")
        if self._won and not self._pots:
            self._pots[""] = self._won
        draft.pots = [
            self._pots[name] for name in sorted(self._pots, key=lambda name: "main" not in name)
        ]
        return draft.hand()

    def _read(self, line: str) -> None:
        draft = self._draft
        if board := _BOARD.match(line):
            draft.deal(cards_in(board[2]))
        elif _TWICE.match(line):
            raise UnreadableHistory(_RUN_TWICE)
        elif line.startswith("Hand cancelled"):
            draft.is_cancelled = True
        elif returned := _UNCALLED.match(line):
            draft.uncalled = (self._seat(returned[2]), self._amount(returned[1]))
        elif dropped := _DROPPED.match(line):
            self._added += self._amount(dropped[1])
        elif dealt := _DEALT.match(line):
            draft.players[self._seat(dealt[1])].cards = cards_in(dealt[2])
        elif collected := _COLLECTED.match(line):
            share = (self._seat(collected[1]), self._amount(collected[2]))
            self._pots.setdefault(collected[3], []).append(share)
        else:
            self._line(line)

    def _stakes(self, head: str) -> tuple[Decimal, Decimal]:
        """Return the blinds of a first line; raises UnreadableHistory for another game."""
        game = _HOLDEM.search(head)
        if game is None or game["other"]:
            names = [game[0]] if game else _GAME.findall(head, head.index("#")) or ["another game"]
            name = max(names, key=lambda name: "Limit" in name).partition(" - ")[0].strip()
            raise UnreadableHistory(f"it is {name}: only No-Limit Hold'em is read")
        stakes = _STAKES.search(head, game.end())
        if stakes is None:
            raise UnreadableHistory("its first line has no small and big blind, such as `(1/2)`")
        small, big = self._amount(stakes[1]), self._amount(stakes[2])
        if small > big:
            raise UnreadableHistory(f"the small blind {small} is more than the big blind {big}")
        return small, big

    def _players(self, button: int) -> list[DraftPlayer]:
        """Return the players who were dealt in, from the first left of the button."""
        seated: dict[int, DraftPlayer] = {}
        for line in self._lines:
            if line.startswith("*** "):
                break
            if (seat := _SEAT.match(line)) and "out of hand" not in seat[4]:
                number, name = int(seat[1]), seat[2]
                seated[number] = DraftPlayer(name, number - 1, self._amount(seat[3]), name)
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
            for begin in (*acts, f"{name} collected ", f"Dealt to {name} [", f"Dealt to {name}["):
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
        if begin.endswith(_SHOWN):  # without a colon
            words = _SHOWN + words
        if posted := _POSTS.match(words):
            self._post(seat, posted[1] or posted[2] or "", self._amount(posted[3]))
        elif words.startswith(("folds", "checks")):
            draft.step("fold" if words.startswith("folds") else "add", seat)
        elif raised := _RAISES.match(words):
            draft.step("to", seat, self._amount(raised[2]))
        elif put_in := _PUTS_IN.match(words):
            draft.step("add", seat, self._amount(put_in[1]))
        elif words.startswith(_WITH_AMOUNT):
            raise UnreadableHistory(f"{words[:40]!r} has no amount")
        elif shown := _SHOWS.match(words):
            cards = cards_in(shown[1])
            if words.startswith("shows"):
                draft.show(seat, cards, (shown[2] or shown[3] or "").strip())
            else:
                draft.players[seat].cards = cards

    def _post(self, seat: int, what: str, amount: Decimal) -> None:
        draft = self._draft
        if "small" in what and "big" in what:
            live = min(amount, draft.big_blind)
            draft.post(seat, "post", amount - live, is_dead=True)
            draft.post(seat, "post", live)
            self._blinds[seat] += live
            return
        kinds: list[ForcedKind] = [kind for word, kind in _KINDS.items() if word in what]
        kind = kinds[0] if kinds else "post"
        is_dead = "dead" in what
        if kind == "ante":
            draft.ante = max(draft.ante, amount)
        elif not is_dead:
            if kind == "straddle":  # a total, also of who has posted a blind
                amount -= self._blinds[seat]
            self._blinds[seat] += amount
        draft.post(seat, kind, amount, is_dead=is_dead)

    def _summary(self, line: str) -> None:
        if line.startswith(_TOTAL):
            fees = [self._amount(fee) for fee in _FEES.findall(line)]
            self._draft.rake = sum(fees, -self._added) if fees else None
        if _TWICE.match(line):
            raise UnreadableHistory(_RUN_TWICE)
        for seat, player in enumerate(self._draft.players):
            begin = f"Seat {player.number + 1}: {player.name} "
            if line.startswith(begin):
                words = line[len(begin) :]
                self._won += [(seat, self._amount(won[1])) for won in _WON.finditer(words)]
                if mucked := _MUCKED.search(words):
                    player.cards = cards_in(mucked[1])

    def _seat(self, name: str) -> int:
        name = name if name in self._at else name.removesuffix(":")
        if name not in self._at:
            raise UnreadableHistory(f"{name[:40]!r} is not seated")
        return self._at[name]


def _site(words: str) -> str:
    """Return a site's name for ids, by what stands before `Hand #`."""
    if "PokerStars" in words:
        return "pokerstars"
    name = "".join(letter for letter in words.lower() if letter.isalnum())
    return {"poker": "ggpoker"}.get(name, name) or "hand"
