"""One seat: a question of the table on one side, answers from outside on the other."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from casino_agentkit import CommandRefused
from casino_agentkit.bounded_state import LruDict
from casino_contracts import (
    ContributeInput,
    ContributeOutput,
    Defaulted,
    GameActionRequest,
    GameActionResponse,
    HandNotice,
    OwnHandRecord,
    TableEvent,
)
from casino_gamespec import default_action
from casino_seats.errors import RefusedAction
from casino_seats.offered_action import default_meant
from casino_seats.turns import AWAY, Answer, Pending, Question, Turns

from casino_gateway.domain.match import Match
from casino_gateway.domain.updates import (
    Answered,
    Asked,
    Dealt,
    Expired,
    HandOver,
    RoomEvent,
    SeatClosed,
    SeatEnd,
    SeatIdentity,
    Update,
)
from casino_gateway.domain.view import SeatView
from casino_gateway.errors import StoreFailed
from casino_gateway.seats.room_feed import RoomFeed
from casino_gateway.seats.seat_contribution import SeatContribution
from casino_gateway.seats.seat_parts import (
    ABSENT_HANDS,
    Listeners,
    Presence,
    SeatListener,
    SeatParts,
)

Json = dict[str, Any]

_RECORDS_KEPT = 50
_LEFT = "left"


class LiveSeat:
    """A seat in memory. The table calls `ask`, the protocols call all else.

    Each question has one outcome: the first valid answer from outside, its time's end, or, when
    nobody is there, the default action at once.
    """

    def __init__(self, identity: SeatIdentity, room: RoomFeed, parts: SeatParts) -> None:
        self.identity = identity
        self.closed: SeatEnd | None = None
        """Set once the seat is given back."""
        self.leaves_as = _LEFT
        """How it ends if it is given back: `away`, where nobody was there."""
        self.spec_version: str | None = None
        """Version of the specification of the table's newest message."""
        self.records = LruDict[int, OwnHandRecord](_RECORDS_KEPT)
        """The seat's own part of its newest hands, by number."""
        self._room = room
        self._parts = parts
        self._turns = Turns(parts.reserve_s)
        self._view = SeatView(room.match)
        self._pending: Pending | None = None
        self._listeners = Listeners()
        self.contribution = SeatContribution(identity.kind, parts.clock, self._listeners.tell)
        lasts_s = parts.model_presence_s if identity.is_of_model else parts.presence_s
        self._presence = Presence(parts.clock, parts.metrics, lasts_s, self._lost)
        self._was_away = False
        """Whether the newest question was answered because nobody was there."""
        self._absent_hands = 0
        self._leaving: str | None = None
        self._answering: asyncio.Task[Answer] | None = None  # held, so that it is not collected
        room.members[identity.player_id] = self

    def restore(self, numbers: Mapping[str, int], answers: Mapping[str, Answer]) -> None:
        """Restore turns and answers of before a restart, oldest first."""
        self._turns.restore(numbers, answers)

    @property
    def match(self) -> Match:
        return self._room.match

    @property
    def question(self) -> Question | None:
        return self._turns.question

    @property
    def view(self) -> Json | None:
        return self._view.state(self.question)

    @property
    def hand_number(self) -> int | None:
        return self._view.hand_number

    @property
    def result(self) -> Json | None:
        return self._view.result

    @property
    def turn(self) -> int:
        """The open question's turn, else the number of the match's next decision; never falls."""
        return self._turns.number(self._room.decisions)

    @property
    def is_present(self) -> bool:
        """Whether somebody is connected, or was heard within the presence time."""
        return self._presence.is_there

    @property
    def connections(self) -> int:
        return self._presence.connections

    @property
    def is_sitting_out(self) -> bool:
        """Whether the seat is played by default: by its own wish, or by the table's count."""
        player = self.match.seats.get(self.identity.player_id)
        return self._presence.sits_out or (player is not None and player.sits_out)

    @property
    def is_asleep(self) -> bool:
        """Whether the table need not bring the seat back: it is absent, and nobody decides.

        Its own answer says so before the table's event arrives that it sits out.
        """
        return (self._was_away or self.is_sitting_out) and not self._presence.decides

    def touch(self) -> None:
        self._presence.touch()

    def connected(self) -> AbstractContextManager[None]:
        return self._presence.connected()

    def sit_out(self) -> None:
        """Answer questions by default at once until `touch`, though the owner is connected."""
        self._presence.sits_out = True
        self._answer_away()

    async def act(
        self,
        action: Mapping[str, Any],
        *,
        turn: int | None = None,
        message: str | None = None,
        defaulted: Defaulted | None = None,
    ) -> Answer:
        """Answer the open question; the answer is stored before it is returned.

        `action` has the fields of an offer (see `offered_action`), or names the default action,
        which is then performed as `defaulted`; with `turn`, the question must be that turn's.
        Raises ActionRefused, after which the question is still open; StoreFailed.
        """
        now = self._parts.clock.now()
        if self._pending is not None and self.question is not None:
            named = self._parts.default_of(*self._pending.spec)
            default = default_meant(action, self.question.offers, named)
            if default is not None:
                action, defaulted = default, defaulted or Defaulted(reason="default_action")
        question, answer = self._turns.take(
            action,
            turn=turn,
            message=message,
            defaulted=defaulted,
            now=now,
            decisions=self._room.decisions,
        )
        # A caller that is cancelled meanwhile has answered all the same.
        self._answering = asyncio.create_task(self._answer(question, answer))
        return await asyncio.shield(self._answering)

    @contextmanager
    def listen(self, after: int | None = None) -> Iterator[AsyncIterator[Update]]:
        """Return the seat's updates from now on, first what is asked now.

        With `after`, the room's events after that sequence of the current epoch come first, without
        a gap. The iterator ends after SeatClosed; it raises ListenerLagged for a slow listener,
        LobbyAway if older events cannot be read.
        """
        asked = [self.contribution.asked] if self.contribution.asked is not None else []
        request = [Asked(self.question)] if self.question is not None else []
        closed = [SeatClosed(self.closed.reason)] if self.closed is not None else []
        events, older = ([], None) if after is None else self._room.backlog(after)
        listener = SeatListener([*map(RoomEvent, events), *asked, *request, *closed], older)
        self._listeners.add(listener)
        try:
            yield listener.updates()
        finally:
            self._listeners.remove(listener)

    async def ask(self, request: GameActionRequest) -> GameActionResponse:
        """Return the answer from outside. Raises CommandRefused once the table no longer waits."""
        if self._waiting(request.request_id) is None:
            stored = self._turns.answer(request.request_id)
            if stored is not None:
                return stored.response()
            await self._reserve_turn(request.request_id)
        pending = self._waiting(request.request_id) or self._open(request)
        answer = await asyncio.shield(pending.answer)
        if answer is None:
            raise CommandRefused(RefusedAction.STALE_TURN, "The question's time is over.")
        return answer.response()

    async def contribute(self, request: ContributeInput) -> ContributeOutput:
        """Return the seat's part in the deal of a block; empty where it takes none."""
        return await self.contribution.answer(request, is_there=self.is_present)

    # What the table and the room tell.

    def notify(self, notice: HandNotice) -> None:
        hand_id, number = notice.hand_id, notice.hand_number
        self.spec_version = notice.spec_version
        if notice.kind == "dealt":
            state = notice.state or {}
            if self._view.deal(number, state):
                self._listeners.tell(Dealt(hand_id, number, state))
        elif self._view.complete(number, notice.result or {}):
            if notice.record is not None:
                self.records.put(number, notice.record)
            self._listeners.tell(HandOver(hand_id, number, notice.result or {}, notice.record))
            if self._leaving is not None:
                self.close(self._leaving)

    def on_event(self, event: TableEvent) -> None:
        self._view.note(event)
        self._listeners.tell(RoomEvent(event))
        if not self._presence.is_lost or self.identity.kind != "human":
            self._absent_hands = 0
        elif event.event_type == "hand_completed":
            self._absent_hands += 1
            if self._absent_hands % ABSENT_HANDS == 0:
                self._parts.on_absent(self)

    def gone(self, reason: str) -> None:
        """Close the seat, once the result of its last hand has come, or soon."""
        reason = self.leaves_as if reason == _LEFT else reason
        if not self._view.awaits_result:
            self.close(reason)
        elif self._leaving is None and self.closed is None:
            self._leaving = reason
            self._parts.clock.at(self._parts.last_result_at, lambda: self.close(reason))

    def close(self, reason: str) -> None:
        """Give the seat back: an open question is over, listeners end."""
        if self.closed is None:
            self.end(SeatEnd(reason, self._parts.wall()))
            self._parts.on_close(self)

    def end(self, end: SeatEnd) -> None:
        """Set how the seat ended; nobody else is called."""
        self.closed = end
        self._presence.forget()
        if self._pending is not None:
            self._give_up(self._pending)
        self._listeners.tell(SeatClosed(end.reason))
        if self._room.members.get(self.identity.player_id) is self:
            del self._room.members[self.identity.player_id]

    def _waiting(self, request_id: str) -> Pending | None:
        pending = self._pending
        return pending if pending is not None and pending.request_id == request_id else None

    async def _reserve_turn(self, request_id: str) -> None:
        """Store a question's turn before anybody hears of it, so that it lasts over a restart."""
        if self._presence.decides:
            turn = self._turns.reserve(request_id, self._room.decisions)
            with suppress(StoreFailed):  # the question is more important than its number
                await self._parts.store.opened(self.identity.seat_id, request_id, turn)

    def _open(self, request: GameActionRequest) -> Pending:
        if self._pending is not None:
            self._give_up(self._pending)
        clock = self._parts.clock
        question = self._turns.open(request, clock.now(), self._room.decisions)
        self._room.newest_turn = max(self._room.newest_turn, question.turn)
        self._view.ask(question)
        self.match.note_question(self._parts.wall())
        self.spec_version = question.spec_version
        self._pending = pending = Pending(question, (request.game_type, request.spec_version))
        if not self._presence.decides or self.closed is not None:
            self._answer_by_default(pending, AWAY if self.closed is None else "closing")
            return pending
        pending.wait(clock, self._parts.metrics.open_questions, self._expire, self._give_up)
        if self._view.is_before_result(question):
            self._listeners.hold(Asked(question), clock)
        else:
            self._listeners.tell(Asked(question))
        return pending

    def _lost(self) -> None:
        """Let nobody wait for a person whose connection was lost; a program has its clock."""
        if self.identity.kind == "human":
            self._answer_away()

    def _answer_away(self) -> None:
        if self.question is not None and self._pending is not None:
            self._answer_by_default(self._pending, AWAY)

    def _answer_by_default(self, pending: Pending, reason: str) -> None:
        default = default_action(pending.question.offers, self._parts.default_of(*pending.spec))
        if (taken := self._turns.take_default(default, reason)) is not None:
            self._settle(*taken)

    async def _answer(self, question: Question, answer: Answer) -> Answer:
        try:
            await self._parts.store.answered(self.identity.seat_id, answer)
        except StoreFailed:
            self._turns.reopen(question)
            if self._pending is not None and self._parts.clock.now() >= question.ends_at:
                self._expire(self._pending)
            raise
        self._settle(question, answer)
        return answer

    def _settle(self, question: Question, answer: Answer) -> None:
        pending = self._waiting(answer.request_id)
        if pending is not None:
            pending.settle(answer)
            self._pending = None
        self._was_away = answer.defaulted is not None and answer.defaulted.reason == AWAY
        now = self._parts.clock.now()
        self._parts.metrics.settled(now - question.asked_at, answer.defaulted)
        self._listeners.tell(Answered(question, answer.action))

    def _expire(self, pending: Pending) -> None:
        """Take no answer any more; the table decides by its own clock."""
        if (question := self._turns.close(pending.request_id)) is not None:
            self._parts.metrics.outcomes["expired"].inc()
            self._listeners.tell(Expired(question))

    def _give_up(self, pending: Pending) -> None:
        self._expire(pending)
        if self._pending is pending:
            self._pending = None
        pending.settle(None)
