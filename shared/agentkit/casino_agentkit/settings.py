"""Settings of a service: read once from the environment, frozen, refusing what they do not know."""

import os
import re
import socket
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError

from casino_agentkit.tls_settings import TlsSettings

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)")
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
        Raises InvalidSettings, also for a variable with our prefix that is no setting.
        """
        environment = os.environ if environment is None else environment
        variables = {f"{cls.prefix}{name.upper()}": name for name in cls.model_fields}
        unknown = sorted(
            name for name in environment if name.startswith(cls.prefix) and name not in variables
        )
        if unknown:
            raise InvalidSettings(
                f"unknown setting {', '.join(unknown)}; known are {', '.join(sorted(variables))}"
            )
        read = {
            name: environment[variable]
            for variable, name in variables.items()
            if environment.get(variable)
        }
        told = {name: value for name, value in given.items() if value is not None}
        try:
            return cls(**{**read, **told})
        except ValidationError as error:
            faults = "; ".join(
                f"{cls.prefix}{str((*fault['loc'], '…')[0]).upper()}: {fault['msg']}"
                for fault in error.errors(include_url=False, include_input=False)
            )
            raise InvalidSettings(faults) from error
