"""The result so far: reads the blocks of a match in order, and says when it is over. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from heapq import heappush, heappushpop
from typing import Any, Final, Literal, get_args

from casino_contracts import Outcome
from casino_contracts.match_results import NotableHand, PositionResult, SequentialTest, StreetResult
from casino_contracts.play_counts import DEFAULTED, PlayCounts, kept_reason
from casino_contracts.play_statistics import DefaultCount, statistics_of

from casino_match.domain.block import DecisionCounts, PlayedBlock, PlayedDeck, block_digest
from casino_match.domain.plan import FaultRules, Plan, seatings_of
from casino_match.errors import StoreFailed
from casino_match.play.decision_counter import add_counts
from casino_match.statistics.adjustment import PastFit
from casino_match.statistics.deck_values import DeckValues, Moments, joined, values_of
from casino_match.statistics.estimates import FEWEST_DECKS
from casino_match.statistics.sequential import (
    CONFIDENCE,
    anytime_quantile,
    sequential_test,
    student_quantile,
)

MOST = 5
"""Notable hands of each kind."""

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


Street = Literal["preflop", "flop", "turn", "river"]
_STREETS: Final[tuple[Street, ...]] = get_args(Street)
_FIRST, _LAST = ("BTN", "SB", "BB"), ("HJ", "CO")


def merge(total: DecisionCounts, more: DecisionCounts) -> None:
    counters: tuple[tuple[dict[Any, int], dict[Any, int]], ...] = (
        (total.outcomes, more.outcomes),
        (total.latency.buckets, more.latency.buckets),
        (total.net, more.net),
        (total.hands, more.hands),
        (total.ended_on, more.ended_on),
    )
    for sums, parts in counters:
        for key, number in parts.items():
            sums[key] = sums.get(key, 0) + number
    for position, counts in more.play.items():
        add_counts(total.play.setdefault(position, PlayCounts()), counts)
    said, news = total.reported, more.reported
    said.costs.include(news.costs)
    for reason, number in more.defaulted.items():
        kept = kept_reason(reason, total.defaulted)
        total.defaulted[kept] = total.defaulted.get(kept, 0) + number
    said.details.update(news.details)
    said.models += [model for model in news.models if model not in said.models]
    said.signers += [signer for signer in news.signers if signer not in said.signers]


def play_of(conduct: DecisionCounts) -> PlayCounts:
    total = PlayCounts()
    for counts in conduct.play.values():
        add_counts(total, counts)
    return total


def defaults_of(conduct: DecisionCounts) -> tuple[DefaultCount, ...]:
    """Return how often a player's program answered in its place, the most frequent reason first."""
    counts = conduct.defaulted.copy()
    if away := conduct.outcomes.get("away"):
        counts["away"] = counts.get("away", 0) + away
    details = conduct.reported.details
    return tuple(
        DefaultCount(reason=reason, count=counts[reason], detail=details.get(reason))
        for reason in sorted(counts, key=lambda reason: (-counts[reason], reason))
    )


def not_own(outcomes: Mapping[Outcome, int], defaulted: Iterable[DefaultCount]) -> dict[str, int]:
    """Return how many decisions were not the player's own, by outcome or its program's reason."""
    counts: dict[str, int] = {each.reason: each.count for each in defaulted}
    told = {"ok", "retried", *(DEFAULTED if counts else ())}  # a result of 0.1.0 has no reasons
    for outcome, count in sorted(outcomes.items()):
        if count and outcome not in told:
            counts[outcome] = counts.get(outcome, 0) + count
    return counts


def is_judged(conduct: DecisionCounts, faults: FaultRules) -> bool:
    """Return whether decisions say how a player plays.

    They do not if none is its own, or if defaults were played where the plan waits for decisions.
    """
    outcomes = conduct.outcomes
    if faults.no_answer == "pause" and any(
        outcomes.get(outcome) for outcome in ("away", "defaulted")
    ):
        return False
    return not outcomes or any(outcomes.get(outcome) for outcome in ("ok", "retried"))


def positions_of(conduct: DecisionCounts) -> tuple[PositionResult, ...]:
    """Return a player's results by position, from the button on."""
    return tuple(
        PositionResult(
            position=position,
            hands=conduct.hands[position],
            net=conduct.net.get(position, 0),
            statistics=statistics_of(conduct.play.get(position, PlayCounts())),
        )
        for position in _in_order(conduct.hands)
    )


def streets_of(conduct: DecisionCounts) -> tuple[StreetResult, ...]:
    """Return a player's results by the street on which the betting of the hands ended."""
    return tuple(
        StreetResult(street=street, net=conduct.ended_on[street])
        for street in _STREETS
        if street in conduct.ended_on
    )


def _in_order(positions: Iterable[str]) -> list[str]:
    """Return positions in the order of the table: button, blinds, then by name, cut-off last."""

    def place(position: str) -> tuple[int, int, str]:
        if position in _FIRST:
            return 0, _FIRST.index(position), position
        if position in _LAST:
            return 2, _LAST.index(position), position
        return 1, len(position), position

    return sorted(positions, key=place)


@dataclass(frozen=True, slots=True)
class ResultProgress:
    """What the decks so far say about the first two players, at little cost."""

    decks: int
    bb_per_100: float
    """How much more the first player wins than the second."""
    half_width: float | None
    """Half the 95 % interval; None below 30 decks."""
    test: SequentialTest | None


class RunningResult:
    """The blocks of a match, added in order; memory grows by some floats for each deck."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.conduct = [DecisionCounts() for _ in plan.players]
        """Of each player, over all blocks."""
        self.nets = [0] * len(plan.players)
        """Of each player, in chips."""
        self.notable = NotableHands(plan)
        self._hash = sha256(plan.digest.encode())
        self.next_block = 0
        self._parts: list[DeckValues] = []
        self._past = PastFit()
        self.difference = Moments()
        """Of the first two players, as the sequential test sees it."""
        self.test: SequentialTest | None = None
        if plan.stop.rule == "sprt":
            self.test = sequential_test(plan.stop, self.difference)

    @property
    def decks(self) -> int:
        return self.difference.count

    @property
    def hands(self) -> int:
        return self.decks * self.hands_per_deck

    @property
    def hands_per_deck(self) -> int:
        """The number of seatings."""
        return len(seatings_of(len(self.plan.players), self.plan.deal.seatings))

    @property
    def is_over(self) -> bool:
        is_decided = self.test is not None and self.test.accepted != "none"
        return is_decided or self.next_block == self.plan.blocks

    @property
    def digest(self) -> str:
        return "sha256:" + self._hash.hexdigest()

    @property
    def progress(self) -> ResultProgress:
        half_width = None
        if self.decks >= FEWEST_DECKS and self.test is not None:
            half_width = self.difference.error * anytime_quantile(self.decks, self.plan.deal.decks)
        elif self.decks >= FEWEST_DECKS:
            quantile = student_quantile((1 + CONFIDENCE) / 2, self.decks - 1)
            half_width = quantile * self.difference.error
        return ResultProgress(self.decks, self.difference.mean, half_width, self.test)

    def add(self, block: PlayedBlock) -> None:
        """Read the next block, if any is to come; raises StoreFailed for a wrong one."""
        if self.is_over:
            return
        self._check(block)
        self.next_block += 1
        self._hash.update(b"\n" + block_digest(block).encode())
        values = values_of(self.plan, block)
        self._parts.append(values)
        pair = self._past.adjust(values)[:, :2]
        self.difference += Moments.of(pair[:, 0] - pair[:, 1])
        if self.test is not None:
            self.test = sequential_test(self.plan.stop, self.difference)
        self._add_players(block)

    def _add_players(self, block: PlayedBlock) -> None:
        for deck in block.decks:
            self.notable.add(deck)
            for player, net in enumerate(deck.net):
                self.nets[player] += net
        for total, conduct in zip(self.conduct, block.conduct, strict=True):
            merge(total, conduct)

    def values(self) -> DeckValues:
        """Return the observations of all decks so far; raises StoreFailed if there are none."""
        if not self._parts:
            raise StoreFailed("there is no block yet: no deck is played to the end of its block")
        self._parts = [joined(self._parts)]
        return self._parts[0]

    def _check(self, block: PlayedBlock) -> None:
        if block.plan != self.plan.digest:
            raise StoreFailed(f"block {block.number} is of another plan, {block.plan}")
        if block.number != self.next_block:
            raise StoreFailed(f"block {block.number} comes where block {self.next_block} is next")
        expected = self.plan.decks_of(block.number)
        if [deck.number for deck in block.decks] != list(expected):
            raise StoreFailed(
                f"block {block.number} does not hold decks {expected.start} to {expected.stop - 1}"
            )
