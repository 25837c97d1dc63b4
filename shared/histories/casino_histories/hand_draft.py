"""A hand while it is read: amounts as they are written, and then the whole of it. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal

from casino_contracts import MAX_SAFE

from casino_histories.betting_replay import BettingReplay
from casino_histories.completed_hand import (
    BOARD_SIZES,
    Cards,
    ForcedKind,
    HandHistory,
    Pot,
    SeatedPlayer,
    Share,
    ShownCards,
    decimals_of,
)
from casino_histories.errors import UnreadableHistory

MOST_SEATS = 10
MOST_STEPS = 1_000
MOST_FORCED = 40
"""Of blinds and antes, and of cards that are shown; three or less for each seat."""
_LONGEST_TEXT = 200
"""Of an id and of a name."""

_CARD = re.compile(r"[2-9TJQKA][cdhs]")
_NUMBER_WIDTH = 15

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

    A step is a word, a seat and an amount: `to` a total of the betting round, `add` to the bet; a
    `street` has its number in place of a seat.
    """

    hand_id: str
    table: str
    number: int
    players: list[DraftPlayer]
    small_blind: Decimal
    big_blind: Decimal
    ante: Decimal = Decimal(0)
    started_at: datetime | None = None
    posts: list[tuple[int, ForcedKind, Decimal, bool]] = field(default_factory=list)
    steps: list[tuple[Word, int, Decimal]] = field(default_factory=list)
    board: list[str] = field(default_factory=list)
    shown: list[tuple[int, Cards, str]] = field(default_factory=list)
    pots: list[list[tuple[int, Decimal]]] = field(default_factory=list)
    finishing: list[Decimal] | None = None
    """The stacks after the hand, where a format has those in place of pots."""

    def step(self, word: Word, seat: int, amount: Decimal = Decimal(0)) -> None:
        """Add a step; raises UnreadableHistory for too many."""
        if len(self.steps) >= MOST_STEPS:
            raise UnreadableHistory("the hand has too many actions")
        self.steps.append((word, seat, amount))

    def post(self, seat: int, kind: ForcedKind, amount: Decimal, *, is_dead: bool = False) -> None:
        """Add a forced bet; raises UnreadableHistory for too many."""
        if len(self.posts) >= MOST_FORCED:
            raise UnreadableHistory("the hand has too many blinds")
        self.posts.append((seat, kind, amount, is_dead))

    def show(self, seat: int, cards: Cards, rank_name: str = "") -> None:
        """Show a seat's cards; raises UnreadableHistory for too many times."""
        if len(self.shown) >= MOST_FORCED:
            raise UnreadableHistory("the hand has too many showdowns")
        self.players[seat].cards = cards
        self.shown.append((seat, cards, rank_name))

    def deal(self, cards: Cards) -> None:
        self.board += cards
        if len(self.board) in BOARD_SIZES:
            self.step("street", BOARD_SIZES.index(len(self.board)))

    def hand(self) -> HandHistory:
        check_size(len(self.players))
        self._check_texts()
        numbers = {player.number for player in self.players}
        if len(numbers) < len(self.players) or max(numbers) >= MOST_SEATS:  # no table has those
            for seat, player in enumerate(self.players):
                player.number = seat
        amounts = self._amounts()
        decimals = decimals_of(amounts)
        if sum(amounts, Decimal(0)).scaleb(decimals) > MAX_SAFE:
            raise UnreadableHistory("the amounts have too many digits")

        def chips(amount: Decimal) -> int:
            return int(amount.scaleb(decimals))

        self._check_cards()
        replay = self._replay(chips)
        returned = replay.returned
        seats = self._seats(chips)
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
            pots=self._pots(replay, chips),
            returned=returned,
            decimals=decimals,
            started_at=self.started_at,
            ante_is_dead=sum(1 for bet in replay.forced if bet.kind == "ante") == 1,
        )

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

    def _replay(self, chips: Callable[[Decimal], int]) -> BettingReplay:
        # An ante that only one player posts is that of the big blind for everybody.
        is_lone = sum(1 for _, kind, *_ in self.posts if kind == "ante") == 1
        replay = BettingReplay([chips(player.stack) for player in self.players], UnreadableHistory)
        for seat, kind, amount, is_dead in self.posts:
            posted = min(chips(amount), replay.left[seat])
            if posted:
                replay.post(seat, kind, posted, is_dead=is_dead or (kind == "ante" and is_lone))
        replay.set_price(chips(self.big_blind))
        for word, seat, amount in self.steps:
            if word == "street":
                replay.open_street(seat)
            elif word == "fold":
                replay.fold(seat)
            elif word == "call":
                replay.check_or_call(seat)
            else:
                before = replay.bets[seat] if word == "add" else 0
                replay.bet_or_raise(seat, before + chips(amount))
        return replay

    def _pots(self, replay: BettingReplay, chips: Callable[[Decimal], int]) -> tuple[Pot, ...]:
        left = list(replay.left)
        if replay.returned:
            left[replay.returned.seat] += replay.returned.amount
        if self.finishing is not None:
            won = [chips(stack) - rest for stack, rest in zip(self.finishing, left, strict=True)]
            shares = tuple(Share(seat, amount) for seat, amount in enumerate(won) if amount > 0)
            return (Pot(sum(share.amount for share in shares), shares),)
        if self.pots:
            return tuple(
                Pot(
                    sum(chips(amount) for _, amount in pot),
                    tuple(Share(seat, chips(amount)) for seat, amount in pot),
                )
                for pot in self.pots
            )
        folded = {action.seat for action in replay.actions if action.kind == "fold"}
        live = [seat for seat in range(len(left)) if seat not in folded]
        if not live:
            raise UnreadableHistory("every player folds")
        if len(live) > 1:
            return ()
        pot = sum(chips(player.stack) for player in self.players) - sum(left)
        return (Pot(pot, (Share(live[0], pot),)),)

    def _amounts(self) -> list[Decimal]:
        amounts = [self.small_blind, self.big_blind, self.ante, *(self.finishing or [])]
        amounts += [player.stack for player in self.players]
        amounts += [amount for _, _, amount, _ in self.posts]
        amounts += [amount for _, _, amount in self.steps]
        amounts += [amount for pot in self.pots for _, amount in pot]
        if min(amounts) < 0:
            raise UnreadableHistory("an amount is negative")
        return amounts

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


def check_size(players: int) -> None:
    if not 2 <= players <= MOST_SEATS:  # noqa: PLR2004
        raise UnreadableHistory(f"a hand has 2 to {MOST_SEATS} players")


def cards_in(text: str) -> Cards:
    """Return the known cards of `AhKd`, `[Ah Kd]` or `Ah, Kd`; raises UnreadableHistory."""
    plain = re.sub(r"[\s,\[\]]|10(?=[cdhs])", lambda gap: "T" if gap[0] == "10" else "", text)
    if "?" in plain:
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
