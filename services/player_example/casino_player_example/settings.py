"""Settings of a process of sample players, and who may call them."""

import re
from datetime import timedelta
from typing import Annotated, ClassVar, Self

from casino_agentkit import (
    ANYONE,
    AddressKeyRule,
    Duration,
    Key,
    Rule,
    Scheme,
    ServiceSettings,
    new_key,
)
from casino_contracts.base import Url
from pydantic import AfterValidator, Field, SecretStr, model_validator

from casino_player_example.style_catalogue import Style

_ADDRESS_WORD = re.compile(r"[A-Za-z0-9._~-]*")
PLAYER = Scheme(
    "playerKey", "this player's key (register the player by `/t/KEY/.well-known/agent-card.json`)"
)


def _one_word(key: SecretStr) -> SecretStr:
    value = key.get_secret_value()
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise ValueError("must be one word of ASCII letters, digits and signs")
    return key


ApiKey = Annotated[SecretStr, AfterValidator(_one_word)]
"""An API key that is valid in an HTTP header; never logged."""


def _check_url_safe(key: SecretStr) -> SecretStr:
    if not _ADDRESS_WORD.fullmatch(key.get_secret_value()):
        raise ValueError("must consist of letters, digits and . _ ~ -, because it is part of a URL")
    return key


class PlayerSettings(ServiceSettings):
    """Settings read from `CASINO_PLAYER_…`."""

    prefix: ClassVar[str] = "CASINO_PLAYER_"

    style: Style = Field(default="caller", description="How it plays; the last four are saboteurs.")
    key: Annotated[Key, AfterValidator(_check_url_safe)] | None = Field(
        default=None,
        description="What a lobby needs to invite it; it is then registered by the address"
        " `/t/KEY/.well-known/agent-card.json`. Absent: anybody on this machine may invite it; one"
        " that others can reach, or of the style `llm`, makes a new one at each start.",
    )
    name: str | None = Field(default=None, description="Its display name; absent: its style.")
    think: Duration = Field(
        default=timedelta(),
        description="How long it waits before it acts, so that people can follow; not `llm`.",
    )
    count: int = Field(
        default=1,
        ge=1,
        le=1000,
        description="Agents in this process: 1 at /, more at /players/1 to /players/N.",
    )
    lobby_url: Url | None = Field(
        default=None,
        description="With `generic` and `llm`: the lobby that has the games' specifications; they"
        " refuse a seat in a game whose specification they cannot read there. Absent: they play by"
        " the available actions alone.",
    )
    specification_timeout: Duration = Field(
        default=timedelta(seconds=8),
        gt=timedelta(),
        description="With `generic` and `llm`: how long they read a specification before they"
        " refuse the seat; the lobby waits `CASINO_LOBBY_SIGNUP_TIMEOUT` for the answer.",
    )
    specifications: str | None = Field(
        default=None,
        description="With `generic` and `llm`: a directory that keeps fetched specifications.",
    )
    games: str = Field(
        default="",
        description="With `llm`: modules, separated by commas, that add games to"
        " `casino_games.GAME_REGISTRY`; their adapters and parsers are used.",
    )
    llm_base_url: Url | None = Field(
        default=None,
        description="With `llm`: an OpenAI-compatible endpoint, such as"
        " `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`.",
    )
    llm_model: str | None = Field(default=None, description="With `llm`: the model's name there.")
    llm_api_key: ApiKey | None = Field(
        default=None,
        description="With `llm`: the key of the endpoint; any word where it needs none.",
    )
    llm_max_tokens: int = Field(
        default=600, ge=16, le=100_000, description="With `llm`: the tokens of one answer."
    )
    llm_token_budget: int = Field(
        default=1_000_000,
        ge=0,
        description="With `llm`: all tokens that this process may spend; then it plays by default.",
    )
    llm_timeout: Duration = Field(
        default=timedelta(seconds=60),
        gt=timedelta(),
        description="With `llm`: the longest that a decision may take; the clock bounds it too.",
    )
    llm_stream: bool = Field(
        default=True, description="With `llm`: whether answers are asked for as a stream."
    )

    a2g_url: Url | None = Field(
        default=None,
        description="With `generic` and `llm`: an A2G server, such as `http://127.0.0.1:4050`, to"
        " play at as a client instead of serving an agent.",
    )
    a2g_token: ApiKey | None = Field(
        default=None,
        description="With `a2g_url`: the token of the login there; absent, or `guest`: a guest.",
    )
    a2g_room: str | None = Field(
        default=None,
        description="With `a2g_url`: the id of the room; absent: the first with a free seat.",
    )
    a2g_rounds: int | None = Field(
        default=None,
        ge=1,
        description="With `a2g_url`: the rounds after which it leaves; absent: no limit.",
    )

    @model_validator(mode="after")
    def _check_a2g(self) -> Self:
        if self.a2g_url is not None and self.style not in {"generic", "llm"}:
            raise ValueError(f"the style {self.style} does not play over A2G: use generic or llm")
        return self

    @property
    def login_token(self) -> SecretStr | None:
        """The token of the A2G server; None for a guest."""
        is_guest = self.a2g_token is None or self.a2g_token.get_secret_value() == "guest"
        return None if is_guest else self.a2g_token

    def player_key(self) -> str | None:
        """Return the key required of callers, a new one if none is set; None allows everybody.

        A player needs one if others can reach it, or if its decisions cost money.
        """
        if self.key is not None:
            return self.key.get_secret_value()
        return new_key() if self.is_reachable or self.style == "llm" else None

    @model_validator(mode="after")
    def _check_llm(self) -> Self:
        if self.style != "llm":
            return self
        required = ("llm_base_url", "llm_model", "llm_api_key")
        missing = [
            f"{self.prefix}{name.upper()}" for name in required if getattr(self, name) is None
        ]
        if missing:
            raise ValueError(f"the style llm needs {', '.join(missing)}")
        return self


def player_rule(key: str | None) -> Rule:
    """Return the rule of `signup` and `act`; without a `key` anybody may call both.

    Only the key admits. The seat token of a call names whose answers are kept and repeated
    (`IdempotencyCache`), so no invitation changes anything for the tables of other tokens.
    """
    return AddressKeyRule(PLAYER, key) if key else ANYONE
