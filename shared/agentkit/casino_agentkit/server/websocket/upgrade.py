"""Upgrade of an HTTP connection to a WebSocket, which keeps its place in the counts."""

from typing import ClassVar

from casino_agentkit.server.calls.front import PlainCallFront
from casino_agentkit.server.calls.protocol import PlainCallProtocol
from casino_agentkit.server.closing_responses import BAD_UPGRADE
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.limits import ServerLimits
from casino_agentkit.server.websocket.connection import LimitedWebSocket, websocket_of
from casino_agentkit.server.websocket.limits import WebSocketLimits


class UpgradingProtocol(PlainCallProtocol):
    """One connection, until its client asks for a WebSocket."""

    websocket: ClassVar[type[LimitedWebSocket]]

    def handle_websocket_upgrade(self) -> None:
        """Give the connection to a WebSocket; close it if responses are pending or unread."""
        newest = self._newest
        is_pending = newest is not None and not newest.response_complete
        if is_pending or self.flow.write_paused:
            self._cut("pipelined")
            return
        self._is_over = True
        self._stop_timer()
        self._stop_unread()
        if self.scope["method"] != "GET" or not self.url.isascii():
            self.transport.write(BAD_UPGRADE)
            self.transport.close()
            return
        fields = (name + b": " + value + b"\r\n" for name, value in self.headers)
        request = b"GET " + self.url + b" HTTP/1.1\r\n" + b"".join(fields) + b"\r\n"
        self.connections.discard(self)
        # Breaks the reference cycle between parser and protocol.
        self.parser = None  # type: ignore[assignment]
        websocket = self.websocket(self.config, self.server_state, self.app_state)
        self.transport.set_protocol(websocket)
        websocket.opened(self.transport, self._network, request)


def upgrading_protocol_of(
    limits: ServerLimits,
    websockets: WebSocketLimits,
    counts: Connections,
    front: PlainCallFront | None,
) -> type[UpgradingProtocol]:
    """Return the protocol class of a process that has WebSockets."""
    websocket = websocket_of(websockets, counts)
    attributes = {"limits": limits, "counts": counts, "front": front, "websocket": websocket}
    return type("Protocol", (UpgradingProtocol,), attributes)
