"""Faults of players: outcomes of their decisions, and why the newest ones failed. Pure.

A reason may quote an answer, and so hole cards: it is never part of an event's public form.
"""

from dataclasses import dataclass, field
from typing import get_args

from casino_agentkit.accepted_json import shown
from casino_contracts import FAULT_REASON_LIMIT, Outcome, PlayerFault, PlayerFaults
from casino_contracts.events.content import ActionTaken, PlayerRegistered

from casino_lobby.domain.reported_event import ReportedEvent

FAULTS_KEPT = 20
"""Maximum number of faults of a player."""
PLAYERS_KEPT = 32
"""Maximum number of players of a room, those who left included: the last to decide."""

_OUTCOMES: dict[str, Outcome] = {outcome: outcome for outcome in get_args(Outcome)}
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
        outcome = _OUTCOMES.get(content.outcome or "")
        if outcome is None:
            return
        decisions = self.players.pop(content.player_id, None) or Decisions()
        self._add(content.player_id, decisions)  # again, as the newest
        decisions.outcomes[outcome] = decisions.outcomes.get(outcome, 0) + 1
        if outcome in {"ok", "away"}:  # nobody was there: no fault of the agent
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
        latency_ms=None if outcome == "sitting_out" else content.latency_ms,
        timestamp=shown(event.timestamp, _TIMESTAMP_LIMIT),
        reason=shown(content.reason or "", FAULT_REASON_LIMIT) or None,
    )
