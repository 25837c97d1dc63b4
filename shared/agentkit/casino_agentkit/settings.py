"""Base class of service settings, loaded once from the environment."""

import os
import re
import socket
import ssl
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    model_validator,
)
from starlette.types import ASGIApp
from typing_extensions import override

from casino_agentkit.client.outgoing import CallAddresses, OutgoingPolicy, policy_of
from casino_agentkit.errors import InvalidSecret, InvalidSettings
from casino_agentkit.network import is_loopback
from casino_agentkit.process.secret_keys import (
    FILE_SUFFIX,
    LEAST_CHARACTERS,
    find_secret,
    key_of,
    service_key,
)
from casino_agentkit.server.request_guard import BrowserGuard, PageRules
from casino_agentkit.server.server_limits import DEFAULT_LIMITS, GrpcListener, ServerLimits
from casino_agentkit.tls import check_certificates, check_key, client_context, server_context
from casino_agentkit.traces import Traces
from casino_agentkit.violations import description_of

_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m|h)")
_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?")
_UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours"}


def _duration(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        number = value.strip()
        hint = f"; write {number}s or {number}ms" if number.isdecimal() else ""
        raise ValueError(f"must be a duration such as 500ms, 2s, 5m or 1h{hint}")
    return timedelta(**{_UNITS[match[2]]: float(match[1])})


Duration = Annotated[timedelta, BeforeValidator(_duration)]
"""A duration, written as `500ms`, `2s`, `5m` or `1h`."""


def _unknown(prefix: str, names: Sequence[str], valid: Iterable[str]) -> str:
    """Return a line that names settings nobody knows, and for each the most similar known one."""
    known = sorted(name.removeprefix(prefix) for name in valid)
    found = ((name, get_close_matches(name.removeprefix(prefix), known, n=1)) for name in names)
    words = (
        f"{name} (did you mean {prefix}{close[0]}?)" if close else name for name, close in found
    )
    return f"unknown setting {', '.join(words)}; docs/reference/configuration.md lists all"


def _public_url(url: str) -> str:
    url = url.replace("{hostname}", socket.gethostname()).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ValueError("must be an absolute http or https URL, such as http://table:4500")
    return url


PublicUrl = Annotated[str, AfterValidator(_public_url)]
"""An absolute URL; `{hostname}` in it is replaced, for containers: `http://{hostname}:4500`."""


TraceReceiver = Annotated[str, StringConstraints(pattern=r"^https?://[^\s?#]+$")]


def listed(value: Any) -> Any:
    """Return the parts of a setting that separates them by commas; another value as it is."""
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


def without_slash(value: Any) -> Any:
    """Return a URL without slashes at its end; another value as it is."""
    return value.rstrip("/") if isinstance(value, str) else value


Origins = Annotated[
    tuple[
        Annotated[str, Field(pattern=r"^https?://[^/\s,]+$"), BeforeValidator(without_slash)], ...
    ],
    BeforeValidator(listed),
]
"""Web origins such as `https://casino.example`, separated by commas."""


def _host_name(name: str) -> str:
    if not _HOST_NAME.fullmatch(name):
        raise ValueError("must be host names such as casino.example, without a scheme or a port")
    return name.lower()


HostNames = Annotated[
    tuple[Annotated[str, AfterValidator(_host_name)], ...], BeforeValidator(listed)
]
"""Host names, separated by commas."""


Port = Annotated[int, Field(ge=0, le=65_535, description="The port; 0 takes a free one.")]
OperatorToken = Annotated[SecretStr, AfterValidator(key_of(8))]
"""A lobby's operator key, or a service's own key that follows from it."""
ConnectionsPerAddress = Annotated[
    int,
    Field(
        ge=1,
        description="How many connections one address may have open (a /64 network for IPv6). All"
        " of 127.0.0.1 and ::1 may have three quarters of what the process can hold.",
    ),
]


def _checked(check: Callable[[Path], None]) -> AfterValidator:
    def checked(path: Path) -> Path:
        check(path)
        return path

    return AfterValidator(checked)


class ServiceSettings(BaseModel):
    """Settings of every service; a subclass adds its own, and its prefix.

    >>> class TableSettings(ServiceSettings):
    ...     prefix: ClassVar[str] = "CASINO_TABLE_"
    >>> TableSettings.load({"CASINO_TABLE_PORT": "4500"}).port
    4500
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    prefix: ClassVar[str] = "CASINO_"

    tls_cert: Annotated[Path, _checked(check_certificates)] | None = Field(
        default=None,
        description="A PEM file with this process's certificate chain; together with TLS_KEY, the"
        " process listens with TLS.",
    )
    tls_key: Annotated[Path, _checked(check_key)] | None = Field(
        default=None,
        description="A PEM file with the certificate's private key, without a passphrase, readable"
        " by its owner and its group only.",
    )
    tls_ca: Annotated[Path, _checked(check_certificates)] | None = Field(
        default=None,
        description="A PEM file with authorities (or single certificates) to trust, in addition to"
        " the system's, when this process calls https addresses.",
    )
    host: str = Field(default="127.0.0.1", description="The address to listen on.")
    port: int = Field(default=0, ge=0, le=65_535, description="The port to listen on; 0: any free.")
    public_url: PublicUrl | None = Field(
        default=None,
        description="The URL at which others reach this process, if it differs from host and port;"
        " `{hostname}` in it is replaced by this machine's name.",
    )
    hosts: HostNames = Field(
        default=(),
        description="Additional names accepted in the `Host` header, such as `casino.example`."
        " Loopback, every IP address, and the names in the host and the public URL are always"
        " accepted. Others are refused, against DNS rebinding by web pages.",
    )
    call_addresses: CallAddresses | None = Field(
        default=None,
        description="The classes of addresses that this process may call, of `public`, `private`"
        " and `loopback`, separated by commas; absent: all if only this machine reaches it,"
        " otherwise public and private ones.",
    )
    card_key: Path | None = Field(
        default=None,
        description="The file of the key that signs the agent cards; created if it is missing."
        " Absent: `card-key.pem` in the data directory; without a data directory, cards are"
        " unsigned.",
    )
    a2a_03: bool = Field(
        default=True,
        description="Whether clients of A2A 0.3 are served beside those of 1.0, over JSON-RPC.",
    )
    grpc_port: int | None = Field(
        default=None,
        ge=0,
        le=65_535,
        description="The port for A2A over gRPC, which needs the extra `grpc`; 0: any free. Absent:"
        " gRPC is not served.",
    )
    traces: TraceReceiver | None = Field(
        default=None,
        description="An OTLP receiver of traces over HTTP, such as `http://127.0.0.1:4318`; needs"
        " the extra `traces`. OpenTelemetry's own variables hold, such as `OTEL_TRACES_SAMPLER`."
        " Absent: nothing is traced.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="The minimum level of logged messages."
    )

    @model_validator(mode="after")
    def _have_both_files(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            present, missing = ("CERT", "KEY") if self.tls_cert else ("KEY", "CERT")
            raise ValueError(
                f"{self.prefix}TLS_{present} is set without {self.prefix}TLS_{missing}: give both"
            )
        self.server_tls()
        return self

    def server_tls(self) -> ssl.SSLContext | None:
        """Return the server's context, None for plain HTTP. Raises InvalidTls."""
        if self.tls_cert is None or self.tls_key is None:
            return None
        return server_context(self.tls_cert, self.tls_key)

    def client_tls(self) -> ssl.SSLContext:
        """Return the client's context for https addresses. Raises InvalidTls."""
        return client_context(self.tls_ca)

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None, **overrides: Any) -> Self:
        """Load the settings: `overrides` (the command line) win over the environment.

        An empty variable counts as absent, so that a compose file can pass it on. A secret may be
        in a file; its variable with the suffix `_FILE` is the path.
        Raises InvalidSettings, also for a variable with the service's prefix that is no setting.
        """
        environment = os.environ if environment is None else environment
        variables = {f"{cls.prefix}{name.upper()}": name for name in cls.model_fields}
        secrets = {variable for variable, name in variables.items() if cls.is_secret(name)}
        valid = {*variables, *(variable + FILE_SUFFIX for variable in secrets)}
        unknown = sorted(
            name for name in environment if name.startswith(cls.prefix) and name not in valid
        )
        if unknown:
            raise InvalidSettings(_unknown(cls.prefix, unknown, valid))
        try:
            read = {
                name: find_secret(environment, variable)
                if variable in secrets
                else environment.get(variable)
                for variable, name in variables.items()
            }
        except InvalidSecret as error:
            raise InvalidSettings(str(error)) from error
        # The command line wins; empty values are ignored.
        values: dict[str, Any] = {name: value for name, value in read.items() if value}
        values |= {name: value for name, value in overrides.items() if value is not None}
        try:
            return cls(**values)
        except ValidationError as error:
            faults = "; ".join(
                f"{cls.prefix}{str((*fault['loc'], '…')[0]).upper()}: " + description_of(fault)
                for fault in error.errors(include_url=False, include_input=False)
            )
            raise InvalidSettings(faults) from error

    @classmethod
    def is_secret(cls, name: str) -> bool:
        return _holds_secret(cls.model_fields[name].annotation)

    def refuse_without_key(self, name: str, danger: str) -> Self:
        """Return these settings if the process is on loopback only, or a key protects it.

        `name` is the field of the key; `danger` is what anybody could do without it.
        Raises InvalidSettings, with instructions to create and set the key.
        """
        key: SecretStr | None = getattr(self, name)
        if not self.is_reachable or (key and len(key.get_secret_value()) >= LEAST_CHARACTERS):
            return self
        exposed = self._exposed[0]
        where, variable = self.prefix + exposed.upper(), self.prefix + name.upper()
        value = getattr(self, exposed)
        shown = ",".join(value) if isinstance(value, tuple) else value
        missing = f"a key of {LEAST_CHARACTERS} characters or more" if key else "a key"
        raise InvalidSettings(
            f"{where} is {shown}, which other machines can reach, and without"
            f" {missing} {danger}: run `casino key` and set {variable} to its output, or"
            f" `casino key --file PATH` and set {variable}{FILE_SUFFIX} to that path; or listen on"
            f" this machine only, with {self.prefix}HOST=127.0.0.1, no public URL and no"
            " further hosts"
        )

    @property
    def is_reachable(self) -> bool:
        """Whether other machines reach this process: directly, or through a proxy.

        Then the network address of a caller proves nothing, because a proxy on this machine passes
        on what anybody sends.
        """
        return bool(self._exposed)

    @property
    def _exposed(self) -> list[str]:
        reached = {"host": (self.host,), "hosts": self.hosts, "public_url": ()}
        if self.public_url:
            reached["public_url"] = (urlsplit(self.public_url).hostname or "",)
        return [where for where, names in reached.items() if not all(map(is_loopback, names))]

    @cached_property
    def tracing(self) -> Traces | None:
        """The traces of this process. Raises InvalidSettings without the extra."""
        if self.traces is None:
            return None
        name = self.prefix.removeprefix("CASINO_").removesuffix("_").lower()
        return Traces.sent_to(self.traces, name, trusts_all=not self.is_reachable)

    def outgoing(self, *own: str | None) -> OutgoingPolicy:
        return policy_of(self.call_addresses, own, is_reachable=self.is_reachable)

    def grpc_listener(self) -> GrpcListener | None:
        if self.grpc_port is None:
            return None
        return GrpcListener(self.grpc_port, self.tls_cert, self.tls_key)

    def guarded(self, app: ASGIApp, url: str | None = None) -> ASGIApp:
        """Guard it against other origins' web pages; `url` is its address, None: the public URL."""
        return BrowserGuard(app, **self._page_options(url))

    def page_rules(self, url: str | None = None) -> PageRules:
        return PageRules(**self._page_options(url))

    def _page_options(self, url: str | None) -> dict[str, Any]:
        origins = self.page_origins
        return {
            "names": self.own_names,
            "public_url": url or self.public_url,
            "origins": origins or (),
            "setting": f"{self.prefix}HOSTS",
            "origins_setting": None if origins is None else f"{self.prefix}CORS_ORIGINS",
        }

    @property
    def server_limits(self) -> ServerLimits:
        return DEFAULT_LIMITS

    @property
    def own_names(self) -> Collection[str]:
        """Host names of this process, besides that of its public URL."""
        return (self.host, *self.hosts)

    @property
    def page_origins(self) -> Collection[str] | None:
        """Origins whose web pages may send commands; None: the service has no such setting."""
        return None


def _holds_secret(annotation: Any) -> bool:
    return annotation is SecretStr or any(map(_holds_secret, get_args(annotation)))


class LobbyClientSettings(ServiceSettings):
    """Settings of a service that keeps a database, and has a key at a lobby."""

    operator_token: OperatorToken | None = None
    database: Path | None = None
    data: Path = Field(
        default=Path("casino-data"), description="Directory of persistent data: the database."
    )
    connections_per_address: ConnectionsPerAddress = 256
    service: ClassVar[str]
    """The name in its key, and of its database."""

    @property
    def lobby_key(self) -> str | None:
        """What is sent to the lobby: the service's own key, never the operator's."""
        key = self.operator_token
        return service_key(key.get_secret_value(), self.service) if key else None

    @property
    def database_path(self) -> Path:
        return (self.database or self.data / f"{self.service}.db").absolute()

    @property
    @override
    def server_limits(self) -> ServerLimits:
        return ServerLimits(per_address=self.connections_per_address)
