"""Translate failed calls to other agents into refusal reasons."""

from collections.abc import Iterator
from contextlib import contextmanager

from casino_agentkit import (
    AgentError,
    CommandRefused,
    KitReason,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
)
from casino_contracts import Reason

_INVALID_PARAMS, _REFUSED_COMMAND = -32602, -32004
_WITHOUT_REASON = {KitReason.UNKNOWN, KitReason.UNSUPPORTED_OPERATION}


@contextmanager
def translate_errors(who: str) -> Iterator[None]:
    """Translate errors of a call into CommandRefused; `who` names the agent in messages.

    A refusal of the other agent keeps its reason, violations and details.
    Raises CommandRefused: AGENT_UNREACHABLE, AGENT_TIMED_OUT, AGENT_CONTRACT_VIOLATION,
    AGENT_REFUSED, or the other agent's reason.
    """
    try:
        yield
    except RemoteRefused as refused:
        if refused.code == _REFUSED_COMMAND and refused.reason not in _WITHOUT_REASON:
            reason = refused.reason
        elif refused.code == _INVALID_PARAMS:
            reason = Reason.AGENT_CONTRACT_VIOLATION
        else:
            reason = Reason.AGENT_REFUSED
        raise CommandRefused(
            reason, f"{who} refused: {refused.message}", refused.violations, refused.details
        ) from refused
    except Unreachable as error:
        raise CommandRefused(
            Reason.AGENT_UNREACHABLE, f"{who} cannot be reached: {error}"
        ) from error
    except TimedOut as error:
        raise CommandRefused(
            Reason.AGENT_TIMED_OUT, f"{who} did not answer in time: {error}"
        ) from error
    except (Malformed, ProtocolFault) as error:
        raise CommandRefused(
            Reason.AGENT_CONTRACT_VIOLATION, f"{who} does not speak the casino protocol: {error}"
        ) from error
    except AgentError as error:
        raise CommandRefused(Reason.AGENT_UNREACHABLE, f"{who}: {error}") from error
