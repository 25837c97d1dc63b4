"""What a player did: its completed hands as it saw them, and its faults as far as a reader may."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from casino_agentkit import CommandRefused
from casino_contracts import (
    AnsweredQuestion,
    Card,
    DisclosedDecision,
    HandRecord,
    OwnHand,
    OwnHandDetail,
    OwnHandPage,
    PlayerFaults,
    Reason,
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
from casino_contracts.play_counts import OUTCOMES, positions_between

from casino_lobby.access.player_readers import FaultReader
from casino_lobby.domain.player_results import exact
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_books import NO_FAULTS
from casino_lobby.domain.room_views import standings_of
from casino_lobby.service.completed_hands import MOST_EVENTS, records_in_time
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import HandKey, Store, StoredHand

_BLINDS = {"small-blind": "SB", "big-blind": "BB"}

_WITH_AMOUNT = frozenset({"bet", "raise"})
SCANNED = 200
"""Maximum number of a room's hands that are read for one page."""
_CARDS_S = 3.0
"""How long a page waits for the records of all its hands."""


def position_of(hand: HandStarted, player_id: str) -> str | None:
    """Return BTN, SB, BB, CO, HJ, UTG, UTG+1, …; None where the event does not tell it.

    The player to the button's right is CO, and the next one HJ if somebody is before it. With two
    players the button posts the small blind, and is BTN. Where its seat is empty nobody is.
    """
    button = hand.button_seat
    numbers = {
        seat.player_id: seat.seat_number for seat in hand.players if seat.seat_number is not None
    }
    if hand.game_type is not None or button is None or player_id not in numbers:
        return None
    if numbers[player_id] == button:
        return "BTN"
    blinds = {bet.player_id: _BLINDS[bet.kind] for bet in hand.posted if bet.kind in _BLINDS}
    if player_id in blinds:
        return blinds[player_id]
    behind = sorted(numbers, key=lambda name: (numbers[name] <= button, numbers[name]))
    others = [name for name in behind if name not in blinds and numbers[name] != button]
    return positions_between(len(others))[others.index(player_id)]


@dataclass(frozen=True)
class Story:
    """A completed hand of one player, as the lobby's events tell it; never more than its own."""

    player_id: str
    number: int
    epoch: int
    started: HandStarted
    acted: tuple[ActionTaken, ...]
    disclosed: tuple[DisclosedDecision | None, ...]
    """What the end of the hand says of each of them."""
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
        numbered = enumerate((said for _, said in contents if isinstance(said, ActionTaken)), 1)
        acted = {place: said for place, said in numbered if said.player_id == player_id}
        own = {said.decision: said for said in completed.disclosed if said.player_id == player_id}
        disclosed = tuple(map(own.get, acted))
        return cls(
            player_id, number, epoch, started, tuple(acted.values()), disclosed, event, completed
        )

    def hand(self, record: HandRecord | None) -> OwnHand:
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
            faults=sum(said.outcome not in NO_FAULTS for said in self.acted if said.outcome),
            slowest_ms=max(slow, default=None),
        )

    def detail(self, room_id: str, record: HandRecord | None, missing: str | None) -> OwnHandDetail:
        """Return the hand with its decisions; `missing` says why there is no record."""
        made = () if record is None else record.decisions
        own = [decision for decision in made if decision.player_id == self.player_id]
        # The record and the events are of the same decisions, unless the table is a foreign one.
        is_same = len(own) == len(self.acted)
        recorded = own if is_same else [None] * len(self.acted)
        state = None if record is None else record.private_states.get(self.player_id)
        return OwnHandDetail(
            room_id=room_id,
            player_id=self.player_id,
            hand=self.hand(record),
            decisions=tuple(map(_answered, self.acted, self.disclosed, recorded)),
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


def _answered(
    said: ActionTaken, disclosed: DisclosedDecision | None, recorded: RecordedDecision | None
) -> AnsweredQuestion:
    known = recorded or disclosed
    return AnsweredQuestion(
        betting_round=said.betting_round,
        action=said.action,
        amount=said.amount,
        outcome=OUTCOMES.get(said.outcome),
        latency_ms=said.latency_ms,
        reason=said.reason,
        message=said.message,
        refused=recorded.refused if recorded else None,
        reasoning=known.reasoning if known else None,
        defaulted=(known.defaulted if known else None) or said.defaulted,
        usage=known.usage if known else None,
        answer=_answer(said, recorded) if recorded else None,
        question=recorded.question if recorded else None,
    )


def _answer(said: ActionTaken, recorded: RecordedDecision) -> dict[str, Any]:
    """Return the action that counted as an answer to the question would state it."""
    if said.details is not None or said.action is None:
        return recorded.action
    has_amount = said.action in _WITH_AMOUNT and said.amount is not None
    return {"action": said.action, "amount": said.amount} if has_amount else {"action": said.action}


class OwnHands:
    """The completed hands of one player; the caller has checked who reads."""

    def __init__(self, lobby: UseCases, store: Store) -> None:
        self._lobby = lobby
        self._store = store

    async def newest(
        self, room: Room, player_id: str, after: HandKey | None, limit: int
    ) -> OwnHandPage:
        """Return the player's newest hands after a position.

        Of a player with few of the room's hands a page is shorter than `limit`, and has a `next`.
        Raises CommandRefused: UNKNOWN_PLAYER, as the other lists do; and StoreFailed.
        """
        hands = await self._store.hands.page(room, after, SCANNED + 1, newest_first=True)
        own: list[StoredHand] = []
        place = None
        for hand in hands[:SCANNED]:
            place = hand.key
            if player_id in stacks_of(HandCompleted(hand.completed.payload).stacks):
                own.append(hand)
            if len(own) == limit:
                break
        has_more = place is not None and place != hands[-1].key
        next_ = f"{place.epoch}.{place.number}" if place and has_more else None
        return await self._page(room, player_id, own, next_)

    async def with_losses(self, room: Room, player_id: str, limit: int) -> OwnHandPage:
        """Return the hands with the player's greatest losses that are still stored, worst first."""
        player = room.results.players.get(player_id)
        places = [] if player is None else [(epoch, n) for _, epoch, n in player.losses.hands]
        return await self._page(room, player_id, await self._stored(room, places[:limit]))

    async def with_faults(self, room: Room, player_id: str, limit: int) -> OwnHandPage:
        """Return the hands of the player's newest faults that are still stored, newest first."""
        faults = room.faults.newest(player_id)
        places = dict.fromkeys(
            (fault.epoch, fault.hand_number) for fault in faults if fault.hand_number
        )
        return await self._page(room, player_id, await self._stored(room, list(places)[:limit]))

    async def hand(
        self, room: Room, player_id: str, number: int, epoch: int | None
    ) -> OwnHandDetail:
        """May raise CommandRefused: HAND_NOT_FOUND, also without the player in it; StoreFailed."""
        hand = await self._store.hands.find(room, number, epoch)
        story = None if hand is None else await self._story(room, player_id, hand)
        if hand is None or story is None:
            raise CommandRefused(
                Reason.HAND_NOT_FOUND,
                f"No completed hand {number} of room {room.room_id} with this player is kept.",
            )
        record, missing = None, None
        try:
            record = await self._record(room, hand, player_id, with_questions=True)
        except CommandRefused as refused:
            missing = refused.message
        return story.detail(room.room_id, record, missing)

    async def _stored(
        self, room: Room, places: Sequence[tuple[int, int | None]]
    ) -> list[StoredHand]:
        """Return the hands at these places, without those that are deleted or still running."""
        hands = [await self._store.hands.find(room, number or 0, epoch) for epoch, number in places]
        return [hand for hand in hands if hand is not None]

    async def _page(
        self, room: Room, player_id: str, hands: Sequence[StoredHand], next_: str | None = None
    ) -> OwnHandPage:
        results = room.results
        if player_id not in room.invited_ids | room.seats.keys() | results.players.keys():
            raise _unknown(player_id)
        stories = []
        for hand in hands:
            story = await self._story(room, player_id, hand)
            if story is not None:
                stories.append((hand, story))
        records = await records_in_time(
            [hand for hand, _ in stories],
            lambda hand: self._record(room, hand, player_id),
            _CARDS_S,
        )
        lines = standings_of(room).players
        return OwnHandPage(
            room_id=room.room_id,
            player_id=player_id,
            standing=next((line for line in lines if line.player_id == player_id), None),
            hands=tuple(
                story.hand(record if isinstance(record, HandRecord) else None)
                for (_, story), record in zip(stories, records, strict=True)
            ),
            next=next_,
            cards_missing=next((why for why in reversed(records) if isinstance(why, str)), None),
        )

    async def _record(
        self, room: Room, hand: StoredHand, player_id: str, *, with_questions: bool = False
    ) -> HandRecord:
        """May raise CommandRefused."""
        record = await self._lobby.hand_record(
            room, hand.hand_id(room), with_questions=with_questions
        )
        is_same = (record.epoch, record.hand_number) == hand.key
        if not is_same or all(seat.player_id != player_id for seat in record.players):
            raise CommandRefused(Reason.UNKNOWN_HAND, "The table has the record of another hand.")
        return record

    async def _story(self, room: Room, player_id: str, hand: StoredHand) -> Story | None:
        completed = hand.completed.sequence or 1
        first = hand.first_sequence or completed
        limit = min(completed - first + 1, MOST_EVENTS)
        events = await self._store.events(room, first - 1, limit, hand.key.epoch)
        return Story.of(player_id, hand.key.number, hand.key.epoch, events)


def _unknown(player_id: str) -> CommandRefused:
    return CommandRefused(
        Reason.UNKNOWN_PLAYER, f"No player with the id {player_id} sits or sat in this room."
    )


def faults_of(room: Room, player_id: str, reader: FaultReader) -> PlayerFaults:
    """Give the operator the reasons of a hand once it is over; raises UNKNOWN_PLAYER."""
    if player_id not in room.seats and player_id not in room.faults.players:
        raise _unknown(player_id)
    counts = room.faults.counts(room.room_id, player_id)
    if reader == "anyone":
        return counts
    hidden_since = room.running_since if reader == "operator" else None
    newest = room.faults.newest(player_id, hidden_since=hidden_since)
    return counts.model_copy(update={"faults": newest})
