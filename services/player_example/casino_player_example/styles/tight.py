"""Style `tight`: a preflop chart, made hands and draws, pot odds."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from casino_contracts import ActionRequest, ActionResponse, Card
from casino_games.cards import card_from_text
from casino_games.holdem.ranking import chen_points

from casino_player_example.styles.bets import call, opponents_in, passive, pot_sized, price_of

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
    points = chen_points([card_from_text(card.text) for card in request.hole_cards])
    raises = sum(past.action in {"raise", "all-in"} for past in request.history or ())
    if points >= _PREMIUM or (points >= _RAISE_FROM and raises == 0):
        return pot_sized(request, pots=1.0)
    cheap = (request.to_call or 0) <= request.player_stack / 15
    if points >= _CALL_FROM + 2 * raises and cheap:
        return call(request)
    return passive(request)


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
