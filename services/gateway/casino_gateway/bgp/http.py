"""`POST /bgp`: one message in, one out."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from casino_gateway.bgp import credentials
from casino_gateway.bgp.dispatch import refused
from casino_gateway.bgp.endpoint import Endpoint, Sender, response
from casino_gateway.bgp.refusal import MessageRefused


@dataclass(frozen=True, slots=True)
class HttpTransport:
    """Answers messages in the bodies of HTTP requests."""

    endpoint: Endpoint

    async def post(self, request: Request) -> Response:
        """Answer the message in the body."""
        try:
            sender = sender_of(request)
            content = await request.body()
        except MessageRefused as refusal:
            return response(refused(refusal))
        return response(await self.endpoint.answer(content, sender))


def sender_of(request: Request) -> Sender:
    """Return the sender of a request; raises MessageRefused."""
    return Sender(
        credentials.bearer(request), credentials.address(request), credentials.is_strict(request)
    )
