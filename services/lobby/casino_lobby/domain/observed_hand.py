"""A hand that is being played, as its public events report it, and the points for it. Pure.

| what | points |
| --- | --- |
| the pot | 1 for each big blind, at most 500; in games without blinds 1 for each percent that the largest winner added to its stack |
| players who were all-in and called | 40 for each, at most 4 |
| a bad beat: the best hand that was shown and won nothing | straight 60, flush 80, full house 120, four of a kind 200, straight flush 300 |
| a possible bluff: a bet of at least 10 big blinds and half the pot that nobody called | 30 |
| decisions that failed | 5 for each, at most 4 |
"""  # noqa: E501 - a table has its rows in lines

from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import isfinite
from typing import Self

from casino_contracts import HandKind
from casino_contracts.events import payload_fields as read
from casino_contracts.events.content import HandCompleted, HandStarted, stacks_of
from casino_contracts.play_counts import PlayedHand

from casino_lobby.domain.room_addresses import PlayerIds

MOST_SIZE = 500
BIG_POT = 100
"""In points for its size: 100 big blinds, or a stack that was doubled."""
_ALL_IN, _MOST_ALL_IN = 40, 4
_BLUFF, _BLUFF_BLINDS = 30, 10
_FAULT, _MOST_FAULTS = 5, 4
_BEATEN = {
    "straight": 60,
    "flush": 80,
    "full house": 120,
    "four of a kind": 200,
    "straight flush": 300,
    "royal flush": 300,
}


@dataclass(frozen=True)
class Highlight:
    """A completed hand's score, its kinds, and who was dealt in."""

    score: int
    kinds: tuple[HandKind, ...]
    players: tuple[str, ...]
    """Their ids, in the order in which the hand's start lists them."""


LOSSES_KEPT = 20
"""Maximum number of hands of a player."""
BEST_KEPT = 5


@dataclass
class NotedHands:
    """The hands of least value: value, epoch and number, the least first.

    A score or a win is noted as its negative, so that the greatest are kept.
    """

    hands: list[tuple[int | float, int, int]] = field(default_factory=list)

    def note(self, value: float, epoch: int, number: int | None, kept: int = BEST_KEPT) -> None:
        """Keep a hand of negative value if it is among the least; of equal ones the earlier."""
        if value < 0 and number is not None:
            insort(self.hands, (value, epoch, number))
            del self.hands[kept:]


HOUR_S = 3_600
RECENT_KEPT = 32
"""Maximum number of hands of an hour; falling scores are seldom more than ten."""


@dataclass
class RecentBest:
    """The hands of a room that no later one equals, and so the best one since any moment.

    Each with its time (seconds since 1970), score, epoch and number; the oldest has the most.
    """

    hands: list[tuple[float, int, int, int]] = field(default_factory=list)

    def note(self, timestamp: str, score: int, epoch: int, number: int | None) -> None:
        """Keep a hand, and forget those that are an hour older; a table may report any time."""
        at = _seconds(timestamp)
        if at is None or number is None or not score:
            return
        hands = [hand for hand in self.hands if hand[1] > score and hand[0] > at - HOUR_S]
        self.hands = [*hands[: RECENT_KEPT - 1], (at, score, epoch, number)]

    def since(self, start: float, until: float) -> tuple[int, int, int] | None:
        """Return score, epoch and number of the best hand of a time; None if there is none."""
        within = (hand[1:] for hand in self.hands if start < hand[0] <= until)
        return max(within, default=None)


def _seconds(timestamp: str) -> float | None:
    try:
        at = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return at.replace(tzinfo=at.tzinfo or UTC).timestamp()


_FAILED_TEXTS = ("timeout", "illegal", "malformed", "unreachable", "disconnected", "defaulted")
"""A tuple: what a payload has in their place may not be hashable."""


@dataclass
class ObservedHand:
    """What is known of a hand that may still be cancelled, from its `hand_started` on."""

    number: int | None = None
    big_blind: float = 0
    """As its start states it; 0 where it states none."""
    before: dict[str, int | float | None] = field(default_factory=dict)
    """What those who were dealt in had before the forced bets, and have bought since."""
    folded: PlayerIds = field(default_factory=set)
    all_in: PlayerIds = field(default_factory=set)
    faults: int = 0
    played: PlayedHand = field(default_factory=PlayedHand)

    @classmethod
    def begin(cls, content: HandStarted, big_blind: float | None = None) -> Self:
        """Return a hand that begins; `big_blind` is that of hands that state none, if any."""
        before = {seat.player_id: seat.stack for seat in content.players}
        played = PlayedHand.begin(content, big_blind)
        posted: dict[str, float] = {}
        for bet in content.posted:
            posted[bet.player_id] = posted.get(bet.player_id, 0) + (bet.amount or 0)
        all_in = {
            player_id
            for player_id, amount in posted.items()
            if 0 < played.stacks.get(player_id, 0) <= amount
        }
        number, stated = content.hand_number, content.big_blind or 0
        return cls(number, stated, before, all_in=all_in, played=played)

    def draft(self) -> Self:
        """Return a copy for events that are not committed yet: it does not take decisions."""
        return replace(self, folded=set(self.folded), all_in=set(self.all_in))

    def act(self, fields: Mapping[str, object]) -> None:
        """Apply the payload of an `action_taken`: few of them say something that counts."""
        is_fold = fields.get("action") == "fold"
        failed = fields.get("outcome") in _FAILED_TEXTS
        stack = fields.get("stack")
        is_all_in = stack == 0 and not isinstance(stack, bool) and not is_fold
        if not (is_fold or is_all_in or failed):
            return
        player_id, number = fields.get("playerId"), read.whole(fields.get("handNumber"))
        if not isinstance(player_id, str) or player_id not in self.before or number != self.number:
            return
        self.faults += failed
        if is_fold:
            self.folded.add(player_id)
        elif is_all_in:
            self.all_in.add(player_id)

    def highlight(self, content: HandCompleted) -> Highlight:
        """Return the score of a completed hand: of another one than this only its result counts.

        It is read without the models: this is done for each hand.
        """
        if content.hand_number != self.number:
            return ObservedHand(content.hand_number).highlight(content)
        after = stacks_of(content.stacks)
        players = tuple(self.before or after)
        is_called = len(players) - len(self.folded) > 1
        ranks = read.ranks(content.fields.get("shown"))
        beaten = [ranks[player_id].lower() for player_id in ranks.keys() - content.winners]
        uncalled = 0.0
        if self.big_blind:
            size = sum(filter(None, content.pot_amounts)) / self.big_blind
            if not (is_called or ranks):
                returned = read.mapping(content.fields.get("returned")) or {}
                uncalled = (read.amount(returned.get("amount")) or 0) / self.big_blind
        else:
            size = self._largest_win(after)
        points: dict[HandKind, int] = {
            "all-in": _ALL_IN * min(_MOST_ALL_IN, len(self.all_in)) if is_called else 0,
            "bad-beat": max([_BEATEN.get(rank, 0) for rank in beaten], default=0),
            "bluff": _BLUFF if uncalled >= max(_BLUFF_BLINDS, size / 2) else 0,
            "fault": _FAULT * min(_MOST_FAULTS, self.faults),
        }
        worth = int(min(MOST_SIZE, size)) if isfinite(size) else 0
        big_pot: tuple[HandKind, ...] = ("big-pot",) if worth >= BIG_POT else ()
        kinds = (*big_pot, *[kind for kind, value in points.items() if value])
        return Highlight(worth + sum(points.values()), kinds, players)

    def _largest_win(self, after: dict[str, float]) -> float:
        """Return what the largest winner added to its stack, in percent of it."""
        wins = (
            100 * (after.get(player_id, stack) - stack) / stack
            for player_id, stack in self.played.stacks.items()
        )
        return max(0, max(wins, default=0))
