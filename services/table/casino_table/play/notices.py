"""Notices of a hand to the players that want them: their cards at the deal, their own record after.

A notice has nothing that its player may not know: its own view at the deal, the public result, its
own private state, decisions and chips.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol

import structlog
from casino_contracts import HOLDEM, HandNotice, OwnDecision, OwnHandRecord, Unit
from casino_games import GameError
from casino_games.hosting.result import result_for_points
from casino_games.specification import result_of, state_of

from casino_table.domain.lease import Lease
from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.play.hand import RunningHand

Notice = tuple[Seat, HandNotice]

logger = structlog.get_logger(__name__)


class NoticeDelivery(Protocol):
    """Sends notices beside play."""

    def wanting(self, seats: Iterable[Seat]) -> list[Seat]:
        """Return the seats whose players want notices, as far as is known."""
        ...

    def send(self, seat: Seat, notice: HandNotice, lease: Lease) -> None:
        """Send a notice after the earlier ones to its player, if the lease still runs then."""
        ...


class HandNotices:
    """The notices of one session; none is sent when `lease` is over."""

    def __init__(self, table: Table, delivery: NoticeDelivery, lease: Lease) -> None:
        self._table = table
        self._delivery = delivery
        self._lease = lease

    def dealt(self, hand: RunningHand) -> None:
        """Tell each player its view of a hand that was dealt, or is resumed."""

        def notice(seat: Seat) -> HandNotice:
            state = state_of(hand.game, seat.player_id)
            return _notice(self._table, hand, seat, "dealt", state=state)

        self.send(self._notices(hand, notice))

    def completed(self, hand: RunningHand) -> list[Notice]:
        """Return the notices of a settled hand, to be sent when it is committed."""
        table, game = self._table, hand.game

        def notice(seat: Seat) -> HandNotice:
            result = result_of(game) if table.plays_for_chips else result_for_points(game)
            record = _record(table, hand, seat)
            return _notice(table, hand, seat, "completed", result=result, record=record)

        return self._notices(hand, notice)

    def send(self, notices: Iterable[Notice]) -> None:
        """Send notices beside play."""
        for seat, notice in notices:
            self._delivery.send(seat, notice, self._lease)

    def _notices(self, hand: RunningHand, notice: Callable[[Seat], HandNotice]) -> list[Notice]:
        wanting = self._delivery.wanting(hand.deal.seats)
        try:
            return [(seat, notice(seat)) for seat in wanting]
        except GameError as fault:  # of a third party's game: the hand goes on without notices
            logger.warning("notices_failed", table=self._table.table_id, error=str(fault))
            return []


def _notice(
    table: Table,
    hand: RunningHand,
    seat: Seat,
    kind: Literal["dealt", "completed"],
    *,
    state: dict[str, Any] | None = None,
    result: dict[str, Any] | None = None,
    record: OwnHandRecord | None = None,
) -> HandNotice:
    return HandNotice(
        table_id=table.table_id,
        game_type=table.game_type,
        spec_version=hand.spec_version,
        player_id=seat.player_id,
        hand_id=hand.id,
        hand_number=hand.deal.number,
        kind=kind,
        state=state,
        result=result,
        record=record,
    )


def _record(table: Table, hand: RunningHand, seat: Seat) -> OwnHandRecord:
    """Return a player's own record of a settled hand."""
    me, game = seat.player_id, hand.game
    unit = table.unit if table.game_type == HOLDEM else Unit()
    decisions = zip(hand.deciders, hand.rounds(), hand.decisions, strict=True)
    return OwnHandRecord(
        private=game.get_private_state(me),
        decisions=tuple(
            OwnDecision(
                action=on_the_wire(decision.action, unit),
                betting_round=betting_round,
                outcome=decision.outcome,
                latency_ms=decision.latency_ms,
            )
            for player_id, betting_round, decision in decisions
            if player_id == me
        ),
        net=table.unit.amount(game.get_scores()[me]) if table.plays_for_chips else None,
        stack=table.unit.amount(seat.stack),
    )


def on_the_wire(action: dict[str, Any], unit: Unit) -> dict[str, Any]:
    """Return an action of a game with its amount in a unit; other games than Hold'em have chips."""
    if "amount" not in action:
        return action
    return {**action, "amount": unit.amount(action["amount"])}
