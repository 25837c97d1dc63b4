"""Control variates of a hand: how lucky each seat was at each chance event, in chips. Pure.

Each is the value of a function after cards were dealt, minus its mean over all cards that could
have been dealt instead. So it is zero in the mean whatever the players do, and a result from which
any multiples of the controls are taken keeps its mean. The functions need not be right: the better
they fit the players, the more of the luck they explain.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from casino_games.holdem import Hand
from casino_games.holdem.deal import Board, Hole
from casino_games.holdem.hand import BOARD_SIZE
from casino_games.holdem.pots import Pot
from casino_games.holdem.record import RIVER, Street

from casino_match.luck.deals import FLOP, Deal
from casino_match.luck.holes import DECIMALS, hole_luck
from casino_match.luck.showdowns import DUEL_VALUES, Chips, Showdowns
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

_ALL_IN, _POT, _RIVER_POT, _DUEL, _CLASH = 0, 1, 2, slice(3, 3 + DUEL_VALUES), 3 + DUEL_VALUES
_NO_BOARD = (0.0,) * (_CLASH + 1)
_DEALS = 4
"""How many deals are kept: the seatings of a deck are played one after the other."""


def controls_of(hand: Hand) -> list[tuple[float, ...]]:
    """Return the control variates of each seat of a hand that is over."""
    dealt = [hole_luck(hand.hole_of(seat), hand.big_blind) for seat in range(len(hand.stacks))]
    if not hand.board:
        return [_NO_BOARD + values for values in dealt]
    rows = (board_luck(hand).round(DECIMALS) + 0.0).tolist()  # never -0.0
    return [tuple(row) + values for row, values in zip(rows, dealt, strict=True)]


def board_luck(hand: Hand) -> Chips:
    """Return the controls of each seat (row) that depend on the board, before they are rounded."""
    holes = tuple(hand.hole_of(seat) for seat in range(len(hand.stacks)))
    board = tuple(hand.board)
    luck = np.zeros((len(holes), len(_NO_BOARD)))
    showdowns = _showdowns(holes, board[:FLOP])
    for street, situation in enumerate(situations_of(hand), start=1):
        _add_street(luck, showdowns, street, board, situation)
    if hand.betting_ended_on < RIVER and len(contenders_of(hand)) > 1:
        _add_all_in(luck, hand, showdowns)
    return luck


@lru_cache(maxsize=_DEALS)
def _showdowns(holes: tuple[Hole, ...], flop: Board) -> Showdowns:
    return Showdowns(Deal(holes, flop))


def _add_street(
    luck: Chips, showdowns: Showdowns, street: Street, board: Board, situation: Situation
) -> None:
    """Add the luck of the cards of one street."""
    before, after = board[: BOARD_SIZE[street - 1]], board[: BOARD_SIZE[street]]
    kind = _RIVER_POT if street == RIVER else _POT
    for pot in situation.pots:
        expected = showdowns.shares(pot.eligible, before)
        shares = showdowns.shares(pot.eligible, after)
        luck[list(pot.eligible), kind] += pot.amount * (shares - expected)
    behind = [chips if seat in situation.live else 0 for seat, chips in enumerate(situation.behind)]
    luck[:, _DUEL] += showdowns.duels(behind, before, after)
    if street == 1:
        luck[:, _CLASH] += showdowns.clashes(behind)


def _add_all_in(luck: Chips, hand: Hand, showdowns: Showdowns) -> None:
    """Add what the run-out paid, minus what it would pay on average."""
    board = tuple(hand.board[: BOARD_SIZE[hand.betting_ended_on]])
    luck[:, _ALL_IN] += won_by(hand)
    for pot in hand.awards:
        luck[list(pot.eligible), _ALL_IN] -= showdowns.payments(
            Pot(pot.amount, pot.eligible), board
        )
