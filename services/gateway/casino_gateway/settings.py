"""Settings of the gateway, read from the environment."""

from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from casino_agentkit import Duration
from casino_agentkit.settings import LobbyClientSettings, OperatorToken, Origins, Port
from casino_contracts.base import Url
from pydantic import Field, SecretStr


class GatewaySettings(LobbyClientSettings):
    """Read from `CASINO_GATEWAY_…`."""

    prefix: ClassVar[str] = "CASINO_GATEWAY_"
    service: ClassVar[str] = "gateway"

    port: Port = 4050
    lobby_url: Url = Field(
        default="http://127.0.0.1:4000", description="The lobby in whose rooms seats are taken."
    )
    operator_token: OperatorToken | None = Field(
        default=None,
        description="The gateway's key at that lobby, where the lobby has an operator's key:"
        " `casino key --for gateway` prints it. Of the operator's key, only that key is used.",
    )
    database: Path | None = Field(
        default=None,
        description="The SQLite file of seats, logins and answers; absent: `gateway.db` in the data"
        " directory.",
    )
    presence: Duration = Field(
        default=timedelta(seconds=10),
        gt=timedelta(),
        description="How long after a message somebody counts as there. Questions to a seat where"
        " nobody is are answered at once by the default action.",
    )
    reserve: Duration = Field(
        default=timedelta(milliseconds=250),
        description="How long before the end of the table's clock no answer is taken any more, so"
        " that it still reaches the table; at most a quarter of the clock.",
    )
    human_clock: Duration = Field(
        default=timedelta(seconds=30),
        gt=timedelta(),
        description="The time for a decision that people ask for; the table grants at most the"
        " room's `maxActionTimeoutMs`.",
    )
    model_clock: Duration = Field(
        default=timedelta(seconds=30),
        gt=timedelta(),
        description="The time for a decision that language models ask for, over MCP; as with"
        " `human_clock`, the room may grant less.",
    )
    model_presence: Duration = Field(
        default=timedelta(seconds=120),
        gt=timedelta(),
        description="With MCP: how long after a call a language model counts as there.",
    )
    evaluator_url: Url | None = Field(
        default=None, description="With MCP: the evaluator that examines language models."
    )
    evaluator_key: SecretStr | None = Field(
        default=None,
        description="The gateway's API key there; absent: an anonymous key, if it gives one.",
    )
    seats: int = Field(default=2_000, ge=1, description="How many seats may be taken at a time.")
    seats_per_address: int = Field(
        default=20,
        ge=0,
        description="How many seats one address may take (a /64 network for IPv6); 0: any. Behind a"
        " proxy all clients have the proxy's address.",
    )
    bots: int = Field(
        default=500, ge=0, description="How many bots may be connected by dialling out; 0: none."
    )
    bots_per_address: int = Field(
        default=20,
        ge=0,
        description="How many bots one address may connect by dialling out (a /64 network for"
        " IPv6); 0: any. Behind a proxy all clients have the proxy's address.",
    )
    create_rooms: bool | None = Field(
        default=None,
        description="Whether clients may open rooms; absent: only where the lobby has no operator's"
        " key, and no other machine reaches the gateway.",
    )
    rooms_per_address: int = Field(
        default=20,
        ge=1,
        description="How many open rooms one address may have opened (a /64 network for IPv6).",
    )
    logins_per_address: int = Field(
        default=60,
        ge=0,
        description="With A2G: how many logins one address may make a minute; 0: any.",
    )
    reconnect: Duration = Field(
        default=timedelta(seconds=120),
        gt=timedelta(),
        description="With A2G: how long the seats of a client that is gone are kept for it.",
    )
    cors_origins: Origins = Field(
        default=(),
        description="Web origins whose pages may take seats, such as that of the lobby's page.",
    )

    @property
    def may_create_rooms(self) -> bool:
        if self.create_rooms is None:
            return self.operator_token is None and not self.is_reachable
        return self.create_rooms

    @property
    def page_origins(self) -> Collection[str]:
        return self.cors_origins
