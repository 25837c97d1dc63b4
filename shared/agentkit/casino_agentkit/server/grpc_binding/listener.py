"""Where gRPC is served: the port, and the files of TLS."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class GrpcListener:
    """A port for gRPC beside HTTP; 0 takes any free one.

    `certificate` and `key` are PEM files; without them it listens without TLS.
    """

    port: int
    certificate: Path | None = None
    key: Path | None = None
