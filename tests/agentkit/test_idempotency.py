"""Answers that are remembered by request id."""

import asyncio
from datetime import timedelta
from types import SimpleNamespace

import httpx
import orjson
import pytest
from casino_agentkit import AgentClient, IdempotencyCache
from casino_agentkit.protocol import REST_PATH
from support.in_process import InProcessTransport
from support.players.sample_agent import Bill, Order, SampleAgent

SECOND = timedelta(seconds=1)


async def ask(sample: SampleAgent, **order: object) -> Bill:
    client = AgentClient(InProcessTransport({"http://sample": sample.app()}))
    peer = await client.resolve("http://sample", timeout=SECOND)
    said = Order.model_validate({"dish": "soup", "plates": 2, "requestId": "q-1", **order})
    return await peer.call("order", said, Bill, timeout=SECOND)


@pytest.fixture
def sample() -> SampleAgent:
    """Return a sample agent that remembers its last two orders."""
    return SampleAgent(memory=IdempotencyCache("requestId", ignoring=("hurryMs",), size=2))


class TestQuestions:
    async def test_the_same_question_gets_the_same_answer(self, sample: SampleAgent) -> None:
        assert await ask(sample) == await ask(sample)
        assert sample.cooked == 1

    async def test_ignored_fields_may_differ(self, sample: SampleAgent) -> None:
        """As the time that is left."""
        await ask(sample, hurryMs=900)
        await ask(sample, hurryMs=100)
        assert sample.cooked == 1

    async def test_another_input_is_another_question(self, sample: SampleAgent) -> None:
        assert (await ask(sample, plates=1)).total != (await ask(sample, plates=3)).total

    async def test_without_an_id_every_question_is_new(self, sample: SampleAgent) -> None:
        await ask(sample, requestId=None)
        await ask(sample, requestId=None)
        assert sample.cooked == 2

    async def test_the_oldest_answer_is_forgotten(self, sample: SampleAgent) -> None:
        for request_id in ("q-1", "q-2", "q-3", "q-3", "q-1"):
            await ask(sample, requestId=request_id)
        assert sample.cooked == 4

    async def test_every_binding_shares_the_memory(self, sample: SampleAgent) -> None:
        await ask(sample)
        order = {"dish": "soup", "plates": 2, "extras": [], "requestId": "q-1", "hurryMs": None}
        said = {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": order}]}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(sample.app())) as http:
            reply = await http.post(
                f"http://k{REST_PATH}/message:send",
                json={"message": {**said, "metadata": {"skillId": "order"}}},
                headers={"A2A-Version": "1.0"},
            )
        assert reply.json()["message"]["parts"][0]["data"]["number"] == 1
        assert sample.cooked == 1


def test_a_large_input_is_kept_as_its_digest() -> None:
    """So that the answers that are remembered keep no bodies."""
    memory = IdempotencyCache()
    for size in (100, 60_000):
        written = b'{"requestId":"q","say":"%b"}' % (b"x" * size)
        key = memory.key_of_json("s", written, SimpleNamespace(request_id="q"))
        assert key is not None
        assert len(key.content) < 200
        memory.computed(key, lambda: 1)
        again = memory.key("s", orjson.loads(written))
        assert again is not None
        assert memory.computed(again, lambda: 2) == 1


class TestConcurrency:
    """A request that is being answered is not answered twice."""

    async def test_a_second_request_waits_for_the_first(self) -> None:
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

    async def test_a_failure_reaches_all_who_wait_and_is_forgotten(self) -> None:
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
        assert IdempotencyCache().key("s", data) is None
