"""A session: hand after hand, until the limit or until too few have chips."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import structlog
from casino_agentkit import Conversation
from casino_contracts import PlayerBustedPayload, StatusKind, StatusPayload, TableErrorPayload
from casino_games import ArenaConfig, ArenaPlayer, Game, create_game

from casino_table.clock import Clock
from casino_table.deal import Deal
from casino_table.journal import Fact, Journal
from casino_table.presenter import HandPresenter
from casino_table.roster import Roster
from casino_table.seat import Seat
from casino_table.table import Table
from casino_table.turn import Decision, Turn

PAUSE_LIMIT = timedelta(seconds=60)
_PAUSE_ROUND_S = 1.0
_BACKLOG_ROUND_S = 0.2
_ACTIVE_NEEDED = 2

logger = structlog.get_logger(__name__)


class Session:
    """Plays one table's hands; everything it does is in the journal.

    `seed_of` gives the seed of a hand by its number; `max_undelivered` is how many events may wait
    for the lobby before play pauses between hands.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal,
        roster: Roster,
        clock: Clock,
        *,
        seed_of: Callable[[int], str],
        max_undelivered: int,
    ) -> None:
        self._table = table
        self._journal = journal
        self._roster = roster
        self._clock = clock
        self._seed_of = seed_of
        self._max_undelivered = max_undelivered
        self._turn = Turn(roster, clock, timedelta(milliseconds=table.config.action_timeout_ms))
        self._probes: dict[str, asyncio.Task[bool]] = {}
        self.ends_after_hand = False

    async def run(self) -> None:
        """Play until the session ends; it ends in order, or the table says what stopped it."""
        table = self._table
        self._note("started", f"the session begins: {table.hands_left} hands")
        try:
            self._rebuy()
            while not self.ends_after_hand and table.can_play_on():
                if not await self._enough_are_active():
                    break
                await self._play_hand()
                self._between_hands()
                await self._wait_for_the_lobby()
                await asyncio.sleep(0)  # other tables of the process want to play too
            table.finish(f"finished after {table.hands_completed} hands")
            self._note("finished", table.message)
        except Exception as error:
            # A fault of ours must not take the process with it: the table stops and says so.
            logger.exception("session_failed", table=table.table_id)
            table.status, table.message = "error", f"the session stopped: {type(error).__name__}"
            payload = TableErrorPayload(
                reason=table.message,
                done="the running hand was cancelled, stacks are as before it",
                status=table.status,
            )
            self._journal.append([Fact("table_error", table.message, payload)])
        finally:
            for probe in self._probes.values():
                probe.cancel()

    # One hand.

    async def _play_hand(self) -> None:
        table = self._table
        deal = table.next_deal()
        try:
            game = self._new_game(deal)
            hand = HandPresenter(table, deal, game)
            table.message = f"hand {deal.number}"
            self._journal.append(hand.started())
            conversations = {seat.player_id: Conversation() for seat in deal.seats}
            while not game.is_over():
                await self._play_decision(hand, game, deal, conversations)
            table.settle(deal, game.get_scores())
            self._journal.append([hand.completed()])
        except BaseException:
            table.cancel(deal)
            self._note("hand_cancelled", table.message, hand_number=deal.number)
            raise

    def _new_game(self, deal: Deal) -> Game:
        table, stakes = self._table, self._table.stakes
        settings = {
            **table.game_config,
            "small_blind": stakes.small_blind,
            "big_blind": stakes.big_blind,
            "ante": stakes.ante,
            "stacks": [seat.stack for seat in deal.seats],
            "button": deal.button,
        }
        players = tuple(ArenaPlayer(seat.player_id) for seat in deal.seats)
        game = create_game(table.game_type, ArenaConfig(players, game_config=settings))
        game.reset(self._seed_of(deal.number))
        return game

    async def _play_decision(
        self,
        hand: HandPresenter,
        game: Game,
        deal: Deal,
        conversations: dict[str, Conversation],
    ) -> None:
        seat = deal.seat_of(game.get_current_player())
        question = hand.question()
        if seat.sits_out:
            decision = Decision(question.default, "timeout")
        else:
            conversation = conversations[seat.player_id]
            decision = await self._turn.decide(seat, question, conversation)
        result, _ = game.step(decision.action)
        self._journal.append(hand.acted(decision, result["events"]))
        self._judge(seat, decision)

    def _judge(self, seat: Seat, decision: Decision) -> None:
        """Count failures; too many in a row and the seat sits out."""
        if decision.is_own:
            seat.answered()
        elif seat.failed(self._table.config.max_timeouts):
            told = f"{seat.display_name} sits out after {seat.failures} failures in a row"
            self._note("sat_out", told, seat, reason=decision.outcome)

    # Between hands.

    def _between_hands(self) -> None:
        table = self._table
        left = len(table.with_chips())
        for place, seat in enumerate(table.free_busted(), start=left + 1):
            self._journal.append(
                [
                    Fact(
                        "player_busted",
                        f"{seat.display_name} is out",
                        PlayerBustedPayload(
                            hand_number=table.hand_number, player_id=seat.player_id, finish=place
                        ),
                        f"{table.table_id}/{table.hand_number}",
                    )
                ]
            )
        if table.hands_left > 0:
            self._rebuy()
        self._welcome_back()

    def _rebuy(self) -> None:
        table = self._table
        for seat in table.rebuy_busted():
            bought = table.unit.amount(seat.stack)
            self._note("rebought", f"{seat.display_name} buys {bought}", seat, amount=bought)

    def _welcome_back(self) -> None:
        """Take back who answered a probe, and probe who has waited long enough, beside play."""
        table = self._table
        for seat in [seat for seat in table.seats.values() if seat.sits_out]:
            probe = self._probes.get(seat.player_id)
            if probe is None:
                seat.rounds_to_wait -= 1
                if seat.rounds_to_wait < 0:
                    self._probes[seat.player_id] = asyncio.ensure_future(
                        self._roster.is_back(seat.card_url)
                    )
            elif probe.done():
                del self._probes[seat.player_id]
                if probe.result():
                    seat.came_back(table.config.max_timeouts)
                    self._note("returned", f"{seat.display_name} is back", seat)

    async def _enough_are_active(self) -> bool:
        """Pause while fewer than two seats are active; tells whether play goes on."""
        table = self._table
        if len(table.active()) >= _ACTIVE_NEEDED:
            return True
        table.state = "paused"
        self._note("paused", "fewer than two seats are active", reason="players away")
        ends_at = self._clock.now() + PAUSE_LIMIT.total_seconds()
        while self._clock.now() < ends_at and not self.ends_after_hand:
            await self._clock.sleep(_PAUSE_ROUND_S)
            self._welcome_back()
            if len(table.active()) >= _ACTIVE_NEEDED:
                table.state = None
                return True
        return False

    async def _wait_for_the_lobby(self) -> None:
        """Pause between hands while too many events are undelivered."""
        if self._journal.undelivered <= self._max_undelivered:
            return
        self._table.state = "paused"
        self._note("paused", "the lobby does not take events", reason="lobby away")
        while self._journal.undelivered > self._max_undelivered and not self.ends_after_hand:
            await self._clock.sleep(_BACKLOG_ROUND_S)
        self._table.state = None

    def _note(
        self,
        kind: StatusKind,
        message: str,
        seat: Seat | None = None,
        *,
        amount: float | None = None,
        hand_number: int | None = None,
        reason: str | None = None,
    ) -> None:
        table = self._table
        payload = StatusPayload(
            status=table.status,
            kind=kind,
            player_id=seat.player_id if seat else None,
            seat_number=seat.number if seat else None,
            stack=table.unit.amount(seat.stack) if seat else None,
            amount=amount,
            hand_number=hand_number,
            hand_count=table.hands_completed,
            reason=reason,
        )
        self._journal.append([Fact("table_status", message, payload)])
