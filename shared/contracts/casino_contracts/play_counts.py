"""How a player plays Hold'em, counted hand by hand; definitions of PokerTracker. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Final, Literal, get_args

from casino_contracts.events.content import (
    OTHER_REASON,
    ActionTaken,
    HandCompleted,
    HandStarted,
)
from casino_contracts.events.payload_fields import DisclosedDecision, Outcome, PostedBet
from casino_contracts.numbers import MAX_SAFE

MOST_DECISIONS: Final = 1_000
"""Further decisions of a hand are not counted; only a third-party table can exceed it."""

NOT_ASKED = frozenset({"sitting_out", "away"})
"""Outcomes of a decision that nobody made: nobody was asked, or nobody was there."""

DEFAULTED: frozenset[Outcome | None] = frozenset({"away", "defaulted"})
"""Outcomes of a decision in which the player's program answered in its place."""
_ABSENT: frozenset[str | None] = NOT_ASKED | DEFAULTED
REASONS_KEPT: Final = 12
"""Reasons of a player's defaults that are counted apart: programs may send any words."""

_LATE: Final = ("CO", "HJ")
_HEADS_UP: Final = 2


def kept_reason(reason: str, counted: Collection[str]) -> str:
    """Return the reason as which a default is counted: `other` once there are many reasons."""
    return reason if reason in counted or len(counted) < REASONS_KEPT else OTHER_REASON


def positions_between(players: int) -> tuple[str, ...]:
    """Return the positions of so many players between the blinds and the button.

    >>> positions_between(1), positions_between(2), positions_between(4)
    (('CO',), ('UTG', 'CO'), ('UTG', 'UTG+1', 'HJ', 'CO'))
    """
    late = _LATE[: max(1, players - 1)][:players]
    early = ("UTG" if place == 0 else f"UTG+{place}" for place in range(players - len(late)))
    return (*early, *reversed(late))


@cache
def positions(players: int, *, has_small_blind: bool = True) -> tuple[str, ...]:
    """Return the position of each player of a hand; the first is the first left of the button.

    >>> positions(2), positions(3), positions(6)
    (('BB', 'BTN'), ('SB', 'BB', 'BTN'), ('SB', 'BB', 'UTG', 'HJ', 'CO', 'BTN'))
    >>> positions(4, has_small_blind=False)
    ('BB', 'UTG', 'CO', 'BTN')
    """
    blinds = ("SB", "BB") if has_small_blind and players > _HEADS_UP else ("BB",)
    return (*blinds, *positions_between(players - len(blinds) - 1), "BTN")


MoveKind = Literal["fold", "check", "call", "raise", "all-in"]
"""A bet is a raise of nothing; whether an all-in is a call or a raise depends on the chips."""
Move = tuple[int, MoveKind]  # the betting round, 0 before the flop, and what was done

Decision = tuple[str, Move | None, float | None, int | None, Outcome | None]
"""Player, move in Hold'em, stack after it, time in ms, outcome: None where it cannot be read.

A plain tuple, since a lobby makes one for every action.
"""

_KINDS: dict[str, MoveKind] = {
    "fold": "fold",
    "check": "check",
    "call": "call",
    "bet": "raise",
    "raise": "raise",
    "all-in": "all-in",
}
_MOVES: dict[tuple[object, object], Move] = {
    (betting_round, action): (number, kind)
    for number, betting_round in enumerate(("preflop", "flop", "turn", "river"))
    for action, kind in _KINDS.items()
}
OUTCOMES: dict[str | None, Outcome] = {outcome: outcome for outcome in get_args(Outcome)}


@dataclass
class PlayedHand:
    """A hand from its `hand_started` on."""

    stacks: dict[str, float] = field(default_factory=dict)  # before the forced bets, by player
    posted: tuple[PostedBet, ...] = ()
    big_blind: float | None = None
    """None in games without blinds: there only outcomes and times are counted."""
    decisions: list[Decision] = field(default_factory=list)
    defaults: dict[int, str] = field(default_factory=dict)
    """Why a player's program answered in its place, by the number of the decision from 1."""

    @classmethod
    def begin(cls, content: HandStarted, big_blind: float | None) -> "PlayedHand":
        """Return a hand that begins; `big_blind` is that of hands that state none, if any."""
        stacks = {seat.player_id: seat.stack for seat in content.players if seat.stack}
        if big_blind is None:
            return cls(stacks)
        return cls(stacks, content.posted, content.big_blind or big_blind)

    def decide(self, content: ActionTaken) -> None:
        if len(self.decisions) > MOST_DECISIONS:
            return
        fields = content.fields
        try:
            move = _MOVES.get((fields.get("bettingRound"), fields.get("action")))
        except TypeError:  # a list or an object
            move = None
        latency_ms = fields.get("latencyMs")
        if type(latency_ms) is not int or not 0 <= latency_ms <= MAX_SAFE:
            latency_ms = content.latency_ms
        outcome = OUTCOMES.get(content.outcome)
        self.decisions.append((content.player_id, move, content.stack, latency_ms, outcome))
        if outcome in DEFAULTED:
            self.defaults[len(self.decisions)] = content.default_reason or OTHER_REASON

    def disclosed(self, content: HandCompleted) -> Iterator[DisclosedDecision]:
        """Yield what the hand's end discloses of its decisions, of each once.

        A table may report anything: entries of other decisions or players are left out.
        """
        seen = set[int]()
        for entry in content.disclosed:
            number = entry.decision
            if number in seen or number > len(self.decisions):
                continue
            if self.decisions[number - 1][0] == entry.player_id:
                seen.add(number)
                yield entry


_PREFLOP, _FLOP = 0, 1
_CHIPS_DECIMALS = 6


@dataclass
class PlayCounts:
    """What a player did in a number of hands, and in how many of them it was possible."""

    vpip: int = 0  # hands in which the player put chips into the pot before the flop, blinds aside
    vpip_of: int = 0  # hands, without those in which everybody folded to the player's big blind
    pfr: int = 0  # hands in which the player raised before the flop
    pfr_of: int = 0  # hands in which the player could do so
    three_bet: int = 0
    """Hands in which the player raised the first raise, of another player, before the flop."""
    three_bet_of: int = 0  # hands in which the player could do so
    c_bet: int = 0
    """Hands in which the player, the last to raise before the flop, was the first to bet on it."""
    c_bet_of: int = 0  # hands in which the player could do so
    aggressive: int = 0  # bets and raises after the flop was dealt
    calls: int = 0  # calls after the flop was dealt
    saw_flop: int = 0  # hands in which the player had not folded when the flop was dealt
    showdowns: int = 0  # hands in which neither the player nor all others folded
    showdowns_won: int = 0  # showdowns at which the player won a pot or a share of it

    def include(self, counts: "PlayCounts") -> None:
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + getattr(counts, name))


_COUNTED = tuple(count.name for count in fields(PlayCounts))


def count_hand(
    hand: PlayedHand,
    winners: Collection[str],
    counts: Mapping[str, PlayCounts],
    *,
    has_flop: bool = False,
) -> None:
    """Add a completed hand to the counts of its players; those without counts are left out.

    `winners` won chips of a pot. `has_flop` tells that a flop was dealt, which follows from the
    decisions too unless everybody was all-in before it. A hand that cannot be followed is not
    counted: it has no blinds, or a decision without a round, action or stack, or one of somebody
    who was not in it. A player does not count in a hand at whose first decision it sat out, or a
    default answered.
    """
    course = _Course(hand)
    if hand.big_blind is not None and len(hand.decisions) <= MOST_DECISIONS and course.follow():
        course.count(winners, counts, has_flop=has_flop)


class _Course:
    """The course of a hand, and who did or could do what in it, by player id."""

    def __init__(self, hand: PlayedHand) -> None:
        self.hand = hand
        self.left = dict(hand.stacks)
        self.bets = dict.fromkeys(hand.stacks, 0.0)  # in this betting round
        self.high = hand.big_blind or 0
        self.big_blind_player = ""
        self.round = _PREFLOP
        self.check: Move | None = None  # to check in this betting round, after the flop
        self.raises = 0  # in this betting round; the blinds are none
        self.raiser = ""  # the last to raise before the flop
        self.in_hand = set(hand.stacks)
        self.at_flop: set[str] | None = None
        self.deciders: set[str] = set()
        self.absent: set[str] = set()
        self.vpip: set[str] = set()
        self.pfr: set[str] = set()
        self.pfr_of: set[str] = set()
        self.three_bet: set[str] = set()
        self.three_bet_of: set[str] = set()
        self.c_bet = self.c_bet_of = ""
        self.aggressive: list[str] = []
        self.calls: list[str] = []

    def follow(self) -> bool:
        """Go through the decisions; returns False if it is not clear what happened."""
        self._post()
        left, deciders = self.left, self.deciders
        for player_id, move, stack, _, outcome in self.hand.decisions:
            if move == self.check and player_id in deciders and player_id != self.raiser:
                continue  # most decisions after the flop, and nothing to note
            if move is None or stack is None or stack > left.get(player_id, -1):
                return False
            if move[0] != self.round and not self._begin_round(move[0]):
                return False
            if outcome in _ABSENT and player_id not in deciders:
                self.absent.add(player_id)
            deciders.add(player_id)
            self._apply(player_id, move[1], stack)
        return True

    def _apply(self, player_id: str, kind: MoveKind, stack: float) -> None:
        if stack != self.left[player_id]:
            kind = self._pay(player_id, kind, stack)
        if self.round == _PREFLOP:
            self._note_before_flop(player_id, kind)
        else:
            self._note_after_flop(player_id, kind)
        if kind == "raise":
            self.raises += 1
        elif kind == "fold":
            self.in_hand.discard(player_id)

    def _post(self) -> None:
        for posted in self.hand.posted:
            player_id, amount = posted.player_id, posted.amount
            if player_id not in self.left or amount is None:
                continue
            self.left[player_id] = max(0, self.left[player_id] - amount)
            if posted.is_bet:
                self.bets[player_id] += amount
            if posted.kind == "big-blind":
                self.big_blind_player = player_id

    def _begin_round(self, number: int) -> bool:
        if number < self.round:
            return False
        if self.round == _PREFLOP:
            self.at_flop = set(self.in_hand)
        self.round, self.raises, self.high = number, 0, 0
        self.check = (number, "check")
        self.bets = dict.fromkeys(self.bets, 0.0)
        return True

    def _pay(self, player_id: str, kind: MoveKind, stack: float) -> MoveKind:
        """Put chips into the pot; returns whether that is a call or a raise."""
        bet = round(self.bets[player_id] + self.left[player_id] - stack, _CHIPS_DECIMALS)
        self.left[player_id], self.bets[player_id] = stack, bet
        if bet > self.high:
            self.high = bet
            return "raise" if kind == "all-in" else kind
        return "call" if kind == "all-in" else kind

    def _note_before_flop(self, player_id: str, kind: MoveKind) -> None:
        is_raise = kind == "raise"
        if is_raise or kind == "call":
            self.vpip.add(player_id)
        if player_id in self.pfr_of and self.raises != 1 and not is_raise:
            return
        if is_raise or self._could_raise(player_id):
            self.pfr_of.add(player_id)
            if is_raise:
                self.pfr.add(player_id)
            if self.raises == 1 and self.raiser != player_id:
                self.three_bet_of.add(player_id)
                if is_raise:
                    self.three_bet.add(player_id)
        if is_raise:
            self.raiser = player_id

    def _note_after_flop(self, player_id: str, kind: MoveKind) -> None:
        if kind == "raise":
            self.aggressive.append(player_id)
        elif kind == "call":
            self.calls.append(player_id)
        if player_id != self.raiser or self.raises or self.round != _FLOP or self.c_bet_of:
            return
        if kind == "raise" or self._could_raise(player_id):
            self.c_bet_of = player_id
            self.c_bet = player_id if kind == "raise" else ""

    def _could_raise(self, player_id: str) -> bool:
        """Return whether the player has more than the call, and somebody else chips to answer."""
        left = self.left
        if left[player_id] <= self.high - self.bets[player_id]:
            return False
        return any(left[other] > 0 for other in self.in_hand if other != player_id)

    def count(
        self, winners: Collection[str], counts: Mapping[str, PlayCounts], *, has_flop: bool
    ) -> None:
        is_showdown = len(self.in_hand) > 1
        if self.at_flop is None and (has_flop or is_showdown):
            self.at_flop = self.in_hand
        at_flop = self.at_flop or ()
        is_walk = self.in_hand == {self.big_blind_player} and not self.in_hand & self.deciders
        for player_id, total in counts.items():
            if player_id not in self.left or player_id in self.absent:
                continue
            is_in = player_id in self.in_hand
            total.vpip_of += not (is_walk and is_in)
            total.vpip += player_id in self.vpip
            total.pfr_of += player_id in self.pfr_of
            total.pfr += player_id in self.pfr
            total.three_bet_of += player_id in self.three_bet_of
            total.three_bet += player_id in self.three_bet
            total.c_bet_of += player_id == self.c_bet_of
            total.c_bet += player_id == self.c_bet
            total.aggressive += self.aggressive.count(player_id)
            total.calls += self.calls.count(player_id)
            total.saw_flop += player_id in at_flop
            if is_showdown and is_in:
                total.showdowns += 1
                total.showdowns_won += player_id in winners
