"""TLS settings of every service."""

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from casino_agentkit.tls.context import (
    check_certificates,
    check_key,
    client_context,
    server_context,
)


def _checked(check: Callable[[Path], None]) -> AfterValidator:
    def checked(path: Path) -> Path:
        check(path)
        return path

    return AfterValidator(checked)


class TlsSettings(BaseModel):
    """Files for TLS; each is checked when the settings are loaded."""

    prefix: ClassVar[str]

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
