"""Settings of the lobby, read from the environment."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args
from urllib.parse import urlsplit

from casino_agentkit import Duration, InvalidSettings, Key, ServiceSettings
from casino_agentkit.server.server_limits import ServerLimits
from casino_agentkit.settings import (
    ConnectionsPerAddress,
    OperatorToken,
    Port,
    PublicUrl,
    listed,
    without_slash,
)
from casino_contracts import SampleBot
from casino_contracts.base import Url
from casino_contracts.lobby_messages import Service
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator
from typing_extensions import override

_MOST = 50
_FORM = "must be a list of names and card URLs such as Tight=http://127.0.0.1:4101"


def _bots(value: Any) -> Any:
    """Return the bots of a list as text; other values are returned unchanged."""
    if not isinstance(value, str):
        return value
    bots = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        name, equals, url = part.partition("=")
        if not equals or not name.strip():
            raise ValueError(_FORM)
        bots.append({"name": name.strip(), "agentCardUrl": url.strip()})
    return tuple(bots)


SampleBots = Annotated[tuple[SampleBot, ...], Field(max_length=_MOST), BeforeValidator(_bots)]
"""Bots that the page offers for free seats."""


@dataclass(frozen=True)
class PortRange:
    """Ports of launched tables, first to last inclusive; 0 to 0 means any free port."""

    first: int
    last: int


def _ports(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    first, dash, last = value.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()):
        raise ValueError("must be a range of ports such as 4500-4600, or 0 for any free one")
    return PortRange(int(first), int(last or first))


_GATEWAY = r"^https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~/-]*)?$"
GatewayUrl = Annotated[Url, Field(pattern=_GATEWAY), BeforeValidator(without_slash)]
"""A base URL; its origin becomes part of the page's content security policy."""

_ORIGIN = r"^(\*|https?://[^/\s,]+)$"
Origins = Annotated[
    tuple[Annotated[str, Field(pattern=_ORIGIN), BeforeValidator(without_slash)], ...],
    BeforeValidator(listed),
]
"""Web origins such as `https://casino.example`, or `*`."""

_EMBEDDER = r"^https?://(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?$"
Embedders = Annotated[
    tuple[Annotated[str, Field(pattern=_EMBEDDER), BeforeValidator(without_slash)], ...],
    BeforeValidator(listed),
]
"""Web origins; they become part of a content security policy."""

_DATABASE = re.compile(r"memory|sqlite\+aiosqlite:///.+|postgresql\+asyncpg://.+")


def _of_database(url: SecretStr) -> SecretStr:
    if not _DATABASE.fullmatch(url.get_secret_value()):
        raise ValueError("must be memory, sqlite+aiosqlite:///PATH, or postgresql+asyncpg://…")
    return url


DatabaseUrl = Annotated[SecretStr, AfterValidator(_of_database)]
"""A database's URL, which may have a password; never printed."""


class LobbySettings(ServiceSettings):
    """Read from `CASINO_LOBBY_…`."""

    prefix: ClassVar[str] = "CASINO_LOBBY_"

    port: Port = 4000
    name: str = Field(
        default="A2A Casino", description="The casino's name, on card and invitation."
    )
    table_ports: Annotated[PortRange, BeforeValidator(_ports)] = Field(
        default=PortRange(4500, 4600), description="Where launched tables listen; 0: any free port."
    )
    launch_tables: bool = Field(
        default=True, description="Whether the lobby launches a table if no announced one is free."
    )
    table_silence: Duration = Field(
        default=timedelta(seconds=30),
        ge=timedelta(seconds=1),
        description="An announced table that is silent for longer gets no new room, and the room"
        " that it serves continues at another free one; its own lease ends after 80 % of this. At"
        " least three announcements must fit into it. A table that an operator named is asked for a"
        " sign of life when it has sent no event for as long.",
    )
    data: Path = Field(
        default=Path("casino-data"),
        description="Directory of persistent data: the database and launched tables' journals.",
    )
    database: DatabaseUrl | None = Field(
        default=None,
        description="The database's URL, such as `postgresql+asyncpg://…`; absent: SQLite in the"
        " data directory; `memory`: neither the lobby nor launched tables store anything.",
    )
    peer_url: PublicUrl | None = Field(
        default=None,
        description="The address at which the other lobbies on this PostgreSQL reach this one,"
        " such as `http://{hostname}:4000`, where `{hostname}` is this machine's name. With it and"
        " the peer key several lobbies are active at the same time. Absent: one lobby is active,"
        " and others stand by.",
    )
    peer_key: Key | None = Field(
        default=None,
        description="The key that the lobbies on one PostgreSQL share (`casino key` makes one):"
        " each sends it with what it passes on to another one.",
    )
    synchronous: Literal["off", "normal", "full"] = Field(
        default="normal",
        description="SQLite's durability: a power loss costs nothing with `full`, the last commits"
        " with `normal`.",
    )
    signup_timeout: Duration = Field(
        default=timedelta(seconds=10), description="How long a player may take to sign up."
    )
    drain_timeout: Duration = Field(
        default=timedelta(seconds=60), description="How long a running hand may take at the end."
    )
    operator_token: OperatorToken | None = Field(
        default=None,
        description="The operator's key (`casino key` makes one), sent as `Authorization: Bearer"
        " …`: required for every command, for hand records and for the commentators' feed. Absent:"
        " every caller on this machine may command, and hand records and that feed are unavailable;"
        " listening beyond this machine requires a key of 16 characters or more.",
    )
    faults_token: Key | None = Field(
        default=None,
        description="A key that reads why decisions of players failed, and nothing else; the"
        " operator's key reads that too. `casino up` sets one for itself.",
    )
    readers: Literal["everyone", "operator"] = Field(
        default="everyone",
        description="Who may read rooms, events, hands, tables, streams and metrics.",
    )
    fleet_key: Key | None = Field(
        default=None,
        description="The key that the lobby and its tables share (`casino key` makes one): a table"
        " sends it with its announcements, and the lobby sends it to a table without a room.",
    )
    stream_clients: int = Field(
        default=2_000, ge=1, description="Maximum number of live streams at a time."
    )
    stream_behind: int = Field(
        default=1_000,
        ge=10,
        description="The lobby closes a stream whose client is more than this many events behind.",
    )
    heartbeat: Duration = Field(
        default=timedelta(seconds=15),
        ge=timedelta(milliseconds=10),
        description="Interval of heartbeats on an idle stream; the lobby closes a stream whose"
        " client receives nothing for twice as long.",
    )
    events_kept: int = Field(
        default=20_000,
        ge=1_000,
        description="With `memory`: how many events of each room are kept.",
    )
    commands_per_minute: int = Field(
        default=600,
        ge=0,
        description="How many commands one address may send a minute, or read as much as costs the"
        " same; 0: any. Callers with the operator's key are not counted.",
    )
    cors_origins: Origins = Field(
        default=(),
        description="Web origins whose pages may use the REST API and the streams, such as"
        " `https://casino.example`; `*`: every page may read, and only those that are listed by"
        " name may command.",
    )

    gateway_url: GatewayUrl | None = Field(
        default=None,
        description="The gateway at which the page seats people, such as `http://127.0.0.1:4050`:"
        " its address as browsers reach it. Absent: the page seats nobody.",
    )
    sample_cards: SampleBots = Field(
        default=(),
        description="Bots that the page offers for free seats: names and card URLs, such as"
        " `Tight=http://127.0.0.1:4101,Maniac=http://127.0.0.1:4104`. Everybody who may read the"
        " lobby can read this list.",
    )
    sample_key: Key | None = Field(
        default=None,
        description="The key of those bots, where they have one: their addresses then carry it, and"
        " only the operator can read them.",
    )

    embed_origins: Embedders = Field(
        default=(),
        description="Web origins whose pages may show rooms in a frame, from `/embed/rooms/{id}`,"
        " such as `https://blog.example`, or `https://*.blog.example` for all below it. Absent:"
        " no page may, and nothing is at these addresses.",
    )

    # Limits on the resources that third parties can use.
    connections_per_address: ConnectionsPerAddress = 256
    streams_per_address: int = Field(
        default=20,
        ge=0,
        description="How many live streams one address may have open; 0: any. Behind a proxy all"
        " clients have the proxy's address.",
    )
    rooms: int = Field(
        default=200, ge=1, description="How many rooms may be open (or closing) at a time."
    )
    launched_tables: int = Field(
        default=20,
        ge=0,
        description="How many tables the lobby may have launched at a time, each a process.",
    )
    closed_rooms_kept: Duration = Field(
        default=timedelta(hours=24),
        ge=timedelta(seconds=1),
        description="How long a room that is closed or failed stays in lists and in memory; then it"
        " is archived: the database keeps what was played, and it can be read.",
    )
    keep_hands: int | None = Field(
        default=None,
        ge=100,
        description="How many completed hands of each room the database keeps, with their events:"
        " the newest ones, and at most a tenth more. Absent: all. With `memory` see"
        " CASINO_LOBBY_EVENTS_KEPT.",
    )
    keep_rooms: Duration | None = Field(
        default=None,
        ge=timedelta(seconds=1),
        description="How long the database keeps a room that is archived, with everything of it;"
        " until then it can be read. Absent: for ever.",
    )
    announced_tables: int = Field(
        default=256, ge=1, description="Maximum number of announced tables."
    )
    announced_tables_per_origin: int = Field(
        default=16,
        ge=1,
        description="Maximum number of announced tables of one origin (scheme, host and port).",
    )

    @model_validator(mode="after")
    def _require_operator_key(self) -> Self:
        """Refuse settings that need an operator key but have none; raises InvalidSettings."""
        if self.operator_token is None and self.readers == "operator":
            raise InvalidSettings(
                f"{self.prefix}READERS=operator needs the operator's key: run `casino key` and set"
                f" {self.prefix}OPERATOR_TOKEN to what it prints"
            )
        key = self.operator_token
        of_services = tuple(f"{name}." for name in get_args(Service))
        if key is not None and key.get_secret_value().startswith(of_services):
            raise InvalidSettings(
                f"{self.prefix}OPERATOR_TOKEN is the key of a service: set it to the operator's own"
            )
        return self.refuse_without_key("operator_token", "anybody there could command this lobby")

    @model_validator(mode="after")
    def _require_whole_group(self) -> Self:
        """Refuse half of what several active lobbies need; raises InvalidSettings."""
        url, key = f"{self.prefix}PEER_URL", f"{self.prefix}PEER_KEY"
        if self.peer_url is not None and self.peer_key is None:
            raise InvalidSettings(
                f"{url} needs the key that the lobbies share: run `casino key` and set {key} to"
                " what it prints, at every lobby"
            )
        if self.peer_key is not None and self.peer_url is None:
            raise InvalidSettings(
                f"{key} needs {url}, the address at which the other lobbies reach this one; for"
                f" one active lobby and others that stand by, remove {key}"
            )
        if self.peer_url is not None and not (self.database_url or "").startswith("postgresql"):
            raise InvalidSettings(
                f"{url}: several active lobbies need PostgreSQL: set {self.prefix}DATABASE to"
                f" postgresql+asyncpg://user@host/name, or remove {url} and {key}"
            )
        return self

    @property
    def database_url(self) -> str | None:
        """The database's URL with its password, or `memory`; None: SQLite in the data directory."""
        return self.database.get_secret_value() if self.database else None

    @property
    @override
    def server_limits(self) -> ServerLimits:
        return ServerLimits(per_address=self.connections_per_address)

    @property
    def own_names(self) -> Collection[str]:
        """Host names of this process in requests, also in those of the other lobbies."""
        peer = urlsplit(self.peer_url or "").hostname
        return (*super().own_names, *((peer,) if peer else ()))

    @property
    def page_origins(self) -> Collection[str]:
        """The listed origins; with `*` every page may read, but none may command."""
        return [origin for origin in self.cors_origins if origin != "*"]
