"""A hand while it is read: amounts as they are written, and then the whole of it. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal

from casino_contracts import MAX_SAFE

from casino_histories.betting_replay import BettingReplay, Post, told_apart
from casino_histories.completed_hand import (
    BOARD_SIZES,
    Cards,
    ForcedBet,
    ForcedKind,
    HandHistory,
    Pot,
    SeatedPlayer,
    Share,
    ShownCards,
    amount_text,
    decimals_of,
)
from casino_histories.errors import UnreadableHistory

MOST_SEATS = 10
MOST_STEPS = 1_000
MOST_FORCED = 40
"""Of blinds and antes; three or less for each seat."""
_LONGEST_TEXT = 200
"""Of an id and of a name."""

_CARD = re.compile(r"[2-9TJQKA][cdhs]")
_NUMBER_WIDTH = 15
_LARGEST_RAKE = 5
"""What is missing from the pots is rake up to a fifth of them, where a file does not say so."""

Word = Literal["fold", "call", "to", "add", "street"]


@dataclass
class DraftPlayer:
    """A player as a file has it."""

    name: str
    number: int
    stack: Decimal
    player_id: str = ""
    cards: Cards = ()


@dataclass
class HandDraft:
    """What a file says of a hand; seats are indexes of `players`, 0 is left of the button.

    A step is a word, a seat, an amount and the line: `to` a total of the betting round, `add` to
    the bet; a `street` has its number in place of a seat.
    """

    hand_id: str
    table: str
    number: int
    players: list[DraftPlayer]
    small_blind: Decimal
    big_blind: Decimal
    ante: Decimal = Decimal(0)
    started_at: datetime | None = None
    button: int | None = None
    """The number of the button's seat, also where that is nobody's; None for the last player's."""
    line: int = 0
    """The line of the file that is being read, from 1; 0 where nobody counts them."""
    posts: list[Post] = field(default_factory=list)
    is_told_apart: bool = False
    """Whether the posts say exactly what they are, so that `told_apart` has nothing to do."""
    steps: list[tuple[Word, int, Decimal, int]] = field(default_factory=list)
    board: list[str] = field(default_factory=list)
    shown: list[tuple[int, Cards, str]] = field(default_factory=list)
    pots: list[list[tuple[int, Decimal]]] = field(default_factory=list)
    finishing: list[Decimal] | None = None
    """The stacks after the hand, where a format has those in place of pots."""
    winnings: list[Decimal] | None = None
    """What each seat won, where a format has that in place of pots; read only where it fits."""
    rake: Decimal | None = None
    """Rake and fees, less what the house added; None where a file does not say."""
    uncalled: tuple[int, Decimal] | None = None
    """Who got back the rest of its last bet; None where a file does not say."""
    is_cancelled: bool = False
    """Whether everybody gets back what it put in."""

    def step(self, word: Word, seat: int, amount: Decimal = Decimal(0)) -> None:
        """Add a step; raises UnreadableHistory for too many."""
        if len(self.steps) >= MOST_STEPS:
            raise UnreadableHistory("the hand has too many actions")
        self.steps.append((word, seat, amount, self.line))

    def post(self, seat: int, kind: ForcedKind, amount: Decimal, *, is_dead: bool = False) -> None:
        """Add a forced bet; raises UnreadableHistory for too many."""
        if len(self.posts) >= MOST_FORCED:
            raise UnreadableHistory("the hand has too many blinds")
        self.posts.append(Post(seat, kind, amount, is_dead))

    def show(self, seat: int, cards: Cards, rank_name: str = "") -> None:
        """Show a seat's cards, once; raises UnreadableHistory for other cards than it has."""
        player = self.players[seat]
        if player.cards and {*player.cards} != {*cards}:
            raise UnreadableHistory(f"{player.name[:40]} shows other cards than before")
        if all(shown != seat for shown, *_ in self.shown):
            player.cards = cards
            self.shown.append((seat, cards, rank_name))

    def deal(self, cards: Cards) -> None:
        self.board += cards
        if len(self.board) in BOARD_SIZES:
            self.step("street", BOARD_SIZES.index(len(self.board)))

    def hand(self) -> HandHistory:
        check_size(len(self.players))
        if self.small_blind > self.big_blind:
            fault = f"{self.small_blind} is more than the big blind {self.big_blind}"
            raise UnreadableHistory(f"the small blind {fault}")
        self._check_texts()
        self._check_numbers()
        amounts = self._amounts()
        decimals = decimals_of(amounts)
        if sum(amounts, Decimal(0)).scaleb(decimals) > MAX_SAFE:
            raise UnreadableHistory("the amounts have too many digits")

        def chips(amount: Decimal) -> int:
            return int(amount.scaleb(decimals))

        self._check_cards()
        seats = self._seats(chips)
        replay = self._replay(seats, chips)
        pots, rake = _Settlement(self, seats, replay, chips).pots()
        return HandHistory(
            hand_id=self.hand_id,
            table=self.table,
            number=self.number,
            seats=seats,
            small_blind=chips(self.small_blind),
            big_blind=chips(self.big_blind),
            ante=chips(self.ante),
            forced=tuple(replay.forced),
            actions=tuple(replay.actions),
            board=tuple(self.board),
            shown=tuple(ShownCards(*item) for item in self.shown),
            pots=pots,
            returned=replay.returned,
            decimals=decimals,
            started_at=self.started_at,
            dead_button=self.button,
            rake=rake,
            is_cancelled=self.is_cancelled,
        )

    def _check_numbers(self) -> None:
        """Give the seats new numbers where they are no circle that ends at the button."""
        circle = [player.number for player in self.players]
        if self.button in circle:
            self.button = None
        if self.button is not None:
            circle.append(self.button)
        follows = zip(circle, [*circle[1:], circle[0]], strict=True)
        is_circle = len({*circle}) == len(circle) and sum(a > b for a, b in follows) == 1
        if not is_circle or min(circle) < 0 or max(circle) >= MOST_SEATS:
            for seat, player in enumerate(self.players):
                player.number = seat
            is_dead = self.button is not None and len(self.players) < MOST_SEATS
            self.button = len(self.players) if is_dead else None

    def _seats(self, chips: Callable[[Decimal], int]) -> tuple[SeatedPlayer, ...]:
        ids = [player.player_id for player in self.players]
        are_ids = all(ids) and len({*ids}) == len(ids)
        return tuple(
            SeatedPlayer(
                player.player_id if are_ids else f"p{number}",
                player.name,
                player.number,
                chips(player.stack),
                player.cards,
            )
            for number, player in enumerate(self.players, 1)
        )

    def _replay(
        self, seats: Sequence[SeatedPlayer], chips: Callable[[Decimal], int]
    ) -> BettingReplay:
        posts = self.posts if self.is_told_apart else told_apart(self.posts, len(seats))
        replay = BettingReplay(seats, UnreadableHistory)
        for seat, kind, amount, is_dead in posts:
            posted = min(chips(amount), replay.left[seat])
            if posted:
                replay.post(ForcedBet(seat, kind, posted, is_dead))
        replay.set_price(chips(self.big_blind))
        for word, seat, amount, line in self.steps:
            try:
                if word == "street":
                    replay.open_street(seat)
                elif word == "fold":
                    replay.fold(seat)
                elif word == "call":
                    replay.check_or_call(seat)
                else:
                    before = replay.bets[seat] if word == "add" else 0
                    replay.bet_or_raise(seat, before + chips(amount))
            except UnreadableHistory as error:
                raise UnreadableHistory(f"line {line}: {error}" if line else str(error)) from error
        return replay

    def _amounts(self) -> list[Decimal]:
        amounts = [self.small_blind, self.big_blind, self.ante, *(self.finishing or [])]
        amounts += [player.stack for player in self.players]
        amounts += [post.amount for post in self.posts]
        amounts += [amount for _, _, amount, _ in self.steps]
        amounts += [amount for pot in self.pots for _, amount in pot]
        amounts += [*(self.winnings or []), *([self.uncalled[1]] if self.uncalled else [])]
        if min(amounts) < 0:
            raise UnreadableHistory("an amount is negative")
        return [*amounts, abs(self.rake or Decimal(0))]

    def _check_texts(self) -> None:
        texts = [self.hand_id, self.table, *(rank for *_, rank in self.shown)]
        texts += [text for player in self.players for text in (player.name, player.player_id)]
        if max(map(len, texts)) > _LONGEST_TEXT:
            raise UnreadableHistory(f"an id or name has more than {_LONGEST_TEXT} characters")
        if any("\ud800" <= letter <= "\udfff" for letter in "".join(texts)):
            raise UnreadableHistory("an id or name has half a character")

    def _check_cards(self) -> None:
        if len(self.board) not in BOARD_SIZES:
            raise UnreadableHistory(f"the board has {len(self.board)} cards")
        cards = [*self.board]
        for player in self.players:
            if len(player.cards) not in {0, 2}:
                raise UnreadableHistory("a player has other than two cards: not Texas Hold'em")
            cards += player.cards
        if len(cards) != len({*cards}):
            raise UnreadableHistory("a card is dealt twice")


class _Settlement:
    """Compares what a file pays with what its betting puts in."""

    def __init__(
        self,
        draft: HandDraft,
        seats: Sequence[SeatedPlayer],
        replay: BettingReplay,
        chips: Callable[[Decimal], int],
    ) -> None:
        self._draft = draft
        self._seats = seats
        self._chips = chips
        self._folded = {action.seat for action in replay.actions if action.kind == "fold"}
        self._back = replay.returned or Share(0, 0)
        self._left = list(replay.left)
        self._left[self._back.seat] += self._back.amount
        self._pot = sum(seat.stack for seat in seats) - sum(self._left)
        self._rake = None if draft.rake is None else chips(draft.rake)

    def pots(self) -> tuple[tuple[Pot, ...], int]:
        """Return the pots, none where nobody knows who won, and the rake.

        Raises UnreadableHistory where more or less is paid than was put in.
        """
        draft, chips = self._draft, self._chips
        live = [seat for seat in range(len(self._seats)) if seat not in self._folded]
        if draft.is_cancelled:
            put_in = [seat.stack - left for seat, left in zip(self._seats, self._left, strict=True)]
            return (_pot_of(put_in),), 0
        if not live:
            raise UnreadableHistory("every player folds")
        if draft.finishing is not None:
            after = [chips(stack) for stack in draft.finishing]
            return self._paid([[a - b for a, b in zip(after, self._left, strict=True)]])
        if draft.pots:
            pots = [[0] * len(self._seats) for _ in draft.pots]
            for pot, shares in zip(pots, draft.pots, strict=True):
                for seat, amount in shares:
                    pot[seat] += chips(amount)
            return self._paid(pots)
        if draft.winnings is not None:
            try:
                return self._paid([[chips(amount) for amount in draft.winnings]])
            except UnreadableHistory:  # files have zeros there, and chips that were not won
                pass
        if len(live) > 1:
            return (), 0
        rake = self._rake or 0
        return (Pot(self._pot - rake, (Share(live[0], self._pot - rake),)),), rake

    def _paid(self, pots: list[list[int]]) -> tuple[tuple[Pot, ...], int]:
        """Take the uncalled bet, which has a place of its own, out of the pots, and check them."""
        back, total = self._back, sum(map(sum, pots))
        if self._draft.uncalled is not None:
            seat, amount = self._draft.uncalled
            pots[-1][seat] += self._chips(amount)
            is_in_pots, total = True, total + self._chips(amount)
        else:
            is_in_pots = self._draft.finishing is None and total + (self._rake or 0) > self._pot
        put_in = self._pot + back.amount * is_in_pots
        rake = put_in - total if self._rake is None else self._rake
        is_rake = self._rake is not None or 0 <= rake * _LARGEST_RAKE <= self._pot
        if total + rake != put_in or not is_rake:
            raise self._fault(pots, total, put_in)
        if is_in_pots:
            rest = back.amount
            for pot in reversed(pots):
                taken = min(rest, pot[back.seat])
                pot[back.seat] -= taken
                rest -= taken
            if rest:
                raise UnreadableHistory(
                    f"{self._seats[back.seat].name[:40]} does not get back the {self._text(rest)} "
                    "that nobody called"
                )
        for seat in {at for pot in pots for at, amount in enumerate(pot) if amount}:
            if seat in self._folded:
                raise UnreadableHistory(f"{self._seats[seat].name[:40]} folds, and collects chips")
        if min(map(min, pots)) < 0:
            seat = next(at for pot in pots for at, amount in enumerate(pot) if amount < 0)
            raise UnreadableHistory(f"{self._seats[seat].name[:40]} loses more than it puts in")
        return tuple(_pot_of(pot) for pot in pots if any(pot)), rake

    def _fault(self, pots: list[list[int]], total: int, put_in: int) -> UnreadableHistory:
        takers = sorted({seat for pot in pots for seat, amount in enumerate(pot) if amount})
        names = ", ".join(self._seats[seat].name[:40] for seat in takers) or "nobody"
        rake = f" and the rake is {self._text(self._rake)}" if self._rake else ""
        return UnreadableHistory(
            f"{self._text(put_in)} are put in, but {self._text(total)} collected ({names}){rake}"
        )

    def _text(self, chips: int) -> str:
        unit = self._chips(Decimal(1))
        return amount_text(chips, len(str(unit)) - 1)


def _pot_of(amounts: Sequence[int]) -> Pot:
    return Pot(sum(amounts), tuple(Share(seat, won) for seat, won in enumerate(amounts) if won))


def check_size(players: int) -> None:
    if not 2 <= players <= MOST_SEATS:  # noqa: PLR2004
        raise UnreadableHistory(f"a hand has 2 to {MOST_SEATS} players")


def cards_in(text: str) -> Cards:
    """Return the known cards of `AhKd`, `[Ah Kd]` or `Ah, Kd`; raises UnreadableHistory."""
    plain = re.sub(r"[\s,\[\]]|10(?=[cdhs])", lambda gap: "T" if gap[0] == "10" else "", text)
    if "?" in plain or "XX" in plain:
        return ()
    parts = tuple(plain[at : at + 2] for at in range(0, len(plain), 2))
    parts = tuple(part[:1].upper() + part[1:].lower() for part in parts)
    if not all(_CARD.fullmatch(part) for part in parts):
        raise UnreadableHistory(f"{text[:40]!r} are no cards")
    return parts


def number_in(text: object, otherwise: int) -> int:
    """Return the number of a hand, or another one where it is no whole number."""
    digits = str(text).strip()
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _NUMBER_WIDTH
    return int(digits) if is_number and int(digits) > 0 else otherwise
