"""Read a hand of a room: from its public events, and the operator's record if there is one."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import get_args

from casino_contracts import (
    DealOpening,
    Defaulted,
    DisclosedDecision,
    HandDetail,
    HandRecord,
    TableEvent,
    Unit,
)
from casino_contracts.events.content import (
    ActionTaken,
    HandCompleted,
    HandStarted,
    content_of,
    stacks_of,
)
from casino_contracts.events.payload_fields import ReportedSeat
from casino_contracts.play_counts import OUTCOMES
from casino_contracts.player_messages import Card
from pydantic import ValidationError

from casino_histories.betting_replay import BettingReplay
from casino_histories.completed_hand import (
    BOARD_SIZES,
    STREETS,
    Cards,
    ForcedBet,
    ForcedKind,
    HandHistory,
    Pot,
    SeatedPlayer,
    Share,
    ShownCards,
)
from casino_histories.errors import NotExportable

_KINDS: dict[str | None, ForcedKind] = {kind: kind for kind in get_args(ForcedKind)}
_MOVES = frozenset({"check", "call", "bet", "raise", "all-in"})


def history_of(detail: HandDetail, record: HandRecord | None = None) -> HandHistory:
    """Return a completed hand; raises NotExportable if events tell not all, or not Hold'em."""
    return _HandReading(detail, record).hand()


class _HandReading:
    def __init__(self, detail: HandDetail, record: HandRecord | None) -> None:
        self._detail = detail
        contents = [content_of(event) for event in detail.events]
        started = [item for item in contents if isinstance(item, HandStarted)]
        completed = [item for item in contents if isinstance(item, HandCompleted)]
        if any(item.state is not None or item.game_type is not None for item in started):
            raise NotExportable("only hands of Hold'em can be exported")
        if len(started) != 1 or len(completed) != 1:
            raise NotExportable("the hand's beginning or end is not stored")
        self._started, self._completed = started[0], completed[0]
        self._actions = [item for item in contents if isinstance(item, ActionTaken)]
        self._seats = _in_order(self._started)
        self._at = {seat.player_id: number for number, seat in enumerate(self._seats)}
        self._unit = Unit.of_amounts(self._amounts())
        self._holes = {
            hole.player_id: _texts(hole.cards) for hole in (record.hole_cards if record else ())
        }

    def hand(self) -> HandHistory:
        started, completed, summary = self._started, self._completed, self._detail.hand
        button = started.button_seat
        shown = tuple(
            ShownCards(self._seat(item.player_id), _texts(item.cards), item.rank_name)
            for item in completed.shown
        )
        open_cards = {item.seat: item.cards for item in shown}
        seats = tuple(
            SeatedPlayer(
                seat.player_id,
                seat.name,
                seat.seat_number or 0,
                self._chips(seat.stack),
                self._holes.get(seat.player_id) or open_cards.get(number, ()),
                (seat.profile and seat.profile.model) or "",
            )
            for number, seat in enumerate(self._seats)
        )
        replay = self._course(seats)
        board = _texts(completed.community_cards)
        if len(board) not in BOARD_SIZES or len(board) != completed.board_size:
            raise NotExportable("the board cannot be read")
        hand = HandHistory(
            hand_id=summary.hand_id,
            table=self._detail.room_id,
            number=summary.hand_number,
            seats=seats,
            small_blind=self._chips(started.small_blind),
            big_blind=self._chips(started.big_blind),
            ante=self._chips(started.ante or 0),
            forced=tuple(replay.forced),
            actions=tuple(replay.actions),
            board=board,
            shown=shown,
            pots=tuple(self._pots()),
            returned=self._returned(),
            decimals=self._unit.decimals,
            started_at=_time(self._detail.events, summary.timestamp),
            dead_button=None if button in {seat.number for seat in seats} else button,
            rake=self._chips(completed.rake or 0),
            is_cancelled=completed.is_cancelled,
            decided=tuple(self._decided()),
            opening=self._opening(),
        )
        self._check(hand)
        return hand

    def _opening(self) -> DealOpening | None:
        try:
            return DealOpening.model_validate(self._completed.opening)
        except ValidationError:  # there is none, or only a check can say what is wrong with it
            return None

    def _course(self, seats: Sequence[SeatedPlayer]) -> BettingReplay:
        replay = BettingReplay(seats, NotExportable)
        for bet in self._started.posted:
            kind = _KINDS.get(bet.kind)
            if kind is None:
                raise NotExportable(f"a forced bet is of an unknown kind: {bet.kind}")
            replay.post(
                ForcedBet(
                    self._seat(bet.player_id), kind, self._chips(bet.amount), bet.is_dead is True
                )
            )
        replay.set_price(self._chips(self._started.big_blind))
        for action in self._actions:
            if action.betting_round not in STREETS:
                raise NotExportable("a decision does not say its betting round")
            replay.open_street(STREETS.index(action.betting_round))
            seat = self._seat(action.player_id)
            if action.action == "fold":
                replay.fold(seat)
            elif action.action in _MOVES:
                total = replay.bets[seat] if action.amount is None else self._chips(action.amount)
                replay.act(seat, "raise", total)
            else:
                raise NotExportable(f"a decision is no action of Hold'em: {action.action}")
        return replay

    def _decided(self) -> Iterator[DisclosedDecision]:
        disclosed = {(said.decision, said.player_id): said for said in self._completed.disclosed}
        for number, action in enumerate(self._actions, 1):
            said = disclosed.get((number, action.player_id)) or DisclosedDecision(
                decision=number, player_id=action.player_id
            )
            reason = action.default_reason or OUTCOMES.get(action.outcome)
            if said.defaulted is None and reason is not None and action.fault:
                said = said.model_copy(update={"defaulted": Defaulted(reason=reason)})
            if said.defaulted or said.usage or said.reasoning:
                yield said

    def _pots(self) -> Iterable[Pot]:
        for pot in self._completed.pots:
            shares = (
                Share(self._seat(share.player_id), self._chips(share.amount))
                for share in pot.winners
            )
            yield Pot(self._chips(pot.amount), tuple(shares))

    def _returned(self) -> Share | None:
        returned = self._completed.returned
        if returned is None:
            return None
        return Share(self._seat(returned.player_id), self._chips(returned.amount))

    def _check(self, hand: HandHistory) -> None:
        stacks = stacks_of(self._completed.stacks)
        after = [stacks.get(seat.player_id) for seat in hand.seats]
        if not hand.is_settled or any(
            stack is not None and self._chips(stack) != chips
            for stack, chips in zip(after, hand.finishing_stacks, strict=True)
        ):
            raise NotExportable("the chips of its events do not add up")

    def _seat(self, player_id: str) -> int:
        if player_id not in self._at:
            raise NotExportable("an event is about a player who was not dealt in")
        return self._at[player_id]

    def _amounts(self) -> Iterable[float]:
        started, completed = self._started, self._completed
        for amount in (started.small_blind, started.big_blind, started.ante):
            yield amount or 0
        yield from (bet.amount or 0 for bet in started.posted)
        yield from (seat.stack or 0 for seat in self._seats)
        yield from (action.amount or 0 for action in self._actions)
        yield from (share.amount for pot in completed.pots for share in pot.winners)
        yield abs(completed.rake or 0)

    def _chips(self, amount: float | None) -> int:
        if amount is None:
            raise NotExportable("an amount of chips is missing")
        try:
            return self._unit.chips(amount)
        except ValueError as error:
            raise NotExportable(f"an amount has too many decimals: {amount}") from error


def _in_order(started: HandStarted) -> Sequence[ReportedSeat]:
    """Return the players from the first left of the button; raises NotExportable."""
    button, players = started.button_seat, started.players
    numbers = [seat.seat_number for seat in players]
    if button is None or None in numbers or len(set(numbers)) < max(2, len(numbers)):
        raise NotExportable("the seats or the button cannot be read")
    return sorted(
        players, key=lambda seat: ((seat.seat_number or 0) <= button, seat.seat_number or 0)
    )


def _texts(cards: Iterable[Card]) -> Cards:
    return tuple(card.text for card in cards)


def _time(events: Sequence[TableEvent], otherwise: str) -> datetime | None:
    try:
        return datetime.fromisoformat(events[0].timestamp if events else otherwise)
    except ValueError:
        return None
