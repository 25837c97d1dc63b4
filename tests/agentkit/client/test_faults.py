"""Every failure of a call is an AgentError that says whose fault it is."""

import asyncio
from datetime import timedelta

import pytest
from casino_agentkit import (
    AgentError,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
    Violation,
)
from starlette.responses import Response
from support.players.odd_agent import SECOND, SOUP, Answer, Odd, order, peer_of, says, task
from support.players.sample_agent import Bill, Order, SampleAgent


class TestFaults:
    """Every failure is an `AgentError` that says whose fault it is."""

    @pytest.mark.parametrize(
        ("answer", "kind", "message"),
        [
            (says({"data": {"dish": 1}}), Malformed, "dish: "),
            (says({"text": "no idea"}), Malformed, "no JSON object"),
            (says(), Malformed, "no JSON object"),
            (
                lambda _: {"result": {"task": task("TASK_STATE_FAILED")}},
                RemoteRefused,
                "task failed",
            ),
            (
                lambda _: {"result": {"task": task("TASK_STATE_REJECTED")}},
                RemoteRefused,
                "task failed",
            ),
            (lambda _: {"error": {"code": -32603, "message": "boom"}}, RemoteRefused, "boom"),
            (lambda _: {"error": "boom"}, RemoteRefused, "without a reason"),
            (lambda _: {"error": {"code": 1, "data": [7, {"@type": 3}]}}, RemoteRefused, "without"),
            (lambda _: {}, ProtocolFault, "neither result nor error"),
            (lambda _: {"result": []}, ProtocolFault, "neither result nor error"),
            (lambda _: {"id": "other", "result": {}}, ProtocolFault, "copy id"),
            (lambda _: {"id": [7], "error": {"message": "boom"}}, ProtocolFault, "copy id"),
            (lambda _: {"id": None, "error": {"message": "boom"}}, RemoteRefused, "boom"),
            (lambda _: {"jsonrpc": "1.0", "error": {"message": "x"}}, ProtocolFault, "not a JSON"),
            (lambda _: Response("x" * 9, status_code=500), ProtocolFault, "HTTP status 500"),
            (lambda _: Response("<html>"), ProtocolFault, "not JSON"),
            (lambda _: Response(""), ProtocolFault, "the reply is empty"),
            (lambda _: Response("[]"), ProtocolFault, "not a JSON-RPC"),
            (lambda _: Response(status_code=302, headers={"location": "/"}), ProtocolFault, "302"),
            (lambda _: asyncio.sleep(9), TimedOut, "no reply within"),
            (lambda _: {"result": {"task": {"status": 3}}}, TimedOut, "not finished"),
            (
                lambda _: {"result": {"message": {"parts": [3, {"data": 4}]}}},
                Malformed,
                "the answer is a number, not a JSON object",
            ),
        ],
    )
    async def test_each_fault_raises_its_error(
        self, answer: Answer, kind: type[AgentError], message: str
    ) -> None:
        peer = await peer_of(Odd(answer).app())
        with pytest.raises(kind, match=message):
            await peer.call("order", SOUP, Bill, timeout=timedelta(milliseconds=300))

    async def test_a_refusal_keeps_reason_and_violations(self) -> None:
        """They arrive as the entrypoint raised them."""
        with pytest.raises(RemoteRefused) as refused:
            await order(SampleAgent().app(), Order(dish="stew", plates=1))
        assert refused.value.reason == "BAD_EXTRAS"
        assert refused.value.code == -32004
        assert refused.value.violations == (Violation("extras.0", "must go"),)
        assert refused.value.details == {"instead": "soup"}

    async def test_invalid_input_keeps_its_violations(self) -> None:
        wrong = Order.model_construct(dish="", plates=0, extras=[])
        with pytest.raises(RemoteRefused) as refused:
            await order(SampleAgent().app(), wrong)
        assert refused.value.code == -32602
        assert [fault.field for fault in refused.value.violations] == ["dish", "plates"]

    async def test_a_malformed_answer_is_in_the_error(self) -> None:
        with pytest.raises(Malformed) as malformed:
            await order(Odd(says({"data": {"dish": 1}})).app())
        assert malformed.value.content == {"dish": 1}

    @pytest.mark.parametrize(
        ("header", "seconds"),
        [
            ({"retry-after": "7"}, 7.0),
            ({"retry-after": "9" * 5_000}, 86_400.0),
            ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, None),
            ({"retry-after": "-1"}, None),
            ({}, None),
        ],
    )
    @pytest.mark.parametrize("status", [429, 503])
    async def test_a_busy_agent_says_when_to_call_again(
        self, status: int, header: dict[str, str], seconds: float | None
    ) -> None:
        """In seconds, at most a day; dates and nonsense count as nothing."""
        peer = await peer_of(Odd(lambda _: Response(status_code=status, headers=header)).app())
        with pytest.raises(ProtocolFault) as busy:
            await peer.call("order", SOUP, Bill, timeout=SECOND)
        assert (busy.value.status, busy.value.retry_after_s) == (status, seconds)

    async def test_a_dead_address_on_a_card_is_named(self) -> None:
        """The error quotes the address and says what to advertise instead."""
        peer = await peer_of(Odd(says(), url="http://dead:9").app())
        with pytest.raises(Unreachable, match=r"leads to http://dead:9/rpc.*others can reach"):
            await peer.call("order", SOUP, Bill, timeout=SECOND)
