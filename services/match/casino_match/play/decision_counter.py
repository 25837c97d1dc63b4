"""Count how the players decide in a block, by the names of their positions."""

from dataclasses import dataclass, field, fields

from casino_contracts import Defaulted, Outcome
from casino_contracts.events.payload_fields import PostedBet
from casino_contracts.play_counts import (
    Move,
    PlayCounts,
    PlayedHand,
    count_hand,
    kept_reason,
    positions,
)
from casino_games.holdem import Hand
from casino_games.holdem.betting import Action, ForcedBet
from casino_games.holdem.events import ROUNDS

from casino_match.domain.block import DecisionCounts
from casino_match.domain.plan import Plan, Seating
from casino_match.players.match_player import Decided

_COUNTS = tuple(counter.name for counter in fields(PlayCounts))


@dataclass(slots=True)
class _Betting:
    """The betting of equal hands: who did what, and how often it was played in each seating."""

    actions: list[Action]
    forced: list[ForcedBet]
    times: dict[int, int] = field(default_factory=dict)
    """By the index of the seating."""


class DecisionCounter:
    """The conduct of all players in a block; equal bettings are counted once but for winners."""

    def __init__(self, plan: Plan, seatings: tuple[Seating, ...]) -> None:
        self._plan = plan
        self._seatings = seatings
        self._positions = positions(len(plan.players))
        self._conduct = tuple(DecisionCounts() for _ in plan.players)
        self._bettings: dict[str, _Betting] = {}

    def decided(self, player: int, decided: Decided) -> None:
        conduct = self._conduct[player]
        outcomes = conduct.outcomes
        outcome = decided.outcome
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        conduct.latency.add(decided.latency_ms)
        if decided.usage is not None:
            conduct.reported.costs.add(decided.usage)
        if decided.defaulted is not None:
            _count_default(conduct, decided.outcome, decided.defaulted)

    def decides_with(self, player: int, model: str) -> None:
        """Note the language model that a player's signup names."""
        self._conduct[player].reported.models.append(model)

    def signed_with(self, player: int, signer: str) -> None:
        """Note the thumbprint of the key that signed the card of a player's agent."""
        self._conduct[player].reported.signers.append(signer)

    def played(self, hand: Hand, seating: int, actions: str) -> None:
        betting = self._bettings.get(actions)
        if betting is None:
            betting = self._bettings[actions] = _Betting(hand.actions, hand.forced_bets)
        betting.times[seating] = betting.times.get(seating, 0) + 1
        stack, street = self._plan.rules.stack, ROUNDS[hand.betting_ended_on]
        is_showdown = bool(hand.live & (hand.live - 1))
        winners = _winners(hand) if is_showdown else ()
        for seat, player in enumerate(self._seatings[seating]):
            conduct, position = self._conduct[player], self._positions[seat]
            net = hand.stacks[seat] - stack
            conduct.net[position] = conduct.net.get(position, 0) + net
            conduct.hands[position] = conduct.hands.get(position, 0) + 1
            conduct.ended_on[street] = conduct.ended_on.get(street, 0) + net
            if seat in winners:
                self._counts(player, position).showdowns_won += 1

    def finish(self) -> tuple[DecisionCounts, ...]:
        for betting in self._bettings.values():
            counts = self._counted(betting)
            for seating, times in betting.times.items():
                for seat, player in enumerate(self._seatings[seating]):
                    add_counts(self._counts(player, self._positions[seat]), counts[seat], times)
        self._bettings = {}
        return self._conduct

    def _counts(self, player: int, position: str) -> PlayCounts:
        play = self._conduct[player].play
        if position not in play:
            play[position] = PlayCounts()
        return play[position]

    def _counted(self, betting: _Betting) -> list[PlayCounts]:
        """Return the counts of each seat, without won showdowns."""
        ids = [str(seat) for seat in range(len(self._positions))]
        rules = self._plan.rules
        hand = PlayedHand(
            stacks={player_id: float(rules.stack) for player_id in ids},
            posted=tuple(
                PostedBet(player_id=ids[seat], kind=kind.replace("_", "-"), amount=paid)
                for seat, kind, paid in betting.forced
            ),
            big_blind=rules.big_blind,
            decisions=[
                (ids[seat], _move(street, kind), stack, None, None)
                for seat, street, kind, _, _, stack, _ in betting.actions
            ],
        )
        counts = {player_id: PlayCounts() for player_id in ids}
        count_hand(hand, (), counts)
        return list(counts.values())


def _count_default(conduct: DecisionCounts, outcome: Outcome, why: Defaulted) -> None:
    reason = why.reason
    if outcome == "defaulted":
        reason = kept_reason(reason, conduct.defaulted)
        conduct.defaulted[reason] = conduct.defaulted.get(reason, 0) + 1
    if why.detail:
        conduct.reported.details[reason] = why.detail


def _move(street: int, kind: str) -> Move:
    return street, "raise" if kind == "bet" else kind  # type: ignore[return-value]


def _winners(hand: Hand) -> set[int]:
    return {payment.seat for pot in hand.awards for payment in pot.winners}


def add_counts(total: PlayCounts, counts: PlayCounts, times: int = 1) -> None:
    for name in _COUNTS:
        if count := getattr(counts, name):
            setattr(total, name, getattr(total, name) + times * count)
