"""What an LLM player asks a model, and how it reads the answers."""

from datetime import timedelta

import pytest
from casino_agentkit import CommandRefused
from support.players.llm_harness import PROSE, LlmHarness
from support.players.model_server import Reply, says, sensible, status
from support.specifications import specification
from support.table.any_game import BET, PASS

SOON = timedelta(seconds=8)


@pytest.mark.parametrize("stream", [True, False])
async def test_json_in_a_fence_is_the_action(stream: bool) -> None:  # noqa: FBT001
    """Whole or streamed; the prose is the reasoning."""
    async with LlmHarness(says(PROSE), stream=stream) as harness:
        answer = await harness.act()
        assert answer.action == BET
        assert answer.reasoning == "The king is best, so I bet."
        assert harness.server.asked[0].is_stream is stream
        assert harness.spent == 50


@pytest.mark.parametrize(
    "reply",
    [
        says('{"action_type": "bet"}', thoughts="A king, so bet."),
        says('<think>A king, so bet. Not {"action_type": "PASS"}.</think>{"action_type": "BET"}'),
        says('{"reasoning": "A king, so bet.", "action_type": "BET"}'),
        says('A king, so bet. {"action_type": "BET"}', tokens=None),
    ],
)
async def test_thoughts_become_reasoning(reply: Reply) -> None:
    """In a field of their own, between tags, or inside the object."""
    async with LlmHarness(reply) as harness:
        answer = await harness.act()
        assert answer.action == BET
        assert "A king, so bet." in (answer.reasoning or "")


async def test_the_prompt_has_the_rules_the_state_and_the_actions() -> None:
    """Also of a game without an adapter of its own."""
    async with LlmHarness(says(PROSE)) as harness:
        harness.lobby.documents["new_game"] = specification(gameType="new_game", rules="Be brave.")
        await harness.act(gameType="new_game")
        system, user = (text for _, text in harness.server.asked[0].messages)
        assert "Be brave." in system
        assert '{"public": {"pot": 2}, "private": {"card": "K"}}' in user
        assert '{"action_type": "BET"}\n{"action_type": "PASS"}' in user


async def test_the_prompt_has_the_table_s_refusal() -> None:
    """At the second attempt."""
    async with LlmHarness(says(PROSE)) as harness:
        await harness.act(rejected={"reason": "illegal", "message": "the bet is too small"})
        assert "the bet is too small" in harness.server.asked[0].messages[1][1]


@pytest.mark.parametrize(
    "nonsense",
    ["I would rather not say.", '{"action_type": "SHOUT"}', "{{{{", '{"action": 7}', "{}" * 5000],
)
async def test_an_unreadable_answer_is_requested_again(nonsense: str) -> None:
    """The second prompt quotes the fault."""
    async with LlmHarness(says(nonsense), says(PROSE)) as harness:
        assert (await harness.act()).action == BET
        (role, _), (_, asked) = harness.server.asked[1].messages[2:]
        assert role == "assistant"
        assert "BET" in asked
        assert len(harness.server.asked) == 2
        assert harness.spent == 100


async def test_two_unreadable_answers_become_the_default_action() -> None:
    """The reasoning says so."""
    async with LlmHarness(says("No.")) as harness:
        answer = await harness.act()
        assert answer.action == PASS
        assert answer.defaulted is not None
        assert answer.defaulted.reason == "unparsable"
        assert answer.reasoning == "No.\nNo."
        assert len(harness.server.asked) == 2


async def test_the_sensible_stand_in_takes_the_first_offer() -> None:
    """With its smallest amount."""
    async with LlmHarness(sensible) as harness:
        assert (await harness.act()).action == BET
        bet = {"action_type": "BET", "min": 3, "max": 9}
        harness.lobby.documents.clear()
        answer = await harness.act(availableActions=[bet, PASS], gameType="dice")
        assert answer.action == {"action_type": "BET", "amount": 3}


async def test_calls_that_disagree_are_no_action() -> None:
    """Neither is the final one; a call may also be named as the action."""
    both = (("act", BET), ("act", PASS))
    async with LlmHarness(says(calls=both), says(calls=(("BET", {}),))) as harness:
        answer = await harness.act()
        assert answer.action == BET
        assert answer.defaulted is None
        assert "2 different actions" in harness.server.asked[1].messages[-1][1]


async def test_broken_arguments_are_no_action() -> None:
    """Of a tool that is named as an action, too."""
    async with LlmHarness(says(calls=(("BET", [1]),)), says(PROSE)) as harness:
        assert (await harness.act()).action == BET
        assert "no JSON object" in harness.server.asked[1].messages[-1][1]


async def test_an_answer_after_a_refused_one_says_what_it_cost_alone() -> None:
    """Whoever asks adds up: `Turn.decide` counts refused answers too."""
    async with LlmHarness(says(PROSE)) as harness:
        first = await harness.act()
        rejected = {"reason": "illegal", "message": "no"}
        second = await harness.act(requestId="t1/7:1:2", rejected=rejected)
    attempts = [answer.usage.attempts for answer in (first, second) if answer.usage]
    assert attempts == [1, 1]


async def test_a_seat_is_refused_while_the_model_does_not_answer() -> None:
    """The invitation gets the provider's words; a later one asks again, and then never more."""
    replies = status(401, "Incorrect API key provided."), says("ready")
    async with LlmHarness(*replies) as harness:
        with pytest.raises(CommandRefused, match=r"Incorrect API key provided\. \(check the key"):
            await harness.player.prepare(SOON)
        await harness.player.prepare(SOON)
        await harness.player.prepare(SOON)
        assert len(harness.server.asked) == 2


async def test_a_slow_first_answer_is_for_the_next_invitation() -> None:
    async with LlmHarness(says("ready", after_s=20)) as harness:
        with pytest.raises(CommandRefused, match="has not answered a question within 8 s"):
            await harness.player.prepare(SOON)
        with pytest.raises(CommandRefused):
            await harness.player.prepare(SOON)
        await harness.player.prepare(SOON)
        assert len(harness.server.asked) == 1
