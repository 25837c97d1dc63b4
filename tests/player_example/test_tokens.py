"""The budget of a process of LLM players."""

import pytest
from casino_agentkit import InvalidSettings
from casino_player_example.errors import BudgetSpent
from casino_player_example.model_costs import ModelBudget
from support.players.llm_harness import PROSE, LlmHarness
from support.players.model_server import MODELS, hangs, says, status
from support.table.any_game import BET, PASS


class TestBudget:
    """Tokens and money that a process may use."""

    async def test_no_call_is_made_beyond_the_tokens(self) -> None:
        """The default action is taken, and says so."""
        reply = says(PROSE, tokens=(2900, 100))
        async with LlmHarness(reply, token_budget=3100) as harness:
            answers = [await harness.act(requestId=str(n)) for n in range(4)]
            assert [answer.action for answer in answers] == [BET, PASS, PASS, PASS]
            defaulted = answers[1].defaulted
            assert defaulted is not None
            assert (defaulted.reason, defaulted.detail) == (
                "budget",
                "3000 of 3100 tokens are spent",
            )
            assert answers[1].usage is None
            assert harness.spent == 3000
            assert len(harness.server.asked) == 1

    async def test_no_call_is_made_beyond_the_money(self) -> None:
        """What it may cost at most is reserved before."""
        reply = says(PROSE, tokens=(100_000, 10_000))
        model = MODELS["anthropic"]  # 3 dollars a million tokens of prompts, and 15 of answers
        async with LlmHarness(reply, model=model, token_budget=10**9, usd_budget=1.0) as harness:
            answers = [await harness.act(requestId=str(n)) for n in range(4)]
        assert [answer.usage and answer.usage.cost_usd for answer in answers] == [
            *(0.45, 0.45, 0.45)[:2],
            *(0.45, None),
        ]
        assert answers[3].defaulted is not None
        assert answers[3].defaulted.reason == "budget"

    def test_money_needs_a_price(self) -> None:
        with pytest.raises(InvalidSettings, match="the price of stand-in is not known"):
            LlmHarness(says(PROSE), usd_budget=1.0)

    async def test_an_unknown_price_is_absent(self) -> None:
        """It is not 0."""
        async with LlmHarness(says(PROSE)) as harness:
            answer = await harness.act()
        assert answer.usage is not None
        assert answer.usage.cost_usd is None
        assert answer.usage.input_tokens == 40

    async def test_uncounted_tokens_are_estimated(self) -> None:
        """From prompt and answer; a count of 0 is ignored."""
        async with LlmHarness(says(PROSE, tokens=None), says(PROSE, tokens=(0, 0))) as harness:
            await harness.act()
            first = harness.spent
            assert first > 100
            await harness.act(requestId="2")
            assert harness.spent == 2 * first

    async def test_a_stalled_call_counts_in_full(self) -> None:
        """Its use is unknown."""
        async with LlmHarness(hangs) as harness:
            await harness.act()
            assert harness.spent > 200

    async def test_a_failed_call_costs_no_tokens(self) -> None:
        """Nothing was generated."""
        async with LlmHarness(status(500)) as harness:
            await harness.act()
            assert harness.spent == 0

    def test_reservations_count_while_they_run(self) -> None:
        """Players of a process share one budget."""
        budget = ModelBudget(100)
        with budget.reserve(60) as spending:
            with pytest.raises(BudgetSpent, match="60 of 100"), budget.reserve(50):
                pass
            spending.tokens = 10
        assert budget.spent.tokens == 10
