"""Client binding of the invoke profile, for agents that offer nothing else."""

from http import HTTPStatus
from typing import Any, Final, NoReturn
from urllib.parse import quote

from casino_agentkit.bounds import ReplyBounds, reason_of
from casino_agentkit.client.agent_reply import details_in, issues_in, retry_after_s, text_of
from casino_agentkit.client.http.http_reply import HttpReply
from casino_agentkit.client.transport import Transport
from casino_agentkit.errors import KitReason, ProtocolFault, RemoteRefused
from casino_agentkit.protocol import JSON

_HEADERS: Final = {"Content-Type": JSON}
_DOTS: Final = frozenset({"", ".", ".."})
_REFUSED: Final = -32000
_CODES: Final = {
    "invalid_input": -32602,
    "invalid_request": -32600,
    "entrypoint_not_found": -32601,
    "internal_error": -32603,
    "invalid_output": -32603,
}
"""JSON-RPC codes of the profile's own codes; `_REFUSED` for all others."""
_CREDENTIALS: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class InvokeBinding:
    """Calls the skills of one agent below a URL, which ends with a slash."""

    def __init__(self, transport: Transport, url: str, bounds: ReplyBounds) -> None:
        self.url = url
        self._transport = transport
        self._bounds = bounds

    async def send(
        self,
        skill: str,
        data: bytes | None,
        _text: str | None,
        _context_id: str | None,
        timeout_s: float,
        token: str | None = None,
    ) -> dict[str, Any]:
        """Send a call with data; return its output as the data of a message.

        The profile has neither texts nor contexts.
        """
        if skill in _DOTS:
            raise ProtocolFault(self.url, "the skill's name would change the URL")
        url = f"{self.url}{quote(skill, safe='')}/invoke"
        headers = {**_HEADERS, "Authorization": f"Bearer {token}"} if token else _HEADERS
        body = b'{"input":' + (data or b"{}") + b"}"
        reply = await self._transport.send("POST", url, headers, body, timeout_s)
        if not HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
            self._raise(reply)
        try:
            content = self._bounds.parse(reply.body)
        except ValueError as error:
            raise ProtocolFault(self.url, f"the reply {error}") from error
        if not isinstance(content, dict) or "output" not in content:
            # The content is not included: the URL may be of an unrelated internal service.
            raise ProtocolFault(self.url, "the reply has no output")
        return {"message": {"parts": [{"data": content["output"]}]}}

    async def get_task(
        self, _task_id: str, _timeout_s: float, _token: str | None = None
    ) -> dict[str, Any]:
        """Raise ProtocolFault: the profile's replies are never tasks."""
        raise ProtocolFault(self.url, "the agent has no tasks")

    async def cancel_task(
        self, _task_id: str, _timeout_s: float, _token: str | None = None
    ) -> None:
        """Raise ProtocolFault: the profile's replies are never tasks."""
        raise ProtocolFault(self.url, "the agent has no tasks")

    def _raise(self, reply: HttpReply) -> NoReturn:
        """Raise RemoteRefused for an error of the profile, otherwise ProtocolFault."""
        status, later_s = reply.status, retry_after_s(reply.retry_after)
        try:
            content = self._bounds.parse(reply.body)
        except ValueError:
            content = None
        error = content.get("error") if isinstance(content, dict) else None
        code = error.get("code") if isinstance(error, dict) else None
        if not isinstance(error, dict) or not isinstance(code, str):
            raise ProtocolFault(
                self.url, f"HTTP status {status}", status=status, retry_after_s=later_s
            )
        raise RemoteRefused(
            self.url,
            text_of(error.get("message")) or text_of(code) or "refused without a reason",
            code=status if status in _CREDENTIALS else _CODES.get(code, _REFUSED),
            reason=reason_of(error.get("reason")) or KitReason.UNKNOWN,
            violations=issues_in(error.get("issues")),
            details=details_in(error.get("details")),
            status=status,
            retry_after_s=later_s,
        )
