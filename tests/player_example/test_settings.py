"""Settings of an LLM player."""

import pytest
from casino_agentkit import InvalidSettings
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings
from support.players.llm_harness import KEY


class TestSettings:
    """Required and secret settings."""

    GIVEN = (
        ("CASINO_PLAYER_LLM_BASE_URL", "http://127.0.0.1:11434/v1"),
        ("CASINO_PLAYER_LLM_MODEL", "qwen3"),
        ("CASINO_PLAYER_LLM_API_KEY", KEY),
    )

    @pytest.mark.parametrize("missing", [name for name, _ in GIVEN])
    def test_a_missing_variable_is_named(self, missing: str) -> None:
        """Only for the style that needs it."""
        given = {name: value for name, value in self.GIVEN if name != missing}
        with pytest.raises(InvalidSettings, match=f"the style llm needs {missing}$"):
            PlayerSettings.load(given, style="llm")
        assert PlayerSettings.load(given, style="generic").style == "generic"

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
            assert service.agents[""].name == "Llm"
