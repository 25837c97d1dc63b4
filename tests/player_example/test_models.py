"""What a decision says whose model's provider behaves in any of the ways that providers do."""

import pytest
from support.players.llm_harness import LlmHarness
from support.players.model_server import KEY, MODELS, PROTOCOLS, WAYS
from support.table.any_game import BET, PASS


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("way", WAYS)
async def test_a_decision_says_who_made_it(way: str, protocol: str, stream: bool) -> None:  # noqa: FBT001
    """The model, or a default: why, in the provider's words, without the key."""
    expected = WAYS[way]
    async with LlmHarness(expected.reply, model=MODELS[protocol], stream=stream) as harness:
        answer = await harness.act()
    assert harness.server.asked[0].protocol == protocol
    assert KEY in harness.server.asked[0].key
    assert answer.usage is not None
    assert answer.usage.model == MODELS[protocol].partition(":")[2]
    assert answer.usage.attempts == len(harness.server.asked)
    if expected.reason is None:
        assert answer.defaulted is None
        assert answer.action == BET
        assert answer.usage.input_tokens == 40
        assert answer.usage.output_tokens == 10
        assert answer.usage.cost_usd
        return
    assert answer.defaulted is not None
    assert answer.action == PASS
    assert answer.defaulted.reason == expected.reason
    assert expected.words in (answer.defaulted.detail or "")
    assert answer.defaulted.detail
    assert answer.reasoning is None or expected.reason == "unparsable"
