"""Control variates of a hand: how lucky each seat was at each chance event, in chips. Pure.

Each is the value of a function after cards were dealt, minus its mean over all cards that could
have been dealt instead. So it is zero in the mean whatever the players do, and a result from which
any multiples of the controls are taken keeps its mean. The functions need not be right: the better
they fit the players, the more of the luck they explain. They are about hole cards, all-ins, the
chips in the middle and the chips behind when the cards of a street were dealt.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from casino_games.cards import DECK
from casino_games.holdem import Hand
from casino_games.holdem.betting import RIVER, Street
from casino_games.holdem.hand import BOARD_SIZE, Board, Hole, Pot, build_pots
from casino_games.holdem.ranking import chen_points

from casino_match.luck.pairwise_equity import Duels, Showdowns
from casino_match.luck.possible_boards import FLOP, PossibleBoards

DECIMALS: Final = 6
"""Decimals of control variates in chips; rounded, so that all machines agree."""
_RAMPS: Final = ((6, 9), (9, 20))
"""Points at which a hand begins and ends to count as good, and as premium."""
CONTROLS: Final[tuple[str, ...]] = (
    "all-in",
    "pot before the river",
    "pot on the river",
    "ahead",
    "ahead of a fair hand",
    "ahead of a strong hand before the river",
    "ahead of a strong hand on the river",
    "against a better hand before the river",
    "against a better hand on the river",
    "strong against fair on the flop",
    "fair against fair on the flop",
    "strong against fair on the turn",
    "good hole cards",
    "premium hole cards",
)
"""Names of the control variates, in the order of `controls_of`."""
_ALL_IN, _POT, _RIVER_POT = 0, 1, 2
_DUEL: Final = {1: (3, 4, 5, 7, 9, 10), 2: (3, 4, 5, 7, 11), 3: (3, 4, 6, 8)}
"""The controls by street to which each gain of a duel belongs."""
_NO_BOARD = (0.0,) * 12
_MOST_POTS: Final = 8
"""A weak hand does not lose the stack to a better one, but so many times the pot at most."""
_DEALS = 4
"""How many deals are kept: the seatings of a deck are played one after the other."""
_LINES: Final = 16
"""The same for the ways in which a deck is bet, which often agree in several seatings."""
Luck = list[list[float]]
"""The controls of each seat, in chips."""


class Situation(NamedTuple):
    """Who could still bet how much on a street."""

    live: tuple[int, ...]
    """The seats that had not folded, lowest first."""
    pots: tuple[Pot, ...]
    """The chips in the middle, and who contests them."""
    behind: tuple[int, ...]
    """The chips in front of each seat."""


def contenders_of(hand: Hand) -> tuple[int, ...]:
    """Return the seats that never folded."""
    return tuple(seat for seat in range(len(hand.stacks)) if hand.live >> seat & 1)


def won_by(hand: Hand) -> list[int]:
    """Return what the pots of a hand that is over paid to each seat."""
    won = [0] * len(hand.stacks)
    for pot in hand.awards:
        for seat, amount in pot.winners:
            won[seat] += amount
    return won


def situations_of(hand: Hand) -> list[Situation]:
    """Return the situation of the flop, the turn and the river, as far as seats could still bet."""
    contributed = list(hand.contributed)
    behind = [stack - won for stack, won in zip(hand.stacks, won_by(hand), strict=True)]
    # A dead ante is in the pot, and no seat's contribution.
    dead = sum(pot.amount for pot in hand.awards) - sum(contributed)
    if hand.uncalled:
        contributed[hand.uncalled.seat] += hand.uncalled.amount
        behind[hand.uncalled.seat] -= hand.uncalled.amount
    live = set(contenders_of(hand))
    situations = []
    street = hand.betting_ended_on
    for seat, street_of_action, kind, _, paid, _, _ in reversed(hand.actions):
        if street_of_action < street:
            situations.append(_situation(live, contributed, behind, dead))
        street = street_of_action
        contributed[seat] -= paid
        behind[seat] += paid
        if kind == "fold":
            live.add(seat)
    return situations[::-1]


def _situation(
    live: set[int], contributed: Sequence[int], behind: Sequence[int], dead: int
) -> Situation:
    contenders = sorted(live)
    pots = build_pots(contributed, contenders, sum(contributed) + dead)
    return Situation(tuple(contenders), tuple(pots), tuple(behind))


@lru_cache(maxsize=1326 * 2 * 4)
def hole_luck(hole: Hole, big_blind: int) -> tuple[float, ...]:
    """Return how good and how premium a hand is, minus the mean of all: each within a blind."""
    means = _means()
    return tuple(
        round(big_blind * (value - mean), DECIMALS)
        for value, mean in zip(_values(hole), means, strict=True)
    )


@lru_cache(maxsize=1)
def _means() -> tuple[float, ...]:
    values = [_values(hole) for hole in combinations(DECK, 2)]
    return tuple(sum(column) / len(values) for column in zip(*values, strict=True))


def _values(hole: Hole) -> tuple[float, ...]:
    points = chen_points(hole)
    return tuple(min(max((points - low) / (high - low), 0.0), 1.0) for low, high in _RAMPS)


def controls_of(hand: Hand) -> list[tuple[float, ...]]:
    """Return the control variates of each seat of a hand that is over."""
    dealt = [hole_luck(hand.hole_of(seat), hand.big_blind) for seat in range(len(hand.stacks))]
    if not hand.board:
        return [_NO_BOARD + values for values in dealt]
    rounded: Luck = (np.round(board_luck(hand), DECIMALS) + 0.0).tolist()  # never -0.0
    return [(*row, *values) for row, values in zip(rounded, dealt, strict=True)]


def pot_luck(hand: Hand) -> list[float]:
    """Return the chips that the board gave each seat of a hand that is over, 0 in the mean.

    They are those of the controls that are chips of the pots themselves: all-ins, and the pots
    before and on the river. They sum to 0, so that results without them do, too.
    """
    return [sum(row[_ALL_IN : _RIVER_POT + 1]) for row in controls_of(hand)]


def board_luck(hand: Hand) -> Luck:
    """Return the controls of each seat that depend on the board, before they are rounded."""
    holes = tuple(hand.hole_of(seat) for seat in range(len(hand.stacks)))
    board = tuple(hand.board)
    luck = [[*row] for row in _luck_of_streets(holes, board, tuple(situations_of(hand)))]
    if hand.betting_ended_on < RIVER and len(contenders_of(hand)) > 1:
        _add_all_in(luck, hand, _showdowns(holes, board[:FLOP]))
    return luck


@lru_cache(maxsize=_LINES)
def _luck_of_streets(
    holes: tuple[Hole, ...], board: Board, situations: tuple[Situation, ...]
) -> Luck:
    """Return the controls of each seat without all-ins: the same for equal situations."""
    luck = [[*_NO_BOARD] for _ in holes]
    showdowns = _showdowns(holes, board[:FLOP])
    for street, situation in enumerate(situations, start=1):
        _add_duels(luck, showdowns.duels(situations[0].live), street, board, situation)
        _add_pots(luck, showdowns, street, board, situation)
    return luck


@lru_cache(maxsize=_DEALS)
def _showdowns(holes: tuple[Hole, ...], flop: Board) -> Showdowns:
    return Showdowns(PossibleBoards(holes, flop))


def _add_pots(
    luck: Luck, showdowns: Showdowns, street: Street, board: Board, situation: Situation
) -> None:
    """Add the luck that the cards of a street had with the chips in the middle."""
    before, after = board[: BOARD_SIZE[street - 1]], board[: BOARD_SIZE[street]]
    control = _RIVER_POT if street == RIVER else _POT
    for pot in situation.pots:
        expected = showdowns.shares(pot.eligible, before)
        shares = showdowns.shares(pot.eligible, after)
        for seat, share, mean in zip(pot.eligible, shares, expected, strict=True):
            luck[seat][control] += pot.amount * (share - mean)


def _add_duels(
    luck: Luck, duels: Duels, street: Street, board: Board, situation: Situation
) -> None:
    """Add the luck that the cards of a street had with the chips behind, of every two seats."""
    live, behind = situation.live, situation.behind
    # A duel is about the smaller stack.
    stakes = [
        min(behind[first], behind[second]) if first in live and second in live else 0
        for first, second in duels.pairs
    ]
    most = _MOST_POTS * sum(pot.amount for pot in situation.pots)
    gained = duels.gained(board[: BOARD_SIZE[street]], stakes, most)
    for seat, values in zip(duels.seats, gained, strict=True):
        row = luck[seat]
        for control, chips in zip(_DUEL[street], values, strict=True):
            row[control] += chips


def _add_all_in(luck: Luck, hand: Hand, showdowns: Showdowns) -> None:
    """Add what the run-out paid, minus what it would pay on average."""
    dealt = tuple(hand.board[: BOARD_SIZE[hand.betting_ended_on]])
    for row, won in zip(luck, won_by(hand), strict=True):
        row[_ALL_IN] += won
    for pot in hand.awards:
        payments = showdowns.payments(Pot(pot.amount, pot.eligible), dealt)
        for seat, payment in zip(pot.eligible, payments.tolist(), strict=True):
            luck[seat][_ALL_IN] -= payment
