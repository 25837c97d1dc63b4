"""The token budget of a process of LLM players."""

import pytest
from casino_player_example.chat import TokenBudget
from casino_player_example.errors import OutOfTokens
from support.players.chat_server import (
    plain,
    stalling,
    status,
    streamed,
)
from support.players.llm_harness import PROSE, llm_harness
from support.table.any_game import BET, PASS


class TestTokens:
    """Tokens that a process may use."""

    async def test_no_call_is_made_beyond_the_cap(self) -> None:
        """The default action is taken."""
        async with llm_harness(plain(PROSE, tokens=3000), cap=3100) as harness:
            answers = [await harness.act(requestId=str(n)) for n in range(4)]
            assert [answer.action for answer in answers] == [BET, PASS, PASS, PASS]
            assert answers[1].reasoning == "[the default action: 3000 of 3100 tokens are spent]"
            assert harness.budget.spent == 3000
            assert len(harness.server.asked) == 1

    async def test_uncounted_tokens_are_estimated(self) -> None:
        """From prompt and answer; a count of 0 is ignored."""
        async with llm_harness(streamed(PROSE, tokens=None), plain(PROSE, tokens=0)) as harness:
            await harness.act()
            first = harness.budget.spent
            assert first > 100
            await harness.act(requestId="2")
            assert harness.budget.spent == 2 * first

    async def test_a_stalled_call_counts_in_full(self) -> None:
        """Its use is unknown."""
        async with llm_harness(stalling()) as harness:
            await harness.act(deadlineMs=300)
            assert harness.budget.spent > 200

    async def test_a_failed_call_costs_no_tokens(self) -> None:
        """Nothing was generated."""
        async with llm_harness(status(500)) as harness:
            await harness.act()
            assert harness.budget.spent == 0

    def test_reservations_count_while_they_run(self) -> None:
        """Players of a process share one budget."""
        budget = TokenBudget(100)
        with budget.reserve(60) as spending:
            with pytest.raises(OutOfTokens, match="60 of 100"), budget.reserve(50):
                pass
            spending.tokens = 10
        assert budget.spent == 10
