"""A language model as a joined bot: the sample player `llm` in the process of `casino join`."""

import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from casino_agentkit import CommandRefused, InvalidSettings
from casino_agentkit.violations import violations_text
from casino_contracts import GameActionRequest, HandNotice
from casino_play.errors import FunctionFailed
from pydantic import ValidationError

from casino.errors import NoModel

if TYPE_CHECKING:
    from casino_player_example.settings import PlayerSettings

_OPTIONS: Final[Mapping[str, str]] = {
    "llm_model": "--model",
    "llm_base_url": "--base-url",
    "llm_temperature": "--temperature",
    "llm_effort": "--reasoning-effort",
    "llm_max_tokens": "--max-tokens",
    "llm_headers": "--headers",
    "llm_body": "--body",
    "llm_prompt_file": "--prompt",
    "llm_token_budget": "--budget-tokens",
    "llm_usd_budget": "--budget-usd",
    "llm_transcript": "--transcript",
    "llm_publish_reasoning": "--publish-reasoning",
}
"""Settings of the player, and the options that set them; its other settings are variables."""
SAID_BY_THE_COMMAND: Final = (
    "casino_player_example.rulebook",
    "casino_player_example.styles.llm",
)
"""Loggers whose warnings are the command's own lines."""
_MILLISECOND: Final = timedelta(milliseconds=1)


class ModelBot:
    """Decides by a model; `ready` asks it one question before a seat is taken. `close` it."""

    def __init__(
        self,
        given: Mapping[str, Any],
        environment: Mapping[str, str],
        lobby: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Open the model of the settings that are given, and of the environment's.

        `lobby` has the specifications of games. Raises NoModel, which names an option, or the
        variable of a key that is missing.
        """
        given = {name: value for name, value in given.items() if value is not None}
        try:
            import httpx  # noqa: PLC0415
            from casino_player_example.any_game import ModelPlayer, build_players  # noqa: PLC0415

            settings = _settings(given, environment, lobby)
            http = httpx.AsyncClient(verify=tls or True)
            self._players = build_players(settings, http, time.monotonic, None)
        except InvalidSettings as error:
            raise NoModel(_in_options(str(error))) from error
        player = self._players.player
        assert isinstance(player, ModelPlayer)  # noqa: S101  that of the style llm is one
        self._player = player
        self.model: str = given["llm_model"]
        self.name = settings.display_name
        self.clock_ms = settings.llm_timeout // _MILLISECOND
        self.profile = self._player.profile
        self._patience = settings.llm_timeout

    async def ready(self) -> None:
        """Ask the model one question; raises NoModel with its provider's words."""
        try:
            await self._player.prepare(self._patience)
        except CommandRefused as refusal:
            raise NoModel(refusal.message) from refusal

    async def decide(self, turn: dict[str, Any]) -> Any:
        """Return the model's decision as JSON, or a default that says why it is one."""
        try:
            question = GameActionRequest.model_validate(turn)
        except ValidationError as error:
            raise FunctionFailed(violations_text(error, "question", at_most=3)) from error
        reply = await self._player.act(question)
        return reply.model_dump(mode="json")

    def notice(self, notice: dict[str, Any]) -> None:
        """Remember how the opponents played a hand; a notice that cannot be read is left out."""
        with suppress(ValidationError):
            self._player.notice(HandNotice.model_validate(notice))

    async def close(self) -> None:
        await self._players.stop()


def _settings(
    given: Mapping[str, Any], environment: Mapping[str, str], lobby: str | None
) -> "PlayerSettings":
    """Return the player's settings; raises InvalidSettings."""
    from casino_player_example.model_providers import provider_of  # noqa: PLC0415
    from casino_player_example.settings import PlayerSettings  # noqa: PLC0415

    try:
        return PlayerSettings.load(environment, style="llm", lobby_url=lobby, **given)
    except InvalidSettings as error:
        variables = provider_of(given["llm_model"])[0].key_variables
        missing = next((name for name in variables if name in str(error)), None)
        if missing is None:
            raise
        raise InvalidSettings(
            f"{error}: export {missing}=…, and then casino join --model {given['llm_model']} --up"
        ) from error


def _in_options(message: str) -> str:
    """Return a message of the settings in words of the command line."""
    from casino_player_example.settings import PlayerSettings  # noqa: PLC0415

    for name, option in _OPTIONS.items():
        message = message.replace(f"{PlayerSettings.prefix}{name.upper()}", option)
    return message
