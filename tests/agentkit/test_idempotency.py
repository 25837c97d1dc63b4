"""The memory of answered questions."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from casino_agentkit import AgentClient, IdempotencyCache, InProcessTransport
from casino_agentkit.protocol import REST_PATH
from support.players.sample_agent import Bill, Order, SampleAgent

SECOND = timedelta(seconds=1)


async def ask(kitchen: SampleAgent, **order: object) -> Bill:
    """Order soup with a request id."""
    client = AgentClient(InProcessTransport({"http://k": kitchen.app()}))
    peer = await client.resolve("http://k", timeout=SECOND)
    said = Order.model_validate({"dish": "soup", "plates": 2, "requestId": "q-1", **order})
    return await peer.call("order", said, Bill, timeout=SECOND)


@pytest.fixture
def kitchen() -> SampleAgent:
    """Return a kitchen that remembers its last two orders."""
    return SampleAgent(memory=IdempotencyCache("requestId", ignoring=("hurryMs",), size=2))


class TestQuestions:
    """What makes two questions one."""

    async def test_the_same_question_gets_the_same_answer(self, kitchen: SampleAgent) -> None:
        """The cook is asked once."""
        assert await ask(kitchen) == await ask(kitchen)
        assert kitchen.cooked == 1

    async def test_ignored_fields_may_differ(self, kitchen: SampleAgent) -> None:
        """Less time is left the second time."""
        await ask(kitchen, hurryMs=900)
        await ask(kitchen, hurryMs=100)
        assert kitchen.cooked == 1

    async def test_another_input_is_another_question(self, kitchen: SampleAgent) -> None:
        """Even under the same id."""
        assert (await ask(kitchen, plates=1)).total != (await ask(kitchen, plates=3)).total

    async def test_without_an_id_every_question_is_new(self, kitchen: SampleAgent) -> None:
        """Nothing is remembered."""
        await ask(kitchen, requestId=None)
        await ask(kitchen, requestId=None)
        assert kitchen.cooked == 2

    async def test_the_oldest_is_forgotten(self, kitchen: SampleAgent) -> None:
        """The memory is bounded."""
        for request_id in ("q-1", "q-2", "q-3", "q-3", "q-1"):
            await ask(kitchen, requestId=request_id)
        assert kitchen.cooked == 4

    async def test_every_binding_shares_it(self, kitchen: SampleAgent) -> None:
        """A question asked again over HTTP+JSON is still the same."""
        await ask(kitchen)
        order = {"dish": "soup", "plates": 2, "extras": [], "requestId": "q-1", "hurryMs": None}
        said = {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": order}]}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(kitchen.app())) as http:
            reply = await http.post(
                f"http://k{REST_PATH}/message:send",
                json={"message": {**said, "metadata": {"skillId": "order"}}},
                headers={"A2A-Version": "1.0"},
            )
        assert reply.json()["message"]["parts"][0]["data"]["number"] == 1
        assert kitchen.cooked == 1


class TestConcurrency:
    """A question that is being answered is not answered twice."""

    async def test_a_second_asker_waits_for_the_first(self) -> None:
        """Both get the one answer."""
        memory, gate, asked = IdempotencyCache(), asyncio.Event(), 0

        async def slow() -> int:
            nonlocal asked
            asked += 1
            await gate.wait()
            return asked

        key = memory.key("s", {"requestId": "q"})
        assert key is not None
        both = asyncio.gather(memory.answer(key, slow), memory.answer(key, slow))
        await asyncio.sleep(0)
        gate.set()
        assert list(await both) == [1, 1]

    async def test_a_failure_is_told_to_all_and_forgotten(self) -> None:
        """The next asker tries again."""
        memory, gate = IdempotencyCache(), asyncio.Event()

        async def fail() -> int:
            await gate.wait()
            raise ValueError("burnt")

        async def succeed() -> int:
            return 5

        key = memory.key("s", {"requestId": "q"})
        assert key is not None
        both = asyncio.gather(
            memory.answer(key, fail), memory.answer(key, fail), return_exceptions=True
        )
        await asyncio.sleep(0)
        gate.set()
        assert [type(error) for error in await both] == [ValueError, ValueError]
        assert await memory.answer(key, succeed) == 5

    @pytest.mark.parametrize("data", [None, [], "x", {}, {"requestId": 7}, {"requestId": None}])
    def test_only_text_is_an_id(self, data: object) -> None:
        """Anything else makes every question new."""
        assert IdempotencyCache().key("s", data) is None
