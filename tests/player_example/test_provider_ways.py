"""What a decision says whose model's provider behaves in any of the ways that providers do."""

import json
from typing import Any

import pytest
from casino_agentkit import InvalidSettings
from support.players.llm_harness import LlmHarness
from support.players.model_server import KEY, MODELS, PROTOCOLS, WAYS, raw, says
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


ANSWER = '{"action_type": "BET"}'
GOOGLE = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": ANSWER}]}, "finishReason": "STOP"}
    ],
    "usageMetadata": {
        "promptTokenCount": 40,
        "candidatesTokenCount": 10,
        "totalTokenCount": 50,
    },
}
_CHAT = "chat/completions"


@pytest.mark.parametrize(
    ("model", "base_url", "url", "limit"),
    [
        ("openai:m", None, f"https://api.openai.com/v1/{_CHAT}", "max_completion_tokens"),
        ("openai-responses:m", None, "https://api.openai.com/v1/responses", "max_output_tokens"),
        ("anthropic:m", None, "https://api.anthropic.com/v1/messages", "max_tokens"),
        ("anthropic:m", "http://here/v1", "http://here/v1/messages", "max_tokens"),
        ("openrouter:a/m", None, f"https://openrouter.ai/api/v1/{_CHAT}", "max_tokens"),
        ("openrouter:a/m", "http://here/v1", f"http://here/v1/{_CHAT}", "max_tokens"),
        ("ollama:m:8b", None, f"http://127.0.0.1:11434/v1/{_CHAT}", "max_tokens"),
        ("m:8b", "http://here:8000/v1", f"http://here:8000/v1/{_CHAT}", "max_tokens"),
        (
            "m",
            "https://api.openai.com/v1",
            f"https://api.openai.com/v1/{_CHAT}",
            "max_completion_tokens",
        ),
        (
            "google:m",
            None,
            "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
            "generationConfig",
        ),
    ],
)
async def test_a_provider_is_asked_as_it_expects(
    model: str, base_url: str | None, url: str, limit: str
) -> None:
    """At its address or another one, with the key, the limit, and what else is set."""
    more: dict[str, Any] = {
        "base_url": base_url,
        "stream": False,
        "temperature": 0.5,
        "headers": '{"x-team": "green"}',
        "body": '{"note": 7}',
    }
    reply = says(ANSWER)
    if model == "google:m":
        reply = raw(json.dumps(GOOGLE).encode())
        with pytest.raises(InvalidSettings, match="LLM_BODY: google takes none"):
            LlmHarness(reply, model=model, **more)
        del more["body"]
    async with LlmHarness(reply, model=model, **more) as harness:
        answer = await harness.act()
        assert harness.spent == 50
    (asked,) = harness.server.asked
    assert answer.action == BET, answer.defaulted
    assert asked.url == url
    assert asked.key == KEY
    assert asked.headers["x-team"] == "green"
    assert asked.body.get("note") == (7 if "body" in more else None)
    assert limit in asked.body
    assert "0.5" in json.dumps(asked.body)
