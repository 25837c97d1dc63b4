"""Calls other lobbies of the group: one HTTP request, its reply or its refusal."""

import asyncio
from typing import Any, TypeVar

import orjson
from casino_agentkit import AgentError, CommandRefused, Transport, Violation
from casino_contracts import Reason, WireModel
from pydantic import ValidationError

from casino_lobby.domain.member import Member
from casino_lobby.errors import OwnedElsewhere, PeerAway, StoreFailed
from casino_lobby.peers.operations import PATH, PeerOperation

InputT = TypeVar("InputT", bound=WireModel)
OutputT = TypeVar("OutputT", bound=WireModel)

_AT_ONCE = 64
"""Requests to one lobby at a time; further ones wait."""
_OK, _CONFLICT, _ELSEWHERE, _UNAVAILABLE = 200, 409, 421, 503
_LEAVING = frozenset({Reason.STANDBY, Reason.DRAINING})
"""Reasons of a lobby that ends, or may have ended: its rooms will have another owner."""


class PeerClient:
    """Sends operations over `transport`; `key` is the key that the lobbies share."""

    def __init__(self, transport: Transport, key: str) -> None:
        self._transport = transport
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        self._places: dict[tuple[str, str], asyncio.Semaphore] = {}

    async def call(
        self, peer: Member, operation: PeerOperation[InputT, OutputT], message: InputT
    ) -> OutputT:
        """Return the output of an operation.

        Raises CommandRefused and StoreFailed, as the other lobby did; OwnedElsewhere if another one
        is the owner; PeerAway if the lobby cannot be asked: it may have executed the operation.
        """
        url = f"{peer.url}{PATH}{operation.name}"
        place = self._places.setdefault((peer.url, operation.name), asyncio.Semaphore(_AT_ONCE))
        try:
            async with place:
                reply = await self._transport.send(
                    "POST", url, self._headers, message.wire(), operation.timeout_s
                )
        except AgentError as error:
            raise PeerAway(f"lobby {peer.number} at {error}") from error
        content = _object(reply.body)
        try:
            if reply.status == _OK:
                return operation.output.model_validate(content["output"])
            if reply.status == _ELSEWHERE and (owner := content.get("owner")) is not None:
                raise OwnedElsewhere(int(owner["number"]), str(owner["url"]))
            if reply.status in {_CONFLICT, _UNAVAILABLE} and "message" in content:
                _raise_refusal(peer, content)
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise PeerAway(
                f"lobby {peer.number} at {peer.url} sent a reply to {operation.name} that cannot"
                " be read"
            ) from error
        raise PeerAway(
            f"lobby {peer.number} at {peer.url} responded {reply.status} to {operation.name}"
            + _advice(reply.status)
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.close()


def _object(body: bytes | bytearray) -> dict[str, Any]:
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return content if isinstance(content, dict) else {}


def _raise_refusal(peer: Member, content: dict[str, Any]) -> None:
    reason, message = str(content["reason"]), str(content["message"])
    if reason in _LEAVING:
        raise PeerAway(f"lobby {peer.number} at {peer.url} ends")
    if reason == Reason.STORE_FAILED:
        raise StoreFailed(f"at lobby {peer.number}: {message}")
    violations = tuple(
        Violation(str(fault["field"]), str(fault["message"]))
        for fault in content.get("violations", ())
    )
    details = {str(name): str(value) for name, value in content.get("details", {}).items()}
    raise CommandRefused(reason, message, violations, details)


def _advice(status: int) -> str:
    if status in {401, 403}:
        return ": CASINO_LOBBY_PEER_KEY must be the same at all lobbies"
    return ""
