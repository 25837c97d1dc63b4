"""Settings of a service: read once from the environment, frozen, refusing what they do not know."""

import os
import re
import socket
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)
from starlette.types import ASGIApp

from casino_agentkit.client.outgoing import CallAddresses
from casino_agentkit.loopback import is_loopback
from casino_agentkit.process.key import LEAST_CHARACTERS
from casino_agentkit.process.secret_file import FILE_SUFFIX, InvalidSecret, find_secret
from casino_agentkit.server.browser_guard import BrowserGuard
from casino_agentkit.tls.settings import TlsSettings

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)")
_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?")
_UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours"}


def _duration(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise ValueError("must be a duration such as 500ms, 2s, 5m or 1h")
    return timedelta(**{_UNITS[match[2]]: float(match[1])})


Duration = Annotated[timedelta, BeforeValidator(_duration)]
"""A length of time, written as `500ms`, `2s`, `5m` or `1h`."""


def _public_url(url: str) -> str:
    url = url.replace("{hostname}", socket.gethostname()).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ValueError("must be an absolute http or https URL, such as http://table:4500")
    return url


PublicUrl = Annotated[str, AfterValidator(_public_url)]
"""An absolute URL; in a container, whose name nobody can know before, `http://{hostname}:4500`."""


def _listed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _host_name(name: str) -> str:
    if not _HOST_NAME.fullmatch(name):
        raise ValueError("must be host names such as casino.example, without a scheme or a port")
    return name.lower()


HostNames = Annotated[
    tuple[Annotated[str, AfterValidator(_host_name)], ...], BeforeValidator(_listed)
]
"""Names of this machine, with commas between them."""


class InvalidSettings(Exception):
    """The environment holds a setting that is unknown or wrong; the message names each."""


class ServiceSettings(TlsSettings):
    """What every service lets its operator set; a service adds its own, and its prefix.

    >>> class TableSettings(ServiceSettings):
    ...     prefix: ClassVar[str] = "CASINO_TABLE_"
    >>> TableSettings.load({"CASINO_TABLE_PORT": "4500"}).port
    4500
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    prefix: ClassVar[str] = "CASINO_"

    host: str = Field(default="127.0.0.1", description="The address to listen on.")
    port: int = Field(default=0, ge=0, le=65_535, description="The port; 0 takes a free one.")
    public_url: PublicUrl | None = Field(
        default=None,
        description="What others reach this process by, where that differs; `{hostname}` in it"
        " is this machine's name.",
    )
    hosts: HostNames = Field(
        default=(),
        description="More names by which this process may be asked, such as `casino.example`;"
        " known are loopback, every IP address, and the names in the host and the public URL."
        " Others are refused, so that no foreign web page gets in by a name of its own.",
    )
    call_addresses: CallAddresses | None = Field(
        default=None,
        description="The classes of addresses that this process calls, some of `public`, `private`"
        " and `loopback` with commas between them; absent: all while it listens on loopback, else"
        " public and private ones.",
    )
    card_key: Path | None = Field(
        default=None,
        description="The file of the key that signs the agent cards; made if it is missing. Absent:"
        " `card-key.pem` in the data directory; where there is none, cards are unsigned.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="What is logged: this and what is worse."
    )

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Self:
        """Return the settings: `given` (the command line) wins over the environment.

        A variable that is empty is as good as none, so a compose file can pass one on.
        A secret may stand in a file instead, which its variable with `_FILE` at the end names.
        Raises InvalidSettings, also for a variable with our prefix that is no setting.
        """
        environment = os.environ if environment is None else environment
        variables = {f"{cls.prefix}{name.upper()}": name for name in cls.model_fields}
        secrets = {variable for variable, name in variables.items() if cls.is_secret(name)}
        known = {*variables, *(variable + FILE_SUFFIX for variable in secrets)}
        unknown = sorted(
            name for name in environment if name.startswith(cls.prefix) and name not in known
        )
        if unknown:
            raise InvalidSettings(
                f"unknown setting {', '.join(unknown)}; known are {', '.join(sorted(known))}"
            )
        try:
            read = {
                name: find_secret(environment, variable)
                if variable in secrets
                else environment.get(variable)
                for variable, name in variables.items()
            }
        except InvalidSecret as error:
            raise InvalidSettings(str(error)) from error
        # The command line wins, and nothing set is no setting.
        values: dict[str, Any] = {name: value for name, value in read.items() if value}
        values |= {name: value for name, value in given.items() if value is not None}
        try:
            return cls(**values)
        except ValidationError as error:
            faults = "; ".join(
                f"{cls.prefix}{str((*fault['loc'], '…')[0]).upper()}: "
                + fault["msg"].removeprefix("Value error, ")
                for fault in error.errors(include_url=False, include_input=False)
            )
            raise InvalidSettings(faults) from error

    @classmethod
    def is_secret(cls, name: str) -> bool:
        """Tell whether a field is a secret, which may stand in a file."""
        return _holds_secret(cls.model_fields[name].annotation)

    def refuse_without_key(self, name: str, danger: str) -> Self:
        """Return these settings if only this machine can reach the process, or a key protects it.

        `name` is the field of the key; `danger` says what anybody could do without one.
        Raises InvalidSettings, which says how to make and set the key.
        """
        reached = {"host": self.host}
        if self.public_url:
            reached["public_url"] = urlsplit(self.public_url).hostname or ""
        exposed = [where for where, host in reached.items() if not is_loopback(host)]
        key: SecretStr | None = getattr(self, name)
        if not exposed or (key and len(key.get_secret_value()) >= LEAST_CHARACTERS):
            return self
        where, variable = self.prefix + exposed[0].upper(), self.prefix + name.upper()
        lack = f"a key of {LEAST_CHARACTERS} characters or more" if key else "a key"
        raise InvalidSettings(
            f"{where} is {getattr(self, exposed[0])}, which other machines can reach, and without"
            f" {lack} {danger}: run `casino key` and set {variable} to what it prints, or"
            f" `casino key --file PATH` and set {variable}{FILE_SUFFIX} to that path; or stay on"
            f" this machine with {self.prefix}HOST=127.0.0.1 and no public URL"
        )

    def guarded(self, app: ASGIApp, url: str | None = None) -> ASGIApp:
        """Return the application behind a guard against foreign web pages.

        `url` is where it is reached; None: at the public URL.
        """
        known = (self.host, *self.hosts)
        return BrowserGuard(app, known, url or self.public_url, setting=f"{self.prefix}HOSTS")


def _holds_secret(annotation: Any) -> bool:
    return annotation is SecretStr or any(map(_holds_secret, get_args(annotation)))
