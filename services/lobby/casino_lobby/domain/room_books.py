"""What a room keeps account of, folds of its events: chips, decisions, signed sessions. Pure.

The ledger is double-entry; its cashier account stands for everything outside the room. Differences
in a table's accounting are posted to `discrepancy`, so that the entries of every event sum to zero
and no error is hidden. The reason of a fault may quote an answer, and so hole cards: it is never
part of an event's public form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from casino_agentkit.accepted_json import shown
from casino_contracts import FAULT_REASON_LIMIT, Outcome, PlayerFault, PlayerFaults, Unit
from casino_contracts.events.content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    PlayerRegistered,
    StatusChanged,
)
from casino_contracts.numbers import MAX_SAFE
from casino_contracts.play_counts import OUTCOMES
from casino_histories.signed_result import SessionTally

from casino_lobby.domain.reported_event import ReportedEvent

CASHIER = "cashier"
DISCREPANCY = "discrepancy"
BANK = "house"
PLAYER = "player:"

Kind = Literal["buy_in", "rebuy", "result", "cash_out"]


class LedgerEntry(NamedTuple):
    """The change of one account by one event."""

    account: str
    kind: Kind
    chips: int


@dataclass
class Ledger:
    """Balances of a room's accounts; a player's balance is its stack after each hand.

    >>> Ledger({"player:p1": 200, "cashier": -200}).balances
    {'player:p1': 200, 'cashier': -200}
    """

    balances: dict[str, int] = field(default_factory=dict)
    """Non-zero balances by account, in chips; they sum to 0."""

    def book(self, content: EventContent | None, unit: Unit) -> list[LedgerEntry]:
        """Book what an event says and return the entries, which sum to 0.

        None if it moves no chips; fields that cannot be read are not booked.
        """
        match content:
            case PlayerRegistered(seat=seat):
                return self._buy("buy_in", seat.player_id, seat.stack, unit)
            case HandCompleted():
                return self._settle(content, unit)
            case StatusChanged(kind="closed"):
                return self._close()
            case StatusChanged(kind="rebought" | "cashed_out" as kind, player_id=str(player_id)):
                return (
                    self._buy("rebuy", player_id, content.amount, unit)
                    if kind == "rebought"
                    else self._pay_out(player_id, content.amount, unit)
                )
            case StatusChanged(kind="left", player_id=str(player_id)):
                return self._leave(player_id, content.stack, unit)
        return []

    def _buy(
        self, kind: Kind, player_id: str, amount: float | None, unit: Unit
    ) -> list[LedgerEntry]:
        chips = chips_of(amount, unit)
        if not chips:
            return []
        return self._post(kind, {PLAYER + player_id: chips, CASHIER: -chips})

    def _pay_out(self, player_id: str, amount: float | None, unit: Unit) -> list[LedgerEntry]:
        chips = chips_of(amount, unit)
        if not chips:
            return []
        return self._post("cash_out", {PLAYER + player_id: -chips, CASHIER: chips})

    def _settle(self, content: HandCompleted, unit: Unit) -> list[LedgerEntry]:
        changes: dict[str, int] = {}
        for after in content.stacks:
            account, stack = PLAYER + after.player_id, chips_of(after.stack, unit)
            if stack is not None:
                changes[account] = stack - self.balances.get(account, 0)
        if content.house:
            won = chips_of(abs(content.house), unit)
            if won is not None:
                changes[BANK] = won if content.house > 0 else -won
        return self._post("result", changes)

    def _leave(self, player_id: str, amount: float | None, unit: Unit) -> list[LedgerEntry]:
        account, stack = PLAYER + player_id, chips_of(amount, unit)
        if stack is None:
            return []
        return self._post("cash_out", {account: -self.balances.get(account, 0), CASHIER: stack})

    def _close(self) -> list[LedgerEntry]:
        leaving = {
            account: -chips
            for account, chips in self.balances.items()
            if account.startswith(PLAYER)
        }
        return self._post("cash_out", {**leaving, CASHIER: -sum(leaving.values())})

    def _post(self, kind: Kind, changes: Mapping[str, int]) -> list[LedgerEntry]:
        entries = [LedgerEntry(account, kind, chips) for account, chips in changes.items() if chips]
        if missing := -sum(entry.chips for entry in entries):
            entries.append(LedgerEntry(DISCREPANCY, kind, missing))
        for entry in entries:
            balance = self.balances.get(entry.account, 0) + entry.chips
            if balance:
                self.balances[entry.account] = balance
            else:
                del self.balances[entry.account]
        return entries


def chips_of(amount: float | None, unit: Unit) -> int | None:
    if amount is None:
        return None
    try:
        chips = unit.chips(amount)
    except ValueError:
        return None
    return chips if 0 <= chips <= MAX_SAFE else None


def pot_of(amounts: Sequence[float | None], unit: Unit) -> int | None:
    pots = [chips_of(amount, unit) for amount in amounts]
    valid = [pot for pot in pots if pot is not None]
    total = sum(valid)
    return total if valid and len(valid) == len(pots) and total <= MAX_SAFE else None


FAULTS_KEPT = 20
"""Maximum number of faults of a player."""
PLAYERS_KEPT = 32
"""Maximum number of players of a room, those who left included: the last to decide."""

NO_FAULTS = frozenset({"ok", "away"})
"""Outcomes of decisions that are no fault of the agent: nobody was there, or it answered."""
_WORD_LIMIT = 40
_TIMESTAMP_LIMIT = 40


@dataclass
class Decisions:
    """Outcomes of one player's decisions, and the newest faults, the oldest first."""

    agent_card_url: str | None = None
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    faults: list[PlayerFault] = field(default_factory=list)


@dataclass
class FaultBook:
    """Decisions of a room's players by player id."""

    players: dict[str, Decisions] = field(default_factory=dict)

    def register(self, content: PlayerRegistered) -> None:
        """Forget the faults of another agent that had the player's id before."""
        player_id, card_url = content.seat.player_id, content.agent_card_url
        decisions = self.players.get(player_id)
        if decisions is None or decisions.agent_card_url != card_url:
            self.players.pop(player_id, None)
            self._add(player_id, Decisions(card_url))

    def note(self, event: ReportedEvent, content: ActionTaken, epoch: int) -> None:
        """Count a decision, and keep it if it is a fault; unknown outcomes change nothing."""
        outcome = OUTCOMES.get(content.outcome)
        if outcome is None:
            return
        decisions = self.players.pop(content.player_id, None) or Decisions()
        self._add(content.player_id, decisions)  # again, as the newest
        decisions.outcomes[outcome] = decisions.outcomes.get(outcome, 0) + 1
        if outcome in NO_FAULTS:
            return
        fault = _fault(event, content, outcome, epoch)
        newest = decisions.faults[-1] if decisions.faults else None
        if newest is not None and outcome == newest.outcome == "sitting_out":
            turns = newest.turns + 1
            decisions.faults[-1] = fault.model_copy(update={"turns": turns})
            return
        decisions.faults = [*decisions.faults[1 - FAULTS_KEPT :], fault]

    def counts(self, room_id: str, player_id: str) -> PlayerFaults:
        decisions = self.players.get(player_id) or Decisions()
        return PlayerFaults(room_id=room_id, player_id=player_id, outcomes=dict(decisions.outcomes))

    def newest(
        self, player_id: str, *, hidden_since: tuple[int, int] | None = None
    ) -> tuple[PlayerFault, ...]:
        """Return faults, newest first; those since the running hand began lack their reasons."""
        decisions = self.players.get(player_id) or Decisions()
        return tuple(
            fault
            if hidden_since is None or (fault.epoch, fault.sequence) < hidden_since
            else fault.model_copy(update={"reason": None})
            for fault in reversed(decisions.faults)
        )

    def _add(self, player_id: str, decisions: Decisions) -> None:
        self.players[player_id] = decisions
        if len(self.players) > PLAYERS_KEPT:
            del self.players[next(iter(self.players))]


def _fault(event: ReportedEvent, content: ActionTaken, outcome: Outcome, epoch: int) -> PlayerFault:
    return PlayerFault(
        hand_number=content.hand_number or None,
        epoch=epoch,
        sequence=event.sequence or 1,
        betting_round=shown(content.betting_round or "", _WORD_LIMIT) or None,
        action=shown(content.action or "", _WORD_LIMIT) or None,
        outcome=outcome,
        defaulted=content.default_reason,
        latency_ms=None if outcome == "sitting_out" else content.latency_ms,
        timestamp=shown(event.timestamp, _TIMESTAMP_LIMIT),
        reason=shown(content.reason or "", FAULT_REASON_LIMIT) or None,
    )


@dataclass
class SignedSessions:
    """The signed results of a room's sessions, and the events that the next one covers so far."""

    tally: SessionTally = field(default_factory=SessionTally)
    cursor: int = 0
    """Of the last event that was read."""
    results: list[dict[str, Any]] = field(default_factory=list)
    """As JSON, the newest first."""
