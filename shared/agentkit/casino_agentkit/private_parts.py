"""Parts of other packages that the kit uses, and that are not their public interface.

A release may change or remove them without a word. So the ranges of these packages in
`pyproject.toml` end with the versions that the tests run with, and `tools/packages.py` compares
this list with what the kit imports. Whoever raises a version reads what has changed in these parts.
"""

from typing import Final

TESTED: Final = {"a2a-sdk": "1.3", "aiohttp": "3.14", "uvicorn": "0.54"}
"""The newest release of each package with which the tests ran."""

PRIVATE_PARTS: Final = {
    "a2a.client.card_resolver": "reads cards of A2A 0.3 and those that are not plain",
    "a2a.compat.v0_3": "converts requests of A2A 0.3, which are checked before",
    "a2a.compat.v0_3.jsonrpc_adapter": "says which methods A2A 0.3 has",
    "a2a.server.request_handlers.grpc_handler": "serves gRPC, with a context of our own",
    "a2a.server.request_handlers.response_helpers": "writes cards and errors as clients know them",
    "a2a.server.routes.common": "makes the context of a call, with the caller's network as owner",
    "a2a.server.routes.jsonrpc_dispatcher": "says which methods JSON-RPC has",
    "a2a.utils.error_handlers": "writes the errors of HTTP+JSON and gRPC",
    "a2a.utils.grpc_status": "writes the errors of gRPC",
    "a2a.utils.telemetry": "wraps methods for tracing, which is taken off again",
    "aiohttp.client_proto": "reads replies; extended by limits of head and framing",
    "aiohttp.helpers": "hands an error to whoever reads a body",
    "aiohttp.http_exceptions": "is raised for replies that are no HTTP",
    "aiohttp.http_parser": "gives status and headers of a reply",
    "uvicorn.protocols.http.httptools_impl": "speaks HTTP/1.1; extended by limits and plain calls",
    "uvicorn.protocols.utils": "tells a client's address, and that it has gone",
    "uvicorn.protocols.websockets.websockets_sansio_impl": "speaks WebSockets; extended by limits",
    "uvicorn.server": "is extended to drain, and to listen with TLS",
}
"""What each of them does here; `uvicorn.Config` and `uvicorn.Server` are extended too."""
