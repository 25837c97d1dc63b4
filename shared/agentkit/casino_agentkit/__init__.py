"""Typed entrypoints over A2A 1.0: declare one in a line, serve it, call it.

>>> agent = Agent("Caller", "Calls everything.", infers_skill=True)
>>> @agent.entrypoint("act")
... async def act(request: ActionRequest) -> ActionResponse:
...     return ActionResponse(action="call")
>>> serve(lambda url: Service({"": agent}, public_url=url), host="127.0.0.1", port=4101)
"""

import os

# Without an exporter the SDK's spans cost half a millisecond a call; set before its first import.
os.environ.setdefault("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false")
# Else every count comes with a second line, the time at which it was made.
os.environ.setdefault("PROMETHEUS_DISABLE_CREATED_SERIES", "true")

from casino_agentkit.agent import Agent
from casino_agentkit.app import Service
from casino_agentkit.browser_guard import BrowserGuard
from casino_agentkit.child import Child, ChildFailed
from casino_agentkit.client import AgentClient, Conversation, Peer
from casino_agentkit.errors import (
    AgentError,
    Malformed,
    ProtocolFault,
    Refusal,
    Refused,
    TimedOut,
    Unreachable,
    Violation,
)
from casino_agentkit.in_process import InProcessTransport
from casino_agentkit.key import Key, new_key
from casino_agentkit.logs import Redactor, configure_logs
from casino_agentkit.memory import Memory
from casino_agentkit.secret_file import InvalidSecret, find_secret
from casino_agentkit.server import PortTaken, serve
from casino_agentkit.settings import Duration, InvalidSettings, ServiceSettings
from casino_agentkit.transport import HttpReply, HttpTransport, Transport
from casino_agentkit.wire import EXTENSION

__all__ = [
    "EXTENSION",
    "Agent",
    "AgentClient",
    "AgentError",
    "BrowserGuard",
    "Child",
    "ChildFailed",
    "Conversation",
    "Duration",
    "HttpReply",
    "HttpTransport",
    "InProcessTransport",
    "InvalidSecret",
    "InvalidSettings",
    "Key",
    "Malformed",
    "Memory",
    "Peer",
    "PortTaken",
    "ProtocolFault",
    "Redactor",
    "Refusal",
    "Refused",
    "Service",
    "ServiceSettings",
    "TimedOut",
    "Transport",
    "Unreachable",
    "Violation",
    "configure_logs",
    "find_secret",
    "new_key",
    "serve",
]
