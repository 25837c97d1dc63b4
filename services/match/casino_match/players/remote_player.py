"""A player of a match that is an agent: signed up, then asked over the wire in the plan's time.

The question is exactly that of a table, in the format that the agent supports.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import inf
from typing import Any, Final

from casino_agentkit import AgentClient, AgentError, Conversation
from casino_contracts import HOLDEM, Outcome, SignupInvitation, SignupResponse, seat_token
from casino_contracts.player_messages import CARD_TIMEOUT, usage_of_both
from casino_games import specification
from casino_games.cards import Card, cards_to_text
from casino_games.holdem import Hand, HoldemGame
from casino_play.generic_question import GameMoment, GameQuestion
from casino_play.hand_questions import HandQuestions
from casino_play.holdem_question import HoldemQuestion
from casino_play.turn import AgentSeat, Clock, Decision, Question, Turn

from casino_match.domain.plan import Entrant, Plan, Rules
from casino_match.errors import AgentBusy, PlayerFailed, PlayerWrong
from casino_match.players.match_player import Decided, HandPlace
from casino_match.players.remote_calls import OnPause, RetryWait, gather_limited, only_a_default
from casino_match.players.remote_card import MatchCard

_NO_ANSWER: Final[frozenset[Outcome]] = frozenset({"timeout", "unreachable", "disconnected"})
_WRONG: Final[frozenset[Outcome]] = frozenset({"illegal", "malformed"})
_LEAST_PAUSE_S: Final = 0.25
_ATTEMPTS: Final = 2
"""Of a turn: the numbers that a question's ids may have used up."""


def any_game_question(fields: HandQuestions, rules: Rules, deck: Sequence[Card]) -> GameQuestion:
    """Return the question in the format of the game's specification; `deck` is the hand's."""
    names = fields.names
    moment = GameMoment(
        names.table_id,
        names.hand_id,
        names.hand_number,
        fields.question_id,
        specification(HOLDEM).version,
    )
    game = _game(fields, rules, deck)
    return GameQuestion(moment, game, game.get_current_player())


def _game(fields: HandQuestions, rules: Rules, deck: Sequence[Card]) -> HoldemGame:
    """Return the hand as a game, played again up to now."""
    players = [player.player_id for player in fields.names.players]
    return HoldemGame.deserialize(
        {
            "game_type": HOLDEM,
            "players": players,
            "config": {
                "small_blind": rules.small_blind,
                "big_blind": rules.big_blind,
                "ante": rules.ante,
                "button": len(players) - 1,
                "stacks": [rules.stack] * len(players),
            },
            "deck": cards_to_text(deck),
            "actions": _actions(fields.hand),
        }
    )


def _actions(hand: Hand) -> list[dict[str, Any]]:
    return [
        {"action_type": kind, "amount": amount if kind in {"bet", "raise"} else None}
        for _, _, kind, amount, *_ in hand.actions
    ]


@dataclass(frozen=True, slots=True)
class RemoteHand:
    """A hand in which an agent is asked."""

    place: HandPlace
    table: int
    """The number of its table: the agent has signed up for each."""
    deck: Sequence[Card]
    """Every card: only what is the agent's own reaches a question."""
    conversation: Conversation


class RemotePlayer:
    """An agent that has signed up for the tables of a match."""

    def __init__(
        self,
        entrant: Entrant,
        seats: Sequence[AgentSeat],
        card: MatchCard,
        *,
        plays_any_game: bool,
        model: str | None,
        plan: Plan,
        clock: Clock,
        on_pause: OnPause,
    ) -> None:
        """Ask it in `seats`, which are by table; `model` is the language model that it names."""
        self.name = entrant.name
        self.model = model
        self._entrant = entrant
        self._seats = seats
        self._plays_any_game = plays_any_game
        self._rules = plan.rules
        self._faults = plan.faults
        self._clock = clock
        self._on_pause = on_pause
        self.signer = card.signer
        self._card = card
        self._turn = Turn(card, clock)
        self._rests_until = -inf

    async def decide(self, fields: HandQuestions, hand: RemoteHand) -> Decided:
        """Return the decision or the default; raises MatchSuspended, PlayerWrong, InvalidPlan."""
        question: Question[Any] = (
            any_game_question(fields, self._rules, hand.deck)
            if self._plays_any_game
            else HoldemQuestion(fields)
        )
        seat = self._seats[hand.table]
        if self._faults.no_answer == "pause":
            decision = await self._patiently(seat, question, hand)
        else:
            decision = await self._within_the_clock(seat, question, hand)
        if decision.outcome in _WRONG and self._faults.wrong_answer == "stop":
            raise PlayerWrong(self._wrong(decision, fields, hand))
        action = decision.action if decision.defaulted is None else question.default
        kind, amount = action["action_type"], action.get("amount") or 0
        latency_ms, why = decision.latency_ms or 0, decision.defaulted
        return Decided(
            kind, amount, decision.outcome, latency_ms, defaulted=why, usage=decision.usage
        )

    async def _patiently(
        self, seat: AgentSeat, question: Question[Any], hand: RemoteHand
    ) -> Decision:
        """Ask until there is an answer of its own; each time the agent has the whole clock.

        After a default the question has another id, so that no memory repeats the default.
        """
        patience = RetryWait(
            self.name, seat.card_url, self._faults.patience, self._clock.now, self._on_pause
        )
        attempt, spent = 1, None
        while True:
            later_s = None
            await self._rest()
            try:
                decision = await self._turn.decide(seat, question, hand.conversation, attempt)
                spent = usage_of_both(spent, decision.usage)
                if decision.defaulted is not None:
                    why, attempt = only_a_default(decision.defaulted), attempt + _ATTEMPTS
                elif decision.outcome in _NO_ANSWER:
                    why = decision.reason or decision.outcome
                else:
                    patience.over()
                    return decision._replace(usage=spent)
            except AgentBusy as error:
                why, later_s = error.why, error.retry_after_s
                self._note_rest(later_s)
            await self._clock.sleep(patience.next_s(why, later_s))

    def _note_rest(self, seconds: float | None) -> None:
        if seconds is not None and seconds <= self._faults.patience.total_seconds():
            self._rests_until = max(self._rests_until, self._clock.now() + seconds)

    async def _rest(self) -> None:
        """Wait while the agent wants no call, which it said in another hand."""
        while (left_s := self._rests_until - self._clock.now()) > 0:
            await self._clock.sleep(left_s)

    async def _within_the_clock(
        self, seat: AgentSeat, question: Question[Any], hand: RemoteHand
    ) -> Decision:
        """Ask until the clock is over; a busy agent is asked again when it wants to be."""
        began = self._clock.now()
        left_s, limit_s = seat.clock_ms / 1000, seat.clock_ms / 1000
        while True:
            shorter = replace(seat, clock_ms=max(1, round(left_s * 1000)))
            try:
                decision = await self._turn.decide(shorter, question, hand.conversation)
                took = timedelta(seconds=self._clock.now() - began)
                return decision._replace(latency=took)
            except AgentBusy as error:
                why, pause_s = error.why, max(_LEAST_PAUSE_S, error.retry_after_s or 0.0)
            left_s = limit_s - (self._clock.now() - began)
            if pause_s >= left_s:
                await self._clock.sleep(max(0.0, left_s))
                took = timedelta(seconds=self._clock.now() - began)
                return Decision(question.default, "unreachable", took, reason=why)
            await self._clock.sleep(pause_s)
            left_s -= pause_s

    def _wrong(self, decision: Decision, fields: HandQuestions, hand: RemoteHand) -> str:
        refused = f" Its last answer was {decision.refused}." if decision.refused else ""
        return (
            f"{self.name} at {self._entrant.player} answered wrongly twice in {hand.place},"
            f" question {fields.question_id}: {decision.reason}.{refused} Mend the agent and start"
            ' a new match, or set faults.wrong_answer = "default" to count such answers'
        )


SKILL: Final = "signup"
_TIMEOUT: Final = timedelta(seconds=10)
_BRIEF: Final = "A match invites you to its table; accept by giving your display name."


def player_id(index: int) -> str:
    """Return the id that a player of the plan has at every table; `index` is its place there."""
    return f"player-{index + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signup:
    """Signs the agents of a plan up for the same tables; `secret` makes the tokens."""

    client: AgentClient
    plan: Plan
    tables: Sequence[str]
    secret: str
    clock: Clock
    on_pause: OnPause

    async def sign_up(self, index: int) -> RemotePlayer:
        """Return the accepted player; raises PlayerFailed, MatchSuspended, InvalidPlan."""
        plan = self.plan
        entrant = plan.players[index]
        card = MatchCard(self.client, entrant)
        replies = await gather_limited(
            lambda table: self._reply(index, card, table), self.tables, entrant.games_at_once
        )
        clock_ms = round(plan.rules.clock.total_seconds() * 1000)
        seats = [
            AgentSeat(entrant.player, reply.action_skill, clock_ms, self._token(index, table))
            for table, reply in zip(self.tables, replies, strict=True)
        ]
        return RemotePlayer(
            entrant,
            seats,
            card,
            plays_any_game=any(reply.plays_any_game for reply in replies),
            model=next((each.profile.model for each in replies if each.profile), None),
            plan=plan,
            clock=self.clock,
            on_pause=self.on_pause,
        )

    async def _reply(self, index: int, card: MatchCard, table: str) -> SignupResponse:
        entrant, rules = self.plan.players[index], self.plan.rules
        invitation = SignupInvitation(
            casino_name=self.plan.name,
            table_id=table,
            room_id=table,
            min_buy_in=rules.stack,
            max_buy_in=rules.stack,
            small_blind=rules.small_blind,
            big_blind=rules.big_blind,
            player_id=player_id(index),
            seat_token=self._token(index, table),
            game_type=HOLDEM,
            arguments=entrant.arguments or None,
        )
        patience = RetryWait(
            entrant.name, entrant.player, self.plan.faults.patience, self.clock.now, self.on_pause
        )
        while True:
            try:
                callee = await card.peer(entrant.player, CARD_TIMEOUT)
                reply = await callee.call(
                    SKILL, invitation.wire(), SignupResponse,
                    timeout=_TIMEOUT, conversation=None, brief=_BRIEF, token=None,
                )  # fmt: skip
            except AgentBusy as error:
                await self.clock.sleep(patience.next_s(error.why, error.retry_after_s))
            except AgentError as error:
                raise PlayerFailed(
                    f"{entrant.name} cannot be signed up: {error}. Start the agent, and run the"
                    " same command again"
                ) from error
            else:
                patience.over()
                _check_buy_in(entrant.name, reply, rules.stack)
                return reply

    def _token(self, index: int, table: str) -> str:
        return seat_token(self.secret, f"{table}/{player_id(index)}")


def _check_buy_in(name: str, reply: SignupResponse, stack: int) -> None:
    if reply.buy_in not in {None, stack}:
        raise PlayerFailed(
            f"{name} asks for {reply.buy_in} chips, but every hand of this match begins with"
            f" {stack}: leave buyIn out of the reply to signup, or set rules.stack"
        )
