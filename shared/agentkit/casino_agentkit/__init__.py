"""Typed entrypoints over A2A 1.0: declare, serve and call them.

>>> agent = Agent("Caller", "Calls everything.", infers_skill=True)
>>> @agent.entrypoint("act", who=ANYONE)
... async def act(request: ActionRequest) -> ActionResponse:
...     return ActionResponse(action="call")
>>> serve(lambda url: Service({"": agent}, public_url=url), host="127.0.0.1", port=4101)
"""

import importlib
import os
import sys

# Without an exporter the SDK's spans cost half a millisecond a call; set before its first import.
os.environ.setdefault("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false")
# Otherwise each counter also exports the time of its creation.
os.environ.setdefault("PROMETHEUS_DISABLE_CREATED_SERIES", "true")


def _import_structlog() -> None:
    """Import structlog without rich and greenlet, which it imports wherever they are installed.

    It has them for tracebacks and contexts that are not used here; they would take 5 MB and 50 ms
    of every process.
    """
    unused = {"rich", "greenlet"} - sys.modules.keys()
    sys.modules.update(dict.fromkeys(unused))  # None: it is not found
    try:
        importlib.import_module("structlog")
    finally:
        for name in unused:
            del sys.modules[name]


_import_structlog()

_NAMES_BY_MODULE = {
    "agent": ("Agent",),
    "authority": (
        "ANYONE",
        "Caller",
        "KeyRule",
        "Rule",
        "Scheme",
        "bearer",
        "caller",
    ),
    "client.client": ("AgentClient",),
    "client.http.reply": ("HttpReply",),
    "client.in_process": ("InProcessTransport",),
    "client.outgoing": (
        "CallAddresses",
        "OutgoingPolicy",
        "policy_of",
    ),
    "client.peer": (
        "Conversation",
        "Peer",
    ),
    "client.slots": ("CallSlots",),
    "client.transport": (
        "HttpTransport",
        "Transport",
    ),
    "errors": (
        "AddressNotAllowed",
        "AgentError",
        "CardKeyFailed",
        "ChildFailed",
        "CommandRefused",
        "Disconnected",
        "InvalidSecret",
        "InvalidSettings",
        "KitError",
        "Malformed",
        "PortTaken",
        "ProtocolFault",
        "RemoteRefused",
        "TimedOut",
        "Unreachable",
        "Violation",
    ),
    "grants": (
        "GrantRule",
        "Grants",
    ),
    "hot_messages": (
        "HotInput",
        "HotOutput",
    ),
    "idempotency": ("IdempotencyCache",),
    "process.child": ("Child",),
    "process.failure": ("exit_with",),
    "process.key": (
        "Key",
        "new_key",
        "service_key",
    ),
    "process.logs": (
        "Redactor",
        "configure_logs",
    ),
    "process.secret_file": ("find_secret",),
    "protocol": ("EXTENSION",),
    "reasons": ("KitReason",),
    "server.app": ("Service",),
    "server.browser_guard": ("BrowserGuard",),
    "server.hosted_agents": ("HostedAgents",),
    "server.server": ("serve",),
    "server.websocket.limits": ("WebSocketLimits",),
    "settings": (
        "Duration",
        "ServiceSettings",
    ),
    "signing.card_signing": ("CardSigner",),
}
_MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}

__all__ = sorted(_MODULES)  # noqa: PLE0605  sorted() returns a list


def __getattr__(name: str) -> object:
    """Return an exported name; its module is imported now, because few processes need all."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    value: object = getattr(module, name)
    globals()[name] = value
    return value
