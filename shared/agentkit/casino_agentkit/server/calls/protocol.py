"""HTTP/1.1 protocol that answers plain typed calls itself, each with one write.

A request that arrives in one read and is a plain call takes no part of the HTTP parser and of the
application. Every other request is parsed as before.
"""

import asyncio
from math import inf
from typing import ClassVar

from casino_agentkit.authority import Caller, set_caller
from casino_agentkit.server.calls.front import (
    PlainCallFront,
    PlainRequest,
    closing,
    failed_response,
)
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.http_protocol import LimitedProtocol
from casino_agentkit.server.limits import ServerLimits


class PlainCallProtocol(LimitedProtocol):
    """One connection; `protocol_of` creates the class of a process.

    A call runs in a task of its own, as an application does: it has a current task and context
    variables, the server waits for it when it ends, and cancels it if it takes too long then. Only
    an entrypoint that answers at once needs no task.
    """

    front: ClassVar[PlainCallFront | None]

    _running: asyncio.Task[None] | None = None
    """The task of the plain call that is being answered."""
    _held = b""
    """What the client has sent meanwhile; reading is paused after it."""
    _replied_at = -inf
    """When the last plain call was answered, in seconds of the loop."""
    _is_ending = False
    """Whether the server closes the connection once the call is answered."""

    def data_received(self, data: bytes) -> None:
        """Answer a plain call, or parse the data."""
        if self._running is not None:
            self._held += data
            self.flow.pause_reading()
            return
        front = self.front
        request = None
        if front is not None and self._is_between_requests:
            request = front.request_in(data)
        if front is None or request is None:
            super().data_received(data)
            return
        self._requests += 1
        if self._deadline is not None:
            self._stop_timer()
        head = request.head
        address = self.client[0] if self.client else ""
        sender = Caller(head.token or head.capability, address, head.capability, head.is_forwarded)
        headers = self.server_state.default_headers
        if request.call.entrypoint.compute is not None:
            try:
                response = front.computed_response(request, sender, headers)
            except BaseException as error:  # noqa: BLE001  as `_failed` says
                self._write(self._failed(error), is_last=True)
            else:
                self._write(response)
            return
        self._running = self.loop.create_task(self._answer(front, request, sender))
        self.tasks.add(self._running)

    def shutdown(self) -> None:
        """Close the connection, after the response to a call that is being answered."""
        if self._running is None:
            super().shutdown()
        else:
            self._is_ending = True

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection if it is idle: plain calls do not set the timer anew."""
        left_s = self._replied_at + self.timeout_keep_alive - self.loop.time()
        if self._running is not None:
            self._await_next(self.timeout_keep_alive)
        elif left_s > 0:
            self._await_next(left_s)
        else:
            super().timeout_keep_alive_handler()

    @property
    def _is_between_requests(self) -> bool:
        """Whether a call may be answered at once: nothing before it waits, and its client reads."""
        return (
            self._phase == "idle"
            and not self._is_over
            and (self._newest is None or self._newest.response_complete)
            and not self.flow.write_paused
        )

    @property
    def _is_answering(self) -> bool:
        return self._running is not None or super()._is_answering

    async def _answer(self, front: PlainCallFront, request: PlainRequest, sender: Caller) -> None:
        """Run a call and write its response."""
        set_caller(sender)
        is_last = False
        try:
            response = await front.response(request, self.server_state.default_headers)
        except BaseException as error:  # noqa: BLE001  as `_failed` says
            response, is_last = self._failed(error), True
        task, self._running = self._running, None
        if task is not None:
            self.tasks.discard(task)
        self._write(response, is_last=is_last)

    def _failed(self, error: BaseException) -> bytes:
        """Log what a call ended with, such as a cancellation; return the response, with status 500.

        It must not end the server, whatever it is. uvicorn does the same for an application.
        """
        self.logger.error("a plain call was not answered", exc_info=error)
        return failed_response(self.server_state.default_headers)

    def _write(self, response: bytes, *, is_last: bool = False) -> None:
        """Write a response, and go on with what the client has sent; close after the last one."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if is_last or self._is_ending:
            self.transport.write(response if is_last else closing(response))
            self.transport.close()
            return
        self.transport.write(response)
        self._replied_at = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._await_next(self.timeout_keep_alive)
        if self._held:
            held, self._held = self._held, b""
            self.flow.resume_reading()
            self.data_received(held)

    def _await_next(self, seconds: float) -> None:
        """Set the timer in which the client has to send the next request."""
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )


def protocol_of(
    limits: ServerLimits, counts: Connections, front: PlainCallFront | None
) -> type[PlainCallProtocol]:
    """Return the protocol class of a process; without a front the application answers all calls."""
    attributes = {"limits": limits, "counts": counts, "front": front}
    return type("Protocol", (PlainCallProtocol,), attributes)
