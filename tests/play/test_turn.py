"""One decision takes at most the clock, whatever the player does."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import (
    Conversation,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
)
from casino_contracts import FAULT_REASON_LIMIT, ActionRequest, ActionResponse, Usage
from casino_contracts.player_messages import usage_of_both
from casino_play.turn import Decision, Turn
from support.table.first_question import facing_the_blind
from support.table.virtual_clock import VirtualClock

Answer = ActionResponse | Exception | Callable[[ActionRequest], Any]

CALL = ActionResponse(action="call")
UNDERBET = ActionResponse(action="raise", amount=3)
CHECK = ActionResponse(action="check")
GARBAGE = Malformed("http://p", "action: is missing", {"move": "up"})
SERVER_ERROR = ProtocolFault("http://p", "HTTP status 500")
NO = RemoteRefused("http://p", "not today", code=-32004, reason="BUSY")
HOSTILE_NO = RemoteRefused("http://p", "\x1b[2Jno\nmodel", code=-1, reason="BUSY")
DEAD = Unreachable("http://p", "connection refused")
LATE = TimedOut("http://p", "no reply within 10 s")


class ScriptedPeer:
    """A player agent with prepared answers, one per call; the last one is repeated."""

    is_invoke = False

    def __init__(
        self, answers: Iterable[Answer], clock: VirtualClock, seconds: float = 0.1
    ) -> None:
        self.asked: list[ActionRequest] = []
        self._answers = list(answers)
        self._clock = clock
        self._seconds = seconds

    async def call(
        self,
        _skill: str,
        content: bytes,
        _output: type[ActionResponse],
        *,
        timeout: timedelta,
        conversation: Conversation | None = None,
        brief: str = "",
        token: str | None = None,
    ) -> ActionResponse:
        assert timeout > timedelta()
        assert conversation is not None
        assert brief
        assert token is None
        message = ActionRequest.model_validate_json(content)
        self.asked.append(message)
        self._clock.jump(self._seconds)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ActionResponse):
            return answer
        response: ActionResponse = answer(message)
        return response


class OneTurn:
    """A turn of one scripted player."""

    def __init__(self, *answers: Answer, seconds: float = 0.1) -> None:
        self.clock = VirtualClock()
        self.peer = ScriptedPeer(answers, self.clock, seconds)
        self.forgotten = 0
        self.table, self.question = facing_the_blind()

    async def decide(self) -> Decision:
        one_turn = self

        class OneRoster:
            """Knows one player."""

            async def peer(self, _card_url: str, _timeout: timedelta) -> ScriptedPeer:
                return one_turn.peer

            def forget(self, _card_url: str) -> None:
                one_turn.forgotten += 1

        roster: Any = OneRoster()
        turn = Turn(roster, self.clock)
        return await turn.decide(
            self.table.seats[0].agent_seat(self.table.config), self.question, Conversation()
        )

    @property
    def asked(self) -> list[ActionRequest]:
        return self.peer.asked


@pytest.mark.parametrize(
    ("answers", "action", "outcome", "asked", "reason"),
    [
        ([CALL], "call", "ok", 1, None),
        ([ActionResponse(action="raise", amount=4)], "raise", "ok", 1, None),
        ([CHECK, CALL], "call", "retried", 2, "check is not possible now; legal are fold, call"),
        ([GARBAGE, CALL], "call", "retried", 2, "action: is missing"),
        ([SERVER_ERROR, CALL], "call", "retried", 2, "HTTP status 500"),
        ([NO, CALL], "call", "retried", 2, "not today"),
        ([CHECK], "fold", "illegal", 2, "check is not possible now"),
        ([UNDERBET], "fold", "illegal", 2, "raise to 3 is below the smallest, to 4"),
        ([ActionResponse(action="raise")], "fold", "illegal", 2, "raise needs amount"),
        ([ActionResponse(action="raise", amount=10.5)], "fold", "illegal", 2, "no multiple of 1"),
        ([ActionResponse(action="raise", amount=2**53 - 1)], "fold", "illegal", 2, "the largest"),
        ([ActionResponse(action="bet", amount=50)], "fold", "illegal", 2, "bet is not possible"),
        ([GARBAGE], "fold", "malformed", 2, "action: is missing"),
        ([SERVER_ERROR], "fold", "malformed", 2, "HTTP status 500"),
        ([NO], "fold", "malformed", 2, "not today"),
        ([GARBAGE, CHECK], "fold", "illegal", 2, "check is not possible now"),
        ([CHECK, GARBAGE], "fold", "malformed", 2, "action: is missing"),
        ([LATE], "fold", "timeout", 1, "no reply within 10 s"),
        (
            [CHECK, LATE],
            "fold",
            "timeout",
            2,
            "no reply within 10 s; the first answer was refused: check is not",
        ),
        ([DEAD, LATE], "fold", "unreachable", 2, "connection refused"),
        ([DEAD, DEAD, CALL], "call", "ok", 3, None),
        ([DEAD, CHECK, DEAD, CALL], "call", "retried", 4, "check is not possible now"),
        ([HOSTILE_NO], "fold", "malformed", 2, "[2Jno model"),
        ([Malformed("http://p", "x" * 1_000)], "fold", "malformed", 2, "x" * 300),
        ([CHECK, TimedOut("http://p", "y" * 1_000)], "fold", "timeout", 2, "y" * 300),
    ],
)
async def test_every_kind_of_answer_has_its_outcome_and_reason(
    answers: list[Answer], action: str, outcome: str, asked: int, reason: str | None
) -> None:
    """With at most two attempts; an unreachable address is retried.

    The reason of a fault is a printable line of bounded length; a proper answer has none.
    """
    one_turn = OneTurn(*answers)
    decision = await one_turn.decide()
    assert decision.action["action_type"] == action
    assert decision.outcome == outcome
    assert len(one_turn.asked) == asked
    assert (decision.reason is None) == (reason is None)
    assert (reason or "") in (decision.reason or "")
    assert (decision.reason or "").isprintable()
    assert len(decision.reason or "") <= FAULT_REASON_LIMIT


async def test_an_unreachable_player_is_retried_until_the_clock_ends() -> None:
    """Its card is read again each time, because the address may have changed."""
    one_turn = OneTurn(DEAD, seconds=0)
    decision = await one_turn.decide()
    assert decision.outcome == "unreachable"
    assert decision.latency == timedelta(seconds=10)
    assert one_turn.clock.time == 1010
    assert 10 < len(one_turn.asked) == one_turn.forgotten < 25


async def test_a_repeated_question_keeps_its_id() -> None:
    one_turn = OneTurn(DEAD, DEAD, CALL)
    await one_turn.decide()
    assert {request.request_id for request in one_turn.asked} == {"t1/1:1:1"}
    deadlines = [request.deadline_ms or 0 for request in one_turn.asked]
    assert deadlines == sorted(deadlines, reverse=True)
    assert deadlines[0] == 10_000


async def test_the_second_attempt_is_a_new_question_with_the_reason() -> None:
    """It has the fault, the legal actions, and the refused answer."""
    one_turn = OneTurn(UNDERBET, CALL)
    await one_turn.decide()
    first, second = one_turn.asked
    assert (first.request_id, second.request_id) == ("t1/1:1:1", "t1/1:1:2")
    assert first.rejected is None
    assert second.rejected is not None
    assert second.rejected.reason == "illegal"
    assert second.rejected.answer == {"action": "raise", "amount": 3}
    assert "to 3 is below the smallest, to 4" in second.rejected.message
    assert "legal are fold, call, raise (amount 4 to 200), all-in" in second.rejected.message


async def test_an_amount_that_is_no_total_but_an_increment_gets_a_hint() -> None:
    """One above the bet, but below the smallest raise, is a total: it gets none."""
    said = []
    for amount in (2, 3):
        one_turn = OneTurn(ActionResponse(action="raise", amount=amount), CALL)
        await one_turn.decide()
        rejected = one_turn.asked[1].rejected
        assert rejected
        said.append(rejected.message.partition(";")[0])
    assert said == [
        "raise to 2 is below the smallest, to 4 (amount is a total: did you mean 4?)",
        "raise to 3 is below the smallest, to 4",
    ]


async def test_an_agent_of_the_invoke_profile_adds_chips() -> None:
    """The question and its rejection say so, and the game gets a total."""
    one_turn = OneTurn(UNDERBET, ActionResponse(action="raise", amount=10))
    one_turn.peer.is_invoke = True
    decision = await one_turn.decide()
    assert (decision.action, decision.outcome) == (
        {"action_type": "raise", "amount": 10},
        "retried",
    )
    rejected = one_turn.asked[1].rejected
    assert rejected
    assert "raise adds fewer chips than the smallest (amount is what you add)" in rejected.message
    assert "legal are fold, call, raise (amount 4 to 200), all-in" in rejected.message


async def test_the_second_attempt_quotes_a_malformed_answer() -> None:
    one_turn = OneTurn(GARBAGE, CALL)
    await one_turn.decide()
    rejected = one_turn.asked[1].rejected
    assert rejected
    assert (rejected.reason, rejected.message) == ("malformed", "action: is missing")
    assert rejected.answer == {"move": "up"}


async def test_there_is_no_second_attempt_after_the_clock() -> None:
    one_turn = OneTurn(CHECK, seconds=10.5)
    decision = await one_turn.decide()
    assert (decision.outcome, len(one_turn.asked)) == ("illegal", 1)


@pytest.mark.parametrize(("second", "outcome"), [(CALL, "retried"), (UNDERBET, "illegal")])
async def test_refused_answers_cost_too(second: ActionResponse, outcome: str) -> None:
    first = Usage(model="large", input_tokens=900, cost_usd=0.5)
    then = Usage(model="small", input_tokens=100, latency_ms=7, cost_usd=0.25)
    answers = (
        answer.model_copy(update={"usage": usage})
        for answer, usage in ((UNDERBET, first), (second, then))
    )
    decision = await OneTurn(*answers).decide()
    assert decision.outcome == outcome
    assert decision.usage == Usage(model="small", input_tokens=1_000, latency_ms=7, cost_usd=0.75)
    both = usage_of_both(first, Usage())
    assert both is not None
    assert both.cost_usd is None


async def test_a_decision_has_message_and_reasoning() -> None:
    one_turn = OneTurn(ActionResponse(action="call", message="hm", reasoning="pot odds"))
    decision = await one_turn.decide()
    assert (decision.message, decision.reasoning) == ("hm", "pot odds")
    assert decision.latency == timedelta(seconds=0.1) or decision.latency < timedelta(seconds=0.2)


def test_a_request_has_all_that_its_player_may_know() -> None:
    _table, question = facing_the_blind()
    content = question.request(1, timedelta(seconds=10), None)
    request = ActionRequest.model_validate_json(content)
    assert (request.pot, request.current_bet, request.minimum_raise) == (3, 2, 2)
    assert (request.player_stack, request.to_call) == (200, 2)
    assert (request.min_raise_to, request.max_raise_to) == (4, 200)
    assert request.legal_actions == ("fold", "call", "raise", "all-in")
    assert request.hand_id == "t1/1"
    assert (request.button_seat, request.seat_number, request.player_id) == (0, 0, "p0")
    assert request.players is not None
    assert [(view.stack, view.bet, view.status) for view in request.players] == [
        (200, 0, "active"),
        (199, 1, "active"),
        (198, 2, "active"),
    ]
    assert request.history == ()
    assert len(request.hole_cards) == 2
