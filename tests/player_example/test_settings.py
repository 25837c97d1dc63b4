"""Settings of an LLM player."""

import pytest
from casino_agentkit import InvalidSettings
from casino_player_example.app import build_app
from casino_player_example.model_providers import PROVIDERS, ModelProvider
from casino_player_example.settings import PlayerSettings
from pydantic import SecretStr
from support.players.model_server import KEY


class TestSettings:
    """Required and secret settings."""

    GIVEN = (
        ("CASINO_PLAYER_LLM_BASE_URL", "http://127.0.0.1:11434/v1"),
        ("CASINO_PLAYER_LLM_MODEL", "qwen3"),
        ("CASINO_PLAYER_LLM_API_KEY", KEY),
    )

    @pytest.mark.parametrize(
        ("given", "missing"),
        [
            ({}, "the style llm needs CASINO_PLAYER_LLM_MODEL"),
            (
                {"CASINO_PLAYER_LLM_MODEL": "qwen3:8b"},
                "the style llm needs CASINO_PLAYER_LLM_BASE_URL",
            ),
            ({"CASINO_PLAYER_LLM_MODEL": "anthropic:x"}, "key of anthropic in ANTHROPIC_API_KEY$"),
        ],
    )
    def test_a_missing_variable_is_named(self, given: dict[str, str], missing: str) -> None:
        """Only for the style that needs it."""
        with pytest.raises(InvalidSettings, match=missing):
            PlayerSettings.load(given, style="llm")
        assert PlayerSettings.load(given, style="generic").style == "generic"

    @pytest.mark.parametrize("provider", PROVIDERS.values())
    def test_the_key_is_in_the_provider_s_usual_variable(self, provider: ModelProvider) -> None:
        """Unless the player's own is set."""
        name = f"{provider.name}:a/model"
        usual = dict.fromkeys(provider.key_variables, KEY)
        read = PlayerSettings.load(usual, style="llm", llm_model=name)
        assert read.llm_api_key == (SecretStr(KEY) if usual else None)
        assert read.display_name == "model"
        own = {"CASINO_PLAYER_LLM_API_KEY": "own", "CASINO_PLAYER_LLM_MODEL": name}
        assert PlayerSettings.load(usual | own, style="llm").llm_api_key == SecretStr("own")

    def test_headers_are_secret_and_checked(self) -> None:
        headers = {"CASINO_PLAYER_LLM_HEADERS": '{"x-key": "of the gateway"}'}
        read = PlayerSettings.load(dict(self.GIVEN) | headers, style="llm")
        assert read.headers_of_llm == {"x-key": "of the gateway"}
        assert "of the gateway" not in repr(read)
        headers = {"CASINO_PLAYER_LLM_HEADERS": '{"x-key": 7}'}
        with pytest.raises(InvalidSettings, match="LLM_HEADERS: .*JSON object of texts"):
            PlayerSettings.load(dict(self.GIVEN) | headers, style="llm")

    def test_the_key_is_never_shown(self) -> None:
        """Neither by settings nor by their errors."""
        assert KEY not in repr(PlayerSettings.load(dict(self.GIVEN), style="llm"))
        given = {**dict(self.GIVEN), "CASINO_PLAYER_LLM_API_KEY": f"{KEY}\nx"}
        with pytest.raises(InvalidSettings, match="LLM_API_KEY: .*one word") as refused:
            PlayerSettings.load(given, style="llm")
        assert KEY not in str(refused.value)

    async def test_an_app_is_built_of_the_settings(self) -> None:
        """Without a call to the model's server."""
        settings = PlayerSettings.load(dict(self.GIVEN), style="llm")
        service = build_app(settings, "http://player")
        async with service.running():
            assert service.agents[""].name == "qwen3"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_numbers_for_a_model_are_finite(number: str) -> None:
    """No provider reads another one, so it would fail at every decision."""
    body = f'{{"top_p": [{number}]}}'
    with pytest.raises(InvalidSettings, match="CASINO_PLAYER_LLM_BODY: .*finite"):
        PlayerSettings.load({"CASINO_PLAYER_LLM_BODY": body})
    with pytest.raises(InvalidSettings, match="CASINO_PLAYER_LLM_USD_BUDGET: must be a finite"):
        PlayerSettings.load({"CASINO_PLAYER_LLM_USD_BUDGET": number})
