"""What a player did in a completed hand, from the events of the hand and its record. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from casino_contracts import (
    AnsweredQuestion,
    Card,
    HandRecord,
    Outcome,
    OwnHand,
    OwnHandDetail,
    RecordedDecision,
    TableEvent,
)
from casino_contracts.events.content import (
    ActionTaken,
    HandCompleted,
    HandStarted,
    content_of,
    stacks_of,
)

from casino_lobby.domain.net_series import exact
from casino_lobby.service.own_hands.position import position_of

_NO_FAULTS = frozenset({"ok", "away"})
_WITH_AMOUNT = frozenset({"bet", "raise"})
_OUTCOMES: dict[str, Outcome] = {outcome: outcome for outcome in get_args(Outcome)}


@dataclass(frozen=True)
class Story:
    """A completed hand of one player, as the lobby's events tell it; never more than its own."""

    player_id: str
    number: int
    epoch: int
    started: HandStarted
    acted: tuple[ActionTaken, ...]
    """The player's own decisions."""
    event: TableEvent
    completed: HandCompleted

    @classmethod
    def of(
        cls, player_id: str, number: int, epoch: int, events: Sequence[TableEvent]
    ) -> "Story | None":
        """Return the story in a hand's events; None if the player was not dealt in."""
        contents = [(event, content_of(event)) for event in events]
        starts = [said for _, said in contents if isinstance(said, HandStarted)]
        ends = [(event, said) for event, said in contents if isinstance(said, HandCompleted)]
        if not ends:
            return None
        started = starts[0] if starts else HandStarted(None)
        event, completed = ends[-1]
        dealt = {seat.player_id for seat in started.players} | set(stacks_of(completed.stacks))
        if player_id not in dealt:
            return None
        acted = tuple(
            said
            for _, said in contents
            if isinstance(said, ActionTaken) and said.player_id == player_id
        )
        return cls(player_id, number, epoch, started, acted, event, completed)

    def hand(self, record: HandRecord | None) -> OwnHand:
        """Return the hand; `record` adds the player's cards."""
        slow = [said.latency_ms for said in self.acted if said.latency_ms is not None]
        return OwnHand(
            hand_number=self.number,
            epoch=self.epoch,
            timestamp=self.event.timestamp,
            message=self.event.message,
            position=position_of(self.started, self.player_id),
            net=self._net(),
            hole_cards=None if record is None else self._cards(record),
            community_cards=self.completed.community_cards,
            decisions=len(self.acted),
            faults=sum(said.outcome not in _NO_FAULTS for said in self.acted if said.outcome),
            slowest_ms=max(slow, default=None),
        )

    def detail(self, room_id: str, record: HandRecord | None, missing: str | None) -> OwnHandDetail:
        """Return the hand with its decisions; `missing` says why there is no record."""
        own = [] if record is None else self._decisions(record)
        # The record and the events are of the same decisions, unless the table is a foreign one.
        is_same = len(own) == len(self.acted)
        recorded = own if is_same else [None] * len(self.acted)
        state = None if record is None else record.private_states.get(self.player_id)
        return OwnHandDetail(
            room_id=room_id,
            player_id=self.player_id,
            hand=self.hand(record),
            decisions=tuple(map(_answered, self.acted, recorded)),
            private_state=state if isinstance(state, dict) else None,
            record_missing=missing,
        )

    def _net(self) -> float | None:
        scores = self.completed.scores
        if scores is not None and self.player_id in scores:
            return scores[self.player_id]
        before = stacks_of(self.started.players).get(self.player_id)
        after = stacks_of(self.completed.stacks).get(self.player_id)
        if before is None or after is None or self.completed.points:
            return None
        return exact(after - before)

    def _cards(self, record: HandRecord) -> tuple[Card, ...] | None:
        own = (held.cards for held in record.hole_cards if held.player_id == self.player_id)
        return next(own, None)

    def _decisions(self, record: HandRecord) -> list[RecordedDecision]:
        return [made for made in record.decisions if made.player_id == self.player_id]


def _answered(said: ActionTaken, recorded: RecordedDecision | None) -> AnsweredQuestion:
    return AnsweredQuestion(
        betting_round=said.betting_round,
        action=said.action,
        amount=said.amount,
        outcome=_OUTCOMES.get(said.outcome or ""),
        latency_ms=said.latency_ms,
        reason=said.reason,
        message=said.message,
        refused=recorded.refused if recorded else None,
        reasoning=recorded.reasoning if recorded else None,
        answer=_answer(said, recorded) if recorded else None,
        question=recorded.question if recorded else None,
    )


def _answer(said: ActionTaken, recorded: RecordedDecision) -> dict[str, Any]:
    """Return the action that counted as an answer to the question would state it."""
    if said.details is not None or said.action is None:
        return recorded.action
    has_amount = said.action in _WITH_AMOUNT and said.amount is not None
    return {"action": said.action, "amount": said.amount} if has_amount else {"action": said.action}
