# The exported names, and where each is; __init__.py reads it at run time.

from casino_agentkit.agent import Agent
from casino_agentkit.authority import (
    ANYONE,
    AddressKeyRule,
    Caller,
    KeyRule,
    Rule,
    Scheme,
    bearer,
    caller,
)
from casino_agentkit.card_signing import CardSigner
from casino_agentkit.client.agent_client import AgentClient
from casino_agentkit.client.http.http_reply import HttpReply
from casino_agentkit.client.outgoing import CallAddresses, CallSlots, OutgoingPolicy, policy_of
from casino_agentkit.client.remote_agent import Conversation, RemoteAgent
from casino_agentkit.client.transport import HttpTransport, Transport
from casino_agentkit.contributor import Contributor
from casino_agentkit.entrypoint import HotInput, HotOutput, LargeBody
from casino_agentkit.errors import (
    AddressNotAllowed,
    AgentError,
    CardKeyFailed,
    ChildFailed,
    CommandRefused,
    Disconnected,
    InvalidSecret,
    InvalidSettings,
    KitError,
    KitReason,
    Malformed,
    PortTaken,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    UnfairDeal,
    Unreachable,
    Violation,
)
from casino_agentkit.idempotency_cache import IdempotencyCache
from casino_agentkit.process.child import Child
from casino_agentkit.process.logs import Redactor, configure_logs
from casino_agentkit.process.secret_keys import Key, find_secret, new_key, service_key
from casino_agentkit.process.waits import Wait, Waits
from casino_agentkit.protocol import EXTENSION
from casino_agentkit.server.request_guard import BrowserGuard
from casino_agentkit.server.served_agents import HostedAgents
from casino_agentkit.server.server_limits import WebSocketLimits
from casino_agentkit.server.service_app import Service
from casino_agentkit.server.serving import serve
from casino_agentkit.settings import Duration, ServiceSettings

__all__ = [
    "ANYONE",
    "EXTENSION",
    "AddressKeyRule",
    "AddressNotAllowed",
    "Agent",
    "AgentClient",
    "AgentError",
    "BrowserGuard",
    "CallAddresses",
    "CallSlots",
    "Caller",
    "CardKeyFailed",
    "CardSigner",
    "Child",
    "ChildFailed",
    "CommandRefused",
    "Contributor",
    "Conversation",
    "Disconnected",
    "Duration",
    "HostedAgents",
    "HotInput",
    "HotOutput",
    "HttpReply",
    "HttpTransport",
    "IdempotencyCache",
    "InvalidSecret",
    "InvalidSettings",
    "Key",
    "KeyRule",
    "KitError",
    "KitReason",
    "LargeBody",
    "Malformed",
    "OutgoingPolicy",
    "PortTaken",
    "ProtocolFault",
    "Redactor",
    "RemoteAgent",
    "RemoteRefused",
    "Rule",
    "Scheme",
    "Service",
    "ServiceSettings",
    "TimedOut",
    "Transport",
    "UnfairDeal",
    "Unreachable",
    "Violation",
    "Wait",
    "Waits",
    "WebSocketLimits",
    "bearer",
    "caller",
    "configure_logs",
    "find_secret",
    "new_key",
    "policy_of",
    "serve",
    "service_key",
]
