"""Record the events of several tables that came in one call, each table's part by itself."""

import asyncio
from collections.abc import Sequence

import structlog
from casino_agentkit import Caller, CommandRefused, Rule
from casino_agentkit.authority import caller, set_caller
from casino_agentkit.server.calls.failure import (
    CallFailure,
    failed_entrypoint,
    invalid_input,
    refused_command,
)
from casino_contracts import DeliveryOutcome, DeliveryRefused, RecordTableEventsOutput

from casino_lobby.delivery.delivered_parts import DeliveredPart
from casino_lobby.errors import StoreFailed
from casino_lobby.service.use_cases import UseCases

logger = structlog.get_logger(__name__)


class Deliveries:
    """Records each part as a call of `recordGameEvent` with its token would be.

    The parts are recorded at the same time, so that they share a commit; those of one table in
    their order. `recording` decides who may report the events of a table.
    """

    def __init__(self, lobby: UseCases, recording: Rule) -> None:
        self._lobby = lobby
        self._recording = recording

    async def record(self, parts: Sequence[DeliveredPart]) -> RecordTableEventsOutput:
        """Record what is valid and admitted; the outcome of each part says what became of it."""
        sender = caller()
        outcomes = await asyncio.gather(*(self._outcome(part, sender) for part in parts))
        return RecordTableEventsOutput(tables=tuple(outcomes))

    async def _outcome(self, part: DeliveredPart, sender: Caller) -> DeliveryOutcome:
        """Record a part in an asyncio task of its own, which has its own caller."""
        try:
            if part.violations:
                return _refused(invalid_input(part.violations))
            if part.room_token is not None:
                set_caller(Caller(part.room_token, sender.address))
            self._recording.admit(caller(), part.events)
            recorded = await self._lobby.record(part.events)
        except StoreFailed as failed:
            return _refused(refused_command(failed.refusal()))
        except CommandRefused as refusal:
            return _refused(refused_command(refusal))
        except Exception:
            # A fault of the lobby costs the other parts nothing; the details go to the log only.
            logger.exception("delivery_failed")
            return _refused(failed_entrypoint())
        return DeliveryOutcome(sequence=recorded.sequence)


def _refused(failure: CallFailure) -> DeliveryOutcome:
    """Return what the table gets instead of the failure of a call of its own."""
    values = dict(failure.metadata or {})
    values.pop("errors", None)  # they are in the message
    reason = values.pop("reason", failure.kind.value[1])
    return DeliveryOutcome(
        refused=DeliveryRefused(reason=reason, message=failure.message, details=values or None)
    )
