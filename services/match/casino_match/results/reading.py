"""Reads the blocks of a match in order, and says when it is over. Pure."""

from dataclasses import dataclass

from casino_contracts.match_results import SequentialTest

from casino_match.domain.block import Block, Conduct
from casino_match.domain.plan import Plan
from casino_match.domain.seatings import seatings_of
from casino_match.errors import StoreFailed
from casino_match.results.conduct import merge
from casino_match.results.digest import ResultDigest
from casino_match.results.notable import NotableHands
from casino_match.statistics.adjustment import PastFit
from casino_match.statistics.anytime import anytime_quantile
from casino_match.statistics.estimates import FEWEST_DECKS
from casino_match.statistics.moments import Moments
from casino_match.statistics.quantiles import CONFIDENCE, student_quantile
from casino_match.statistics.sequential import sequential_test
from casino_match.statistics.values import DeckValues, joined, values_of


@dataclass(frozen=True, slots=True)
class Progress:
    """What the decks so far say about the first two players, at little cost."""

    decks: int
    bb_per_100: float
    """How much more the first player wins than the second."""
    half_width: float | None
    """Half the 95 % interval; None below 30 decks."""
    test: SequentialTest | None


class Reading:
    """The blocks of a match, added in the order of their numbers.

    Memory grows with the number of decks, by some floats for each; their hands are not kept.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.conduct = [Conduct() for _ in plan.players]
        """Of each player, over all blocks."""
        self.nets = [0] * len(plan.players)
        """Of each player, in chips."""
        self.notable = NotableHands(plan)
        self._digest = ResultDigest(plan.digest)
        self._blocks = 0
        self._parts: list[DeckValues] = []
        self._past = PastFit()
        self._difference = Moments()
        self._test: SequentialTest | None = None
        if plan.stop.rule == "sprt":
            self._test = sequential_test(plan.stop, self._difference)

    @property
    def decks(self) -> int:
        """The number of decks so far."""
        return self._difference.count

    @property
    def hands(self) -> int:
        """The number of hands so far."""
        return self.decks * self.hands_per_deck

    @property
    def hands_per_deck(self) -> int:
        """The number of seatings."""
        return len(seatings_of(len(self.plan.players), self.plan.deal.seatings))

    @property
    def next_block(self) -> int:
        """The number of the block that comes next."""
        return self._blocks

    @property
    def is_over(self) -> bool:
        """Whether the stopping rule has ended the match."""
        is_decided = self._test is not None and self._test.accepted != "none"
        return is_decided or self._blocks == self.plan.blocks

    @property
    def digest(self) -> str:
        """The digest of the plan and of the blocks so far."""
        return self._digest.text

    @property
    def difference(self) -> Moments:
        """Of the first two players, as the sequential test sees it."""
        return self._difference

    @property
    def test(self) -> SequentialTest | None:
        """What the sequential test says; None if the plan has none."""
        return self._test

    @property
    def progress(self) -> Progress:
        """What the decks so far say about the first two players."""
        half_width = None
        if self.decks >= FEWEST_DECKS and self._test is not None:
            half_width = self._difference.error * anytime_quantile(self.decks, self.plan.deal.decks)
        elif self.decks >= FEWEST_DECKS:
            quantile = student_quantile((1 + CONFIDENCE) / 2, self.decks - 1)
            half_width = quantile * self._difference.error
        return Progress(self.decks, self._difference.mean, half_width, self._test)

    def add(self, block: Block) -> None:
        """Read the next block; blocks after the end of the match are ignored.

        Raises StoreFailed for a block of another plan or in another order.
        """
        if self.is_over:
            return
        self._check(block)
        self._blocks += 1
        self._digest.add(block)
        values = values_of(self.plan, block)
        self._parts.append(values)
        pair = self._past.adjust(values)[:, :2]
        self._difference += Moments.of(pair[:, 0] - pair[:, 1])
        if self._test is not None:
            self._test = sequential_test(self.plan.stop, self._difference)
        self._add_players(block)

    def _add_players(self, block: Block) -> None:
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

    def _check(self, block: Block) -> None:
        if block.plan != self.plan.digest:
            raise StoreFailed(f"block {block.number} is of another plan, {block.plan}")
        if block.number != self._blocks:
            raise StoreFailed(f"block {block.number} comes where block {self._blocks} is next")
        expected = self.plan.decks_of(block.number)
        if [deck.number for deck in block.decks] != list(expected):
            raise StoreFailed(
                f"block {block.number} does not hold decks {expected.start} to {expected.stop - 1}"
            )
