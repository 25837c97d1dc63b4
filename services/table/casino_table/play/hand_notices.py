"""Notices of a hand to the players that want them: their cards at the deal, their own record after.

A notice has nothing that its player may not know: its own view at the deal, the public result, its
own private state, decisions and chips.

Notices are delivered beside play to the players whose cards declare the skill `notify`. Each player
gets its notices one after the other, so a hand's end never overtakes its deal. A player that is
slow, or away, misses the oldest ones that wait; nobody else notices. What still waits when the
table's lease ends is dropped: another table may have the room by then.
"""

from collections import deque
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Literal, NamedTuple

import structlog
from casino_agentkit import AgentError, TimedOut, Unreachable
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import (
    HOLDEM,
    CardProof,
    HandNotice,
    HandNoticeOutput,
    OwnDecision,
    OwnHandRecord,
    Unit,
)
from casino_games import GameError
from casino_games.specification import result_for_points, result_of, state_of
from casino_play.turn import Clock, PlayerDirectory

from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.play.lease import Lease
from casino_table.play.running_hand import RunningHand

Notice = tuple[Seat, HandNotice]
SKILL = "notify"
MOST_WAITING = 8
"""Maximum number of notices that wait for one player: those of four hands."""
MOST_PLAYERS = 20
"""Maximum number of players with waiting notices, those included that have just left."""
_TIMEOUT = timedelta(seconds=2)
_PAUSE_S = 0.2
_BRIEF = "A hand was dealt to you, or is over. Nothing is asked of you: answer with ok."
_Address = tuple[str, str]
"""Player id and card URL."""

logger = structlog.get_logger(__name__)


class _WaitingNotice(NamedTuple):
    """One notice to one player, and where it goes."""

    card_url: str
    token: str | None
    content: bytes
    lease: Lease


class NoticeSender:
    """Sends the notices of one table agent; `players` resolves their cards."""

    def __init__(self, players: PlayerDirectory, clock: Clock) -> None:
        self._players = players
        self._clock = clock
        self._waiting: dict[_Address, deque[_WaitingNotice]] = {}
        self._looked_up: set[str] = set()
        """Cards of seated players that were read once for a notice, or are being read."""
        self._tasks = BackgroundTasks()

    def wanting(self, seats: Iterable[Seat]) -> list[Seat]:
        """Return the seats whose cards declare `notify`, or were not read yet.

        A card is read for a notice once, for all that wait meanwhile; later it is the card that
        questions needed.
        """
        wanting, cards = [], set()
        for seat in seats:
            cards.add(seat.card_url)
            player = self._players.cached(seat.card_url)
            if SKILL in player.skills if player is not None else self._may_want(seat):
                wanting.append(seat)
        self._looked_up = cards
        return wanting

    def _may_want(self, seat: Seat) -> bool:
        """Return whether to read a seat's card for a notice, or it is being read for one."""
        is_waiting = (seat.player_id, seat.card_url) in self._waiting
        return not seat.sits_out and (is_waiting or seat.card_url not in self._looked_up)

    def send(self, seat: Seat, notice: HandNotice, lease: Lease) -> None:
        """Send it after the player's earlier ones if the lease runs then; returns at once."""
        address = (seat.player_id, seat.card_url)
        waiting = self._waiting.get(address)
        item = _WaitingNotice(seat.card_url, seat.token, notice.wire(), lease)
        if waiting is not None:
            waiting.append(item)
        elif len(self._waiting) < MOST_PLAYERS:
            self._waiting[address] = deque([item], maxlen=MOST_WAITING)
            self._tasks.begin(self._deliver(address))

    async def wait(self) -> None:
        await self._tasks.wait()

    async def end(self) -> None:
        await self._tasks.end()

    async def _deliver(self, address: _Address) -> None:
        waiting = self._waiting[address]
        try:
            while waiting:
                if not await self._has_delivered(waiting.popleft(), address[0]):
                    waiting.clear()
        finally:
            del self._waiting[address]

    async def _has_delivered(self, notice: _WaitingNotice, player_id: str) -> bool:
        """Call the player, once more after a failure; False if its card cannot be read."""
        try:
            try:
                await self._call(notice)
            except (Unreachable, TimedOut):
                await self._clock.sleep(_PAUSE_S)
                await self._call(notice)
        except AgentError as error:
            if self._players.cached(notice.card_url) is None:
                return False
            logger.info("notice_failed", player=player_id, error=str(error))
        return True

    async def _call(self, notice: _WaitingNotice) -> None:
        player = await self._players.joined(notice.card_url, _TIMEOUT)
        if SKILL in player.skills and notice.lease.is_valid(self._clock.now()):
            await player.call(
                SKILL,
                notice.content,
                HandNoticeOutput,
                timeout=_TIMEOUT,
                brief=_BRIEF,
                token=notice.token,
            )


class HandNotices:
    """The notices of one session; none is sent when `lease` is over."""

    def __init__(self, table: Table, delivery: NoticeSender, lease: Lease) -> None:
        self._table = table
        self._delivery = delivery
        self._lease = lease

    def dealt(self, hand: RunningHand) -> None:
        def notice(seat: Seat) -> HandNotice:
            state, proof = state_of(hand.game, seat.player_id), hand.proof_of(seat)
            return _notice(self._table, hand, seat, "dealt", state=state, proof=proof)

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
    proof: CardProof | None = None,
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
        proof=proof,
    )


def _record(table: Table, hand: RunningHand, seat: Seat) -> OwnHandRecord:
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
