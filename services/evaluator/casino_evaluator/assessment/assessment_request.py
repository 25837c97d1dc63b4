"""Request of an assessment, as AgentBeats sends it: `{participants: {role: endpoint}, config}`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import orjson
from a2a.types import Message
from casino_agentkit.protobuf_values import from_value
from casino_agentkit.violations import violations_text
from casino_contracts.base import Url
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from casino_evaluator.domain.levels import ExaminedGame, ExaminedGames
from casino_evaluator.errors import ErrorName, RequestRefused

DRAW: Final = "draw"
"""The winner where nobody is alone at the top, so no role has this name."""
MOST_PARTICIPANTS: Final = 16
_MOST_GAMES: Final = 32
_MOST_LEVELS: Final = 254
_FAULTS_SHOWN: Final = 3
_EXAMPLE: Final = '{"participants": {"alice": "http://127.0.0.1:4101"}, "config": {}}'


def _role(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError("must be printable, without spaces around it")
    if text == DRAW:
        raise ValueError(f"must not be {DRAW!r}, which is the result without a winner")
    return text


Role = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_role)]


class _Model(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, hide_input_in_errors=True, allow_inf_nan=False
    )


class _Config(_Model):
    games: Annotated[list[str], Field(min_length=1, max_length=_MOST_GAMES)] | None = None
    levels: Annotated[int, Field(ge=1, le=_MOST_LEVELS)] | None = None
    seed: Annotated[str, Field(max_length=128)] = ""
    action_timeout_ms: Annotated[int, Field(ge=100, le=60_000)] = 5_000


class _Request(_Model):
    participants: Annotated[dict[Role, Url], Field(min_length=1, max_length=MOST_PARTICIPANTS)]
    config: _Config = _Config()


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is asked for."""

    participants: Mapping[str, str]
    """The URL of each participant's card, or of the participant itself, by role."""
    games: tuple[ExaminedGame, ...]
    levels: int
    """How many levels of each game are played at most."""
    seed: str
    """Decides the deals together with the evaluator's seed."""
    action_timeout_ms: int
    """How long a participant may think about one action."""


def read_assessment(message: Message, games: ExaminedGames) -> Assessment:
    """Read the only part, data or JSON text. Raises RequestRefused, which names the field."""
    content = _content(message)
    try:
        request = _Request.model_validate(content)
    except ValidationError as error:
        faults = violations_text(error, "request", data=content, at_most=_FAULTS_SHOWN)
        raise _refusal(faults) from error
    config = request.config
    return Assessment(
        participants=request.participants,
        games=_chosen(config.games, games),
        levels=config.levels or _MOST_LEVELS,
        seed=config.seed,
        action_timeout_ms=config.action_timeout_ms,
    )


def _content(message: Message) -> Any:
    """Return the JSON of a message. Raises RequestRefused if there is not exactly one."""
    data = [part.data for part in message.parts if part.HasField("data")]
    texts = [part.text for part in message.parts if part.HasField("text")]
    try:
        if len(data) == 1:
            return from_value(data[0])
        if not data and len(texts) == 1:
            return orjson.loads(texts[0])
    except ValueError as error:  # of which orjson's is one
        raise _refusal(f"the request is no JSON; send for example {_EXAMPLE}") from error
    raise _refusal(f"send one part, text or data, for example {_EXAMPLE}")


def _chosen(names: list[str] | None, games: ExaminedGames) -> tuple[ExaminedGame, ...]:
    if names is None:
        return games.all
    chosen: dict[str, ExaminedGame] = {}
    for number, name in enumerate(names):
        try:
            game = games.find(name)
        except RequestRefused as refusal:
            listed = ", ".join(examined.game_id for examined in games.all)
            text = f"config.games.{number}: {refusal.message}; there are {listed}"
            raise _refusal(text) from refusal
        chosen[game.game_id] = game
    return tuple(chosen.values())


def _refusal(text: str) -> RequestRefused:
    return RequestRefused(ErrorName.VALIDATION_ERROR, text)
