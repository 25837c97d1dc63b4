"""Questions of practice: chosen from many random hands so that every kind occurs.

A question is kept as the decisions that lead to it, and asked at a hand that is played again up to
there: a hand is a function of its table, its seed and its decisions.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from casino_play.player_decision import Action, Decision, Question

from casino_table.domain.seat import next_deal
from casino_table.domain.table import Table
from casino_table.play.running_hand import RunningHand
from casino_table.practice.practice_tables import Examinee, PracticeTable

_HANDS_OF_A_TABLE: Final = 20
_WEIGHTS: Final = {"fold": 12, "check": 40, "call": 40, "bet": 25, "raise": 25, "all-in": 5}
_OTHER_WEIGHT: Final = 20
_SMALL: Final = 3
"""How many of the four bets and raises are the smallest."""


class Spot(NamedTuple):
    """One decision of one hand of practice."""

    setup: PracticeTable
    number: int
    """The number of the hand, of no other table: ids of questions contain it."""
    seat_number: int
    """The number of the seat that decides."""
    seed: str
    actions: tuple[Action, ...]
    """The actions before it."""
    stage: str
    """The betting round, "" in other games."""
    legal: tuple[str, ...]
    """The types of the legal actions."""

    @property
    def kind(self) -> str:
        """What is asked, in words."""
        stage = f", {self.stage}" if self.stage else ""
        return f"{self.setup.label}{stage}: {', '.join(self.legal)}"


@cache
def chosen(
    setups: tuple[PracticeTable, ...], seed: int, count: int, numbered_after: int = 0
) -> tuple[Spot, ...]:
    """Return the decisions to ask: every set of legal actions, then every table and round.

    They are the same for the same seed. The numbers of their hands follow `numbered_after`.
    """
    chance = random.Random(seed)  # noqa: S311  the choice is no secret
    spots = [
        spot
        for at, setup in enumerate(setups)
        for spot in _spots_of(setup, numbered_after + at * _HANDS_OF_A_TABLE, seed, chance)
    ]
    chance.shuffle(spots)
    picked: list[Spot] = []
    for key in (_by_legal, _by_stage, _by_all):
        seen = {key(spot) for spot in picked}
        for spot in spots:
            if key(spot) not in seen and len(picked) < count:
                seen.add(key(spot))
                picked.append(spot)
    chosen_ids = {id(spot) for spot in picked}
    rest = (spot for spot in spots if id(spot) not in chosen_ids)
    picked += [spot for spot, _ in zip(rest, range(count - len(picked)), strict=False)]
    return tuple(picked)


def posed(spot: Spot, examinee: Examinee) -> Question[Any]:
    """Return the question of a decision, to the examinee."""
    table = spot.setup.table(spot.seat_number, examinee)
    hand = _begun(table, spot.number, spot.seed)
    for action in spot.actions:
        hand.act(Decision(action, "ok"))
    return hand.question(table.seats[spot.seat_number])


def _spots_of(setup: PracticeTable, after: int, seed: int, chance: random.Random) -> Iterator[Spot]:
    """Yield all decisions of random hands; their numbers follow `after`."""
    for number in range(after + 1, after + _HANDS_OF_A_TABLE + 1):
        hand_seed = f"practice/{seed}/{number}"
        hand = _begun(setup.table(), number, hand_seed)
        actions: list[Action] = []
        while not hand.is_over:
            seat = hand.next_seat
            available = hand.game.get_actions_of(seat.player_id)
            legal = tuple(action["action_type"] for action in available)
            stage = str(hand.game.get_public_state().get("betting_round", ""))
            yield Spot(setup, number, seat.number, hand_seed, tuple(actions), stage, legal)
            action = _random_action(available, chance)
            actions.append(action)
            hand.act(Decision(action, "ok"))


def _begun(table: Table, number: int, seed: str) -> RunningHand:
    seats = list(table.seats.values())
    deal = next_deal(seats, seats[number % len(seats)].number, number)
    return RunningHand(table, deal, seed)


def _random_action(available: Sequence[Action], chance: random.Random) -> Action:
    weights = [_WEIGHTS.get(action["action_type"], _OTHER_WEIGHT) for action in available]
    (action,) = chance.choices(available, weights)
    if "min" not in action:
        return action
    least, most = action["min"], action["max"]
    is_small = chance.randrange(_SMALL + 1) < _SMALL
    amount = least if is_small else chance.randint(least, most)
    return {"action_type": action["action_type"], "amount": amount}


def _by_legal(spot: Spot) -> object:
    return spot.setup.game_type, spot.legal


def _by_stage(spot: Spot) -> object:
    return spot.setup.label, spot.stage


def _by_all(spot: Spot) -> object:
    return spot.setup.label, spot.stage, spot.legal
