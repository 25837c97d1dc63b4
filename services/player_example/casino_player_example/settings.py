"""Settings of a process of sample players, and who may call them."""

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from casino_agentkit import (
    ANYONE,
    AddressKeyRule,
    Duration,
    InvalidSettings,
    Key,
    Rule,
    Scheme,
    ServiceSettings,
    new_key,
)
from casino_agentkit.accepted_json import carried
from casino_agentkit.errors import InvalidSecret
from casino_agentkit.process.secret_keys import FILE_SUFFIX, find_secret
from casino_contracts.base import Url
from pydantic import AfterValidator, Field, Json, SecretStr, TypeAdapter, model_validator
from typing_extensions import override

from casino_player_example.model_providers import COMPATIBLE, PROVIDERS, ModelProvider, provider_of
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


_HEADERS = TypeAdapter(dict[str, str])


def _check_headers(headers: SecretStr) -> SecretStr:
    try:
        _HEADERS.validate_json(headers.get_secret_value())
    except ValueError:
        raise ValueError('must be a JSON object of texts, such as {"x-team": "green"}') from None
    return headers


Headers = Annotated[SecretStr, AfterValidator(_check_headers)]
"""Headers as a JSON object; never logged."""


def _check_finite(fields: dict[str, Any]) -> dict[str, Any]:
    """Raise ValueError for NaN and the infinities, which no provider reads."""
    carried(fields)
    return fields


Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How long a model thinks, as providers name it."""


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
    name: str | None = Field(
        default=None, description="Its display name; absent: its model or its style."
    )
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
        description="With `llm`: modules or folders of games, as `CASINO_TABLE_GAMES` has them;"
        " their adapters and parsers are used.",
    )
    llm_model: str | None = Field(
        default=None,
        min_length=1,
        description="With `llm`: `PROVIDER:NAME`, with the provider one of "
        + ", ".join(f"`{name}`" for name in PROVIDERS)
        + "; a name alone with `llm_base_url` is of any OpenAI-compatible server.",
    )
    llm_base_url: Url | None = Field(
        default=None,
        description="With `llm`: the address of an OpenAI-compatible server, such as"
        " `http://127.0.0.1:8000/v1`, or one instead of the provider's own.",
    )
    llm_api_key: ApiKey | None = Field(
        default=None,
        description="With `llm`: the key; absent: that of the provider's usual variable, "
        + ", ".join(sorted({f"`{one}`" for of in PROVIDERS.values() for one in of.key_variables}))
        + ".",
    )
    llm_max_tokens: int = Field(
        default=600,
        ge=16,
        le=100_000,
        description="With `llm`: the tokens of one answer, thoughts included.",
    )
    llm_temperature: float | None = Field(
        default=None, ge=0, le=2, description="With `llm`: the temperature; absent: the model's."
    )
    llm_effort: Effort | None = Field(
        default=None, description="With `llm`: how long it thinks; absent: as the model does."
    )
    llm_headers: Headers | None = Field(
        default=None,
        description="With `llm`: further headers of every call, as a JSON object; never logged.",
    )
    llm_body: Annotated[Json[dict[str, Any]], AfterValidator(_check_finite)] | None = Field(
        default=None, description="With `llm`: further fields of every call, as a JSON object."
    )
    llm_prompt_file: Path | None = Field(
        default=None,
        description="With `llm`: a text file that every prompt has, such as how to play.",
    )
    llm_token_budget: int = Field(
        default=1_000_000,
        ge=0,
        description="With `llm`: all tokens that this process may spend; then it plays by default.",
    )
    llm_usd_budget: float | None = Field(
        default=None,
        ge=0,
        description="With `llm`: all US dollars that it may spend; needs a model whose price is"
        " known.",
    )
    llm_timeout: Duration = Field(
        default=timedelta(seconds=60),
        gt=timedelta(),
        description="With `llm`: the longest that a decision may take; the clock bounds it too.",
    )
    llm_attempts: int = Field(
        default=2,
        ge=1,
        le=10,
        description="With `llm`: how often it calls for one answer, where a failure is temporary"
        " and what `Retry-After` says fits into the clock.",
    )
    llm_concurrency: int = Field(
        default=16, ge=1, le=1000, description="With `llm`: the calls at the same time."
    )
    llm_stream: bool = Field(
        default=True, description="With `llm`: whether answers are asked for as a stream."
    )
    llm_transcript: Path | None = Field(
        default=None,
        description="With `llm`: a file that gets every prompt, answer and action as a line of"
        " JSON, for its owner only; at 64 MiB it becomes `FILE.1`, which is replaced.",
    )
    llm_publish_reasoning: bool = Field(
        default=False,
        description="With `llm`: whether tables publish the model's thoughts when a hand is over;"
        " they name its cards.",
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

    @property
    def display_name(self) -> str:
        """Its name, or that of its model without provider and vendor, or its style."""
        if self.name or self.style != "llm":
            return self.name or self.style.capitalize()
        return self.llm[1].rpartition("/")[2] or self.llm[1]

    @property
    def headers_of_llm(self) -> dict[str, str]:
        """The further headers of every call."""
        if self.llm_headers is None:
            return {}
        return _HEADERS.validate_json(self.llm_headers.get_secret_value())

    @property
    def llm(self) -> tuple[ModelProvider, str]:
        """The model's provider, and its name there."""
        return provider_of(self.llm_model or "")

    @classmethod
    @override
    def load(cls, environment: Mapping[str, str] | None = None, **overrides: Any) -> Self:
        """Load as every service does; the model's key is also read from its provider's variable."""
        environment = os.environ if environment is None else environment
        model = overrides.get("llm_model") or environment.get(f"{cls.prefix}LLM_MODEL") or ""
        variable = f"{cls.prefix}LLM_API_KEY"
        has_key = overrides.get("llm_api_key") or any(
            environment.get(name) for name in (variable, variable + FILE_SUFFIX)
        )
        try:
            keys = (find_secret(environment, name) for name in provider_of(model)[0].key_variables)
            key = None if has_key else next(filter(None, keys), None)
        except InvalidSecret as error:
            raise InvalidSettings(str(error)) from error
        return super().load(environment, **overrides | ({"llm_api_key": key} if key else {}))

    @model_validator(mode="after")
    def _check_llm(self) -> Self:
        if self.style != "llm":
            return self
        if not self.llm_model:
            raise ValueError(
                f"the style llm needs {self.prefix}LLM_MODEL, such as anthropic:NAME or openai:NAME"
            )
        provider, _ = self.llm
        if provider is COMPATIBLE and self.llm_base_url is None:
            raise ValueError(
                f"the style llm needs {self.prefix}LLM_BASE_URL, or a provider before the model's"
                f" name: {', '.join(f'{name}:' for name in PROVIDERS)}"
            )
        if provider.key_variables and self.llm_api_key is None:
            raise ValueError(
                f"the style llm needs the key of {provider.name} in {provider.key_variables[0]}"
            )
        return self


def player_rule(key: str | None) -> Rule:
    """Return the rule of `signup` and `act`; without a `key` anybody may call both.

    Only the key admits. The seat token of a call names whose answers are kept and repeated
    (`IdempotencyCache`), so no invitation changes anything for the tables of other tokens.
    """
    return AddressKeyRule(PLAYER, key) if key else ANYONE
