"""The hands of a match as hand histories: played again from the actions of its blocks. Pure."""

from collections.abc import Iterator

from casino_histories import HandHistory

from casino_match.domain.block import Block
from casino_match.domain.plan import Plan
from casino_match.domain.seatings import seatings_of
from casino_match.export.from_hand import HandName, history_of
from casino_match.play.replayed import replay

_DIGEST = slice(len("sha256:"), len("sha256:") + 8)


class MatchHands:
    """Names and plays again the hands of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = [player.name for player in plan.players]
        self._seatings = seatings_of(len(self._names), plan.deal.seatings)
        self._id = f"{plan.name}-{plan.digest[_DIGEST]}"

    def of_block(self, block: Block) -> Iterator[HandHistory]:
        """Yield the hands of a block, deck by deck; raises StoreFailed as `hand`."""
        for deck in block.decks:
            for seating, actions in enumerate(deck.hands):
                yield self.hand(deck.number, seating, actions)

    def hand(self, deck: int, seating: int, actions: str) -> HandHistory:
        """Return a hand; raises StoreFailed if it cannot have been played so.

        Its number counts all hands of the plan, and its id is unique among plans.
        """
        rules, seats = self._plan.rules, self._seatings[seating]
        number = deck * len(self._seatings) + seating + 1
        return history_of(
            replay(self._plan, deck, seating, actions),
            HandName(
                f"{self._id}/{number}",
                self._plan.name,
                number,
                [self._names[player] for player in seats],
            ),
            [rules.stack] * len(seats),
            (rules.small_blind, rules.big_blind),
            rules.ante,
        )
