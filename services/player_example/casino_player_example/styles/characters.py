"""Styles with a character: a preflop chart, made hands and draws, pot odds, and a temper.

`tight` has no temper; the others differ in the numbers of theirs alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from casino_contracts import ActionRequest, ActionResponse, Card
from casino_games.cards import card_from_text
from casino_games.holdem.ranking import chen_points

from casino_player_example.styles.bets import (
    call,
    dice_for,
    opponents_in,
    passive,
    pot_sized,
    price_of,
)

_RANKS = "23456789TJQKA"
_ACE = 12
_RAISE_FROM, _CALL_FROM, _PREMIUM = 9.0, 7.0, 12.0
"""Chen points of a hand worth a raise, a call, a re-raise."""
_TO_A_STRAIGHT = 4
_TO_A_FLUSH = 4


def be_tight(request: ActionRequest) -> ActionResponse:
    """Use the chart before the flop; after it compare the winning chance with the pot odds."""
    if request.betting_round == "preflop":
        return _preflop(request)
    chance = winning_chance(request.hole_cards, request.community_cards)
    opponents = opponents_in(request)
    chance **= 1 + 0.15 * (opponents - 1)  # more opponents, smaller chance
    if chance > 0.6:  # noqa: PLR2004  clearly ahead
        return pot_sized(request, pots=0.66)
    return call(request) if chance > price_of(request) else passive(request)


def _preflop(request: ActionRequest) -> ActionResponse:
    points, raises = _points(request), _raises(request)
    if points >= _PREMIUM or (points >= _RAISE_FROM and raises == 0):
        return pot_sized(request, pots=1.0)
    cheap = (request.to_call or 0) <= request.player_stack / 15
    if points >= _CALL_FROM + 2 * raises and cheap:
        return call(request)
    return passive(request)


def _points(request: ActionRequest) -> float:
    return chen_points([card_from_text(card.text) for card in request.hole_cards])


def _raises(request: ActionRequest) -> int:
    """Return how often was bet or raised in this betting round."""
    return sum(
        past.betting_round == request.betting_round and past.action in {"bet", "raise", "all-in"}
        for past in request.history or ()
    )


def _is_late(request: ActionRequest) -> bool:
    """Return whether the player has the button or the seat before it; unknown: False."""
    button = request.button_seat
    if button is None or request.players is None:
        return False
    seats = [player.seat_number for player in request.players]
    in_turn = sorted(seats, key=lambda seat: (seat <= button, seat))
    return request.seat_number in in_turn[-2:]


_LATE_POINTS = 2.0
_BEST_POINTS = 14.0
"""Chen points of queens or better."""
_FEW = 2
_STRONG, _NUTS = 0.75, 0.88
"""Chances of two pair and of three of a kind or better, against one opponent."""


@dataclass(frozen=True)
class Temper:
    """What a character does with which hand: Chen points before the flop, chances after it."""

    opens: float
    """Points worth the first raise; in late position less by `_LATE_POINTS`."""
    limps: float
    """Points worth a call where nobody has raised."""
    calls: float
    """Points worth the call of a raise that is cheap."""
    reraises: float
    """Points worth a second raise; later ones need `_BEST_POINTS`."""
    bets: float
    """Chance worth a bet."""
    bluffs: float
    """How often it bets without such a chance, where checking is free and few are in."""
    margin: float
    """How much better than its price a call must be; negative: it likes to see."""
    traps: float = 0.0
    """How often it checks a strong hand, to raise later."""

    def decide(self, request: ActionRequest) -> ActionResponse:
        """Decide by position, hand, price and the resistance of others."""
        if request.betting_round == "preflop":
            return self._before_the_flop(request)
        chance = winning_chance(request.hole_cards, request.community_cards)
        chance **= 1 + 0.15 * (opponents_in(request) - 1)  # more opponents, smaller chance
        dice = dice_for(request)
        if "check" in request.legal_actions:
            if chance > self.bets:
                is_betting = chance <= _STRONG or dice.random() >= self.traps
            else:
                is_betting = opponents_in(request) <= _FEW and dice.random() < self.bluffs
            sizes = (0.4, 0.5, 0.66)
            return pot_sized(request, pots=dice.choice(sizes)) if is_betting else passive(request)
        return self._under_fire(request, chance)

    def _before_the_flop(self, request: ActionRequest) -> ActionResponse:
        points, raises = _points(request), _raises(request)
        late = _LATE_POINTS if _is_late(request) else 0.0
        raised = (self.opens - late, self.reraises, _BEST_POINTS, _BEST_POINTS)
        if raises < len(raised) and points >= raised[raises]:
            return pot_sized(request, pots=0.75)
        is_cheap = (request.to_call or 0) <= request.player_stack / 12
        called = self.limps if raises == 0 else self.calls + 2 * (raises - 1) - late
        is_called = points >= (called if is_cheap else _BEST_POINTS)
        return call(request) if is_called else passive(request)

    def _under_fire(self, request: ActionRequest, chance: float) -> ActionResponse:
        """Answer a bet: raise what is strong, once; fold to more resistance, and to large bets."""
        resistance = _raises(request) - 1
        if chance > _STRONG and resistance < 1 + (chance > _NUTS):
            return pot_sized(request, pots=0.75)
        share = (request.to_call or 0) / request.player_stack
        needed = price_of(request) + self.margin + 0.1 * resistance + 0.25 * share
        return call(request) if chance > min(needed, _STRONG) else passive(request)


be_loose = Temper(
    opens=13, limps=3.5, calls=5, reraises=17, bets=0.72, bluffs=0.03, margin=-0.06
).decide
be_aggressive = Temper(
    opens=6.5, limps=99, calls=8.5, reraises=10, bets=0.5, bluffs=0.4, margin=0.1
).decide
be_tricky = Temper(
    opens=8, limps=5, calls=7, reraises=11, bets=0.6, bluffs=0.2, margin=0.02, traps=0.6
).decide
be_cautious = Temper(
    opens=8, limps=6, calls=9, reraises=12, bets=0.65, bluffs=0.05, margin=0.12
).decide


def winning_chance(hole_cards: Sequence[Card], board: Sequence[Card]) -> float:
    """Return a rough chance to win at showdown, from the made hand and its draws."""
    own = [_RANKS.index(card.rank) for card in hole_cards]
    shared = [_RANKS.index(card.rank) for card in board]
    counts = Counter(own + shared)
    suits = Counter(card.suit for card in (*hole_cards, *board))
    flush_cards = max((suits[card.suit] for card in hole_cards), default=0)
    if flush_cards > _TO_A_FLUSH or _longest_run(counts) > _TO_A_STRAIGHT:
        return 0.9
    sets = [counts[rank] for rank in set(own)]
    if max(sets) >= 3:  # noqa: PLR2004  three of a kind
        return 0.9
    if sets.count(2) == 2:  # noqa: PLR2004  two pair, with both cards
        return 0.8
    made = 0.15 + 0.15 * (max(own) == _ACE)
    if max(sets) == 2:  # noqa: PLR2004  a pair
        paired = max(rank for rank in own if counts[rank] == 2)  # noqa: PLR2004
        made = 0.7 if paired >= max(shared) else 0.45
    cards_to_come = 5 - len(board)
    draws = 0.18 * (flush_cards == _TO_A_FLUSH) + 0.14 * (_longest_run(counts) == _TO_A_STRAIGHT)
    return min(0.95, made + draws * cards_to_come)


def _longest_run(counts: Counter[int]) -> int:
    """Return the length of the longest run of ranks; the ace counts as high and low."""
    ranks = sorted({*counts, *([-1] if _ACE in counts else [])})
    longest = run = 1
    for lower, higher in pairwise(ranks):
        run = run + 1 if higher == lower + 1 else 1
        longest = max(longest, run)
    return longest
