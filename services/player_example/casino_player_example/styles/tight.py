"""Style `tight`: a preflop chart, made hands and draws, pot odds."""

from collections import Counter
from itertools import pairwise

from casino_contracts import ActionRequest, ActionResponse, Card

from casino_player_example.styles.bets import call, passive, pot_sized
from casino_player_example.styles.table_view import opponents_in, price_of

_RANKS = "23456789TJQKA"
_ACE = 12
_RAISE_FROM, _CALL_FROM, _PREMIUM = 9.0, 7.0, 12.0
"""Chen points of a hand worth a raise, a call, a re-raise."""
_TO_A_STRAIGHT = 4
_TO_A_FLUSH = 4


def decide(request: ActionRequest) -> ActionResponse:
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
    points = chen_points(request.hole_cards)
    raises = sum(past.action in {"raise", "all-in"} for past in request.history or ())
    if points >= _PREMIUM or (points >= _RAISE_FROM and raises == 0):
        return pot_sized(request, pots=1.0)
    cheap = (request.to_call or 0) <= request.player_stack / 15
    if points >= _CALL_FROM + 2 * raises and cheap:
        return call(request)
    return passive(request)


def chen_points(hole_cards: tuple[Card, ...]) -> float:
    """Return the points of a starting hand: 20 for aces, below 0 for the worst.

    Source: the Chen formula (Bill Chen), here without rounding up.
    """
    high, low = sorted((_RANKS.index(card.rank) for card in hole_cards), reverse=True)
    points = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}.get(high, (high + 2) / 2)
    if high == low:
        return max(5.0, 2 * points)
    if hole_cards[0].suit == hole_cards[1].suit:
        points += 2
    gap = high - low - 1
    points -= {0: 0, 1: 1, 2: 2, 3: 4}.get(gap, 5)
    is_straight_maker = gap <= 1 and high < _RANKS.index("Q")
    return points + 1 if is_straight_maker else points


def winning_chance(hole_cards: tuple[Card, ...], board: tuple[Card, ...]) -> float:
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
