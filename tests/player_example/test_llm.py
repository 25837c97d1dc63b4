"""What an LLM player asks a model, and how it reads the answers."""

import pytest
from support.players.chat_server import (
    Reply,
    chunk,
    plain,
    raw,
    sensible,
    streamed,
)
from support.players.llm_harness import KEY, PROSE, llm_harness
from support.specifications import specification
from support.table.any_game import BET, PASS


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("reply", [streamed(PROSE), plain(PROSE)])
async def test_json_in_a_fence_is_the_action(reply: Reply, stream: bool) -> None:  # noqa: FBT001
    """Whole or streamed; the prose is the reasoning."""
    async with llm_harness(reply, stream=stream) as harness:
        answer = await harness.act()
        assert answer.action == BET
        assert "The king is best, so I bet." in (answer.reasoning or "")
        assert harness.server.asked[0]["stream"] is stream
        assert harness.server.asked[0]["max_tokens"] == 200
        assert harness.server.authorizations == [f"Bearer {KEY}"]
        assert harness.budget.spent == 50


@pytest.mark.parametrize(
    "reply",
    [
        streamed('{"action_type": "bet"}', thoughts="A king, so bet."),
        plain('{"action_type": "Bet"}', reasoning_content="A king, so bet."),
        plain('<think>A king, so bet. Not {"action_type": "PASS"}.</think>{"action_type": "BET"}'),
        plain('{"reasoning": "A king, so bet.", "action_type": "BET"}'),
        streamed('A king, so bet. {"action_type": "BET"}', tokens=None),
    ],
)
async def test_thoughts_become_reasoning(reply: Reply) -> None:
    """In a field of their own, between tags, or inside the object."""
    async with llm_harness(reply) as harness:
        answer = await harness.act()
        assert answer.action == BET
        assert "A king, so bet." in (answer.reasoning or "")


async def test_the_prompt_has_the_rules_the_state_and_the_actions() -> None:
    """Also of a game without an adapter of its own."""
    async with llm_harness(plain(PROSE)) as harness:
        harness.lobby.documents["new_game"] = specification(gameType="new_game", rules="Be brave.")
        await harness.act(gameType="new_game")
        system, user = (message["content"] for message in harness.server.asked[0]["messages"])
        assert "Be brave." in system
        assert '{"public": {"pot": 2}, "private": {"card": "K"}}' in user
        assert '{"action_type": "BET"}\n{"action_type": "PASS"}' in user


async def test_the_prompt_has_the_table_s_refusal() -> None:
    """At the second attempt."""
    async with llm_harness(plain(PROSE)) as harness:
        await harness.act(rejected={"reason": "illegal", "message": "the bet is too small"})
        assert "the bet is too small" in harness.server.asked[0]["messages"][1]["content"]


@pytest.mark.parametrize(
    "nonsense",
    ["I would rather not say.", '{"action_type": "SHOUT"}', "{{{{", '{"action": 7}', "{}" * 5000],
)
async def test_an_unreadable_answer_is_requested_again(nonsense: str) -> None:
    """The second prompt quotes the fault."""
    async with llm_harness(plain(nonsense), streamed(PROSE)) as harness:
        assert (await harness.act()).action == BET
        said, asked = harness.server.asked[1]["messages"][2:]
        assert said["role"] == "assistant"
        assert "BET" in asked["content"]
        assert len(harness.server.asked) == 2
        assert harness.budget.spent == 100


async def test_two_unreadable_answers_become_the_default_action() -> None:
    """The reasoning says so."""
    async with llm_harness(plain("No.")) as harness:
        answer = await harness.act()
        assert answer.action == PASS
        assert (answer.reasoning or "").startswith("[the default action: the model's answers")
        assert len(harness.server.asked) == 2


async def test_a_huge_answer_is_cut() -> None:
    """An endless stream is left; reasoning has at most 4,000 characters."""
    endless = [chunk(content="blah " * 1000) for _ in range(200)]
    async with llm_harness(raw(*endless)) as harness:
        answer = await harness.act()
        assert answer.action == PASS
        assert len(answer.reasoning or "") == 4000


async def test_the_sensible_stand_in_takes_the_first_offer() -> None:
    """With its smallest amount."""
    async with llm_harness(sensible) as harness:
        assert (await harness.act()).action == BET
        bet = {"action_type": "BET", "min": 3, "max": 9}
        harness.lobby.documents.clear()
        answer = await harness.act(availableActions=[bet, PASS], gameType="dice")
        assert answer.action == {"action_type": "BET", "amount": 3}
