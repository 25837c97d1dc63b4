"""Hands worth looking at, chosen in bounded memory while the blocks are read. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import Literal

from casino_contracts.match_results import NotableHand

from casino_match.domain.block import PlayedDeck
from casino_match.domain.plan import Plan, seatings_of

MOST = 5
"""Of each kind."""

Kind = Literal["biggest", "decisive"]


@dataclass(frozen=True, slots=True)
class HandText:
    """What has to be computed again from the actions of a hand."""

    pot: int
    """The chips that were paid out, without a bet that nobody called."""
    history: str
    """The hand in PHH, which shows every card."""


Describe = Callable[[int, int, str], HandText]
"""Describes a hand by its deck, the number of its seating and its actions."""


@dataclass(frozen=True, slots=True, order=True)
class _Choice:
    """A hand, ordered by its weight; of equals, the earliest deck and seating weighs most."""

    weight: int
    deck: int
    seating: int
    actions: str
    nets: tuple[int, ...]


class NotableHands:
    """The hands of most chips, and those of the decks that moved the first two apart most."""

    def __init__(self, plan: Plan) -> None:
        self._names = [player.name for player in plan.players]
        self._seatings = seatings_of(len(self._names), plan.deal.seatings)
        self._biggest: list[_Choice] = []
        self._decisive: list[_Choice] = []

    def add(self, deck: PlayedDeck) -> None:
        if not deck.nets:
            return
        won = [sum(net for net in nets if net > 0) for nets in deck.nets]
        self._keep(self._biggest, deck, won.index(max(won)), max(won))
        gap = deck.net[0] - deck.net[1]
        if gap:
            gaps = [(nets[0] - nets[1]) * (1 if gap > 0 else -1) for nets in deck.nets]
            self._keep(self._decisive, deck, gaps.index(max(gaps)), abs(gap))

    def _keep(self, choices: list[_Choice], deck: PlayedDeck, seating: int, weight: int) -> None:
        if len(choices) == MOST and weight <= choices[0].weight:
            return
        choice = _Choice(weight, -deck.number, seating, deck.hands[seating], deck.nets[seating])
        if len(choices) < MOST:
            heappush(choices, choice)
        else:
            heappushpop(choices, choice)

    def described(self, describe: Describe) -> tuple[NotableHand, ...]:
        return tuple(
            self._described(choice, kind, describe)
            for kind, choices in self._choices()
            for choice in sorted(choices, reverse=True)
        )

    def _choices(self) -> list[tuple[Kind, list[_Choice]]]:
        return [("biggest", self._biggest), ("decisive", self._decisive)]

    def _described(self, choice: _Choice, kind: Kind, describe: Describe) -> NotableHand:
        deck = -choice.deck
        text = describe(deck, choice.seating, choice.actions)
        return NotableHand(
            deck=deck,
            seating=choice.seating,
            pot=text.pot,
            players=tuple(self._names[player] for player in self._seatings[choice.seating]),
            net=dict(zip(self._names, choice.nets, strict=True)),
            kind=kind,
            history=text.history,
        )
