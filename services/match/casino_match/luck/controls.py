"""Control variates of a hand: how lucky each seat was at each chance event, in chips. Pure.

Each is the value of a function after cards were dealt, minus its mean over all cards that could
have been dealt instead. So it is zero in the mean whatever the players do, and a result from which
any multiples of the controls are taken keeps its mean. The functions need not be right: the better
they fit the players, the more of the luck they explain.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from casino_games.cards import Card
from casino_games.holdem import Hand
from casino_games.holdem.deal import Hole
from casino_games.holdem.record import RIVER

from casino_match.luck.deals import FLOP, Deal
from casino_match.luck.holes import hole_luck
from casino_match.luck.showdowns import DUEL_VALUES, Means, Showdowns, turned
from casino_match.luck.situations import Situation, contenders_of, situations_of, won_by

CONTROLS: Final[tuple[str, ...]] = (
    "all-in",
    "pot before the river",
    "pot on the river",
    "ahead",
    "ahead of a weak hand",
    "ahead of a fair hand",
    "ahead of a strong hand",
    "behind with a weak hand",
    "behind with a fair hand",
    "behind with a strong hand",
    "clash on the flop",
    "good hole cards",
    "premium hole cards",
)
"""Names of the control variates, in the order of `controls_of`."""

_ALL_IN, _POT, _RIVER_POT, _DUEL = 0, 1, 2, slice(3, 3 + DUEL_VALUES)
_CLASH, _HOLE = 3 + DUEL_VALUES, slice(4 + DUEL_VALUES, None)
_DECIMALS = 6
_DEALS = 4
"""How many deals are kept; the seatings of a deck are played one after the other."""


def controls_of(hand: Hand) -> list[tuple[float, ...]]:
    """Return the control variates of each seat of a hand that is over."""
    seats = range(len(hand.stacks))
    controls = np.zeros((len(seats), len(CONTROLS)))
    for seat in seats:
        controls[seat, _HOLE] = hole_luck(hand.hole_of(seat))
        controls[seat, _HOLE] *= hand.big_blind
    if len(hand.board) >= FLOP:
        holes = tuple(hand.hole_of(seat) for seat in seats)
        showdowns = _showdowns(holes, tuple(sorted(hand.board[:FLOP])))
        for street, situation in enumerate(situations_of(hand), start=1):
            _add_street(controls, hand, showdowns, street, situation)
        if hand.betting_ended_on < RIVER and len(contenders_of(hand)) > 1:
            _add_all_in(controls, hand, showdowns)
    return [tuple(round(value, _DECIMALS) for value in row) for row in controls.tolist()]


@lru_cache(maxsize=_DEALS)
def _showdowns(holes: tuple[Hole, ...], flop: tuple[Card, ...]) -> Showdowns:
    return Showdowns(Deal(holes, flop))


def _add_street(
    controls: Means, hand: Hand, showdowns: Showdowns, street: int, situation: Situation
) -> None:
    """Add the luck of the cards of one street."""
    board = hand.board
    live, pots, behind = situation
    for pot in pots:
        shares = showdowns.shares(pot.eligible, board)
        luck = pot.amount * (shares[street] - shares[street - 1])
        controls[list(pot.eligible), _RIVER_POT if street == RIVER else _POT] += luck
    for place, other in enumerate(live):
        for seat in live[:place]:
            chips = min(behind[seat], behind[other])
            if chips:
                duels = showdowns.duels(seat, other, board)
                luck = chips * (duels[street] - duels[street - 1])
                controls[seat, _DUEL] += luck
                controls[other, _DUEL] += turned(luck)
                if street == 1:
                    clash = chips * showdowns.clash(seat, other)
                    controls[seat, _CLASH] += clash
                    controls[other, _CLASH] -= clash


def _add_all_in(controls: Means, hand: Hand, showdowns: Showdowns) -> None:
    """Add what the run-out paid, minus what it would pay on average."""
    controls[:, _ALL_IN] += won_by(hand)
    for pot in hand.awards:
        paid = showdowns.payments(pot, hand.board, hand.betting_ended_on)
        controls[list(pot.eligible), _ALL_IN] -= paid
