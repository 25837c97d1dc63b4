"""A2A over gRPC with the SDK's own client: agents, callers, refusals and limits."""

from typing import Any

import grpc
import httpx
import pytest
from a2a.client import ClientCallContext
from a2a.types import SendMessageRequest
from a2a.types.a2a_pb2 import StreamResponse
from a2a.utils.errors import (
    A2AError,
    ContentTypeNotSupportedError,
    InvalidParamsError,
    UnsupportedOperationError,
    VersionNotSupportedError,
)
from casino_agentkit import ANYONE, Agent, KeyRule, Scheme, Service, caller
from casino_agentkit.protocol import CARD_PATH
from google.protobuf.json_format import MessageToDict
from pydantic import BaseModel
from support.players.grpc_side import (
    SOUP,
    SdkCaller,
    channel,
    kitchen,
    message,
    raw_status,
    serving,
)

KEY = "sesame-of-sixteen-characters"


class Nothing(BaseModel):
    """No input."""


class Seen(BaseModel):
    token: str
    address: str
    capability: str
    traceparent: str


def seen() -> Seen:
    return Seen.model_validate(caller(), from_attributes=True)


def guide() -> Agent:
    """Return an agent that tells callers who they are, with an entrypoint for one key."""
    agent = Agent("Guide", "Sees callers.")

    @agent.entrypoint("whoami", who=ANYONE)
    async def whoami(_request: Nothing) -> Seen:
        return seen()

    rule = KeyRule(Scheme("key", "the guide's key"), lambda _: KEY)

    @agent.entrypoint("secret", who=rule)
    async def secret(_request: Nothing) -> Seen:
        return seen()

    return agent


async def reply(
    service: Service, request: SendMessageRequest, *, path: str = "", **headers: str
) -> StreamResponse:
    """Send a request with the SDK's client, over the gRPC interface of the card."""
    sdk = SdkCaller(service)
    context = ClientCallContext(service_parameters=headers)
    try:
        client = await sdk.client(path)
        answers = [one async for one in client.send_message(request, context=context)]
    finally:
        await sdk.close()
    answer: StreamResponse
    (answer,) = answers
    return answer


async def output(service: Service, skill: str, data: Any = None, **how: Any) -> Any:
    """Call an entrypoint and return its output."""
    answer = await reply(service, message(data or {}, skill), **how)
    return MessageToDict(answer.message.parts[0].data)


class TestAgents:
    async def test_the_tenant_is_the_agent(self) -> None:
        """GRPC has no paths: each card names its own tenant on the one port."""
        async with serving({"/guides/1": guide(), "/guides/2": kitchen()}) as service:
            assert (await output(service, "order", SOUP, path="/guides/2"))["total"] == 2
            assert await output(service, "whoami", path="/guides/1")
            with pytest.raises(InvalidParamsError, match="unknown skill"):
                await output(service, "order", SOUP, path="/guides/1")

    async def test_the_card_names_grpc_only_while_it_is_served(self) -> None:
        """Host and port, as clients give them to gRPC."""
        async with serving({"": guide()}) as service:
            assert service.grpc_port
            assert await interfaces(service) == [f"127.0.0.1:{service.grpc_port}"]
        assert await interfaces(Service({"": guide()})) == []


async def interfaces(service: Service) -> list[str]:
    transport = httpx.ASGITransport(service.asgi())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        card = (await http.get(CARD_PATH)).json()
    named = card["supportedInterfaces"]
    return [one["url"] for one in named if one["protocolBinding"] == "GRPC"]


class TestCallers:
    """The rule of an entrypoint holds with the token of the metadata."""

    async def test_the_caller_is_the_metadata_s(self) -> None:
        async with serving({"": guide()}) as service:
            headers = {"authorization": f"Bearer {KEY}", "traceparent": "00-1-2-01"}
            assert await output(service, "whoami", **headers) == {
                "token": KEY,
                "address": "127.0.0.1",
                "capability": "",
                "traceparent": "00-1-2-01",
            }
            assert (await output(service, "whoami"))["token"] == ""

    async def test_the_token_of_a_capability_address_is_in_the_tenant(self) -> None:
        """As on the card that was read there."""
        async with serving({"/guides/1": guide()}) as service:
            seen = await output(service, "secret", path=f"/t/{KEY}/guides/1")
            assert (seen["token"], seen["capability"]) == (KEY, KEY)

    @pytest.mark.parametrize(
        ("headers", "reason"), [({}, "UNAUTHORIZED"), ({"authorization": "Bearer x"}, "FORBIDDEN")]
    )
    async def test_others_are_refused(self, headers: dict[str, str], reason: str) -> None:
        """With the reason of the other bindings, in the metadata of the ErrorInfo."""
        async with serving({"": guide()}) as service:
            with pytest.raises(UnsupportedOperationError):
                await output(service, "secret", **headers)
            metadata = [("authorization", headers.get("authorization", ""))]
            status = await raw_status(service, message({}, "secret"), metadata)
            assert reason.encode() in status

    async def test_no_token_is_left_for_the_next_call(self) -> None:
        async with serving({"": guide()}) as service, channel(service) as stub:
            metadata = [("authorization", f"Bearer {KEY}")]
            assert await stub.SendMessage(message({}, "secret"), metadata=metadata)
            with pytest.raises(grpc.aio.AioRpcError):
                await stub.SendMessage(message({}, "secret"))


class TestRefusals:
    @pytest.mark.parametrize(
        ("request_", "error", "text"),
        [
            (message({"dish": ""}, "order"), InvalidParamsError, "plates"),
            (message({**SOUP, "dish": "fish"}, "order"), UnsupportedOperationError, "no fish"),
            (message(SOUP, media_type="image/png"), ContentTypeNotSupportedError, "image/png"),
            (message({**SOUP, "plates": float("nan")}, "order"), InvalidParamsError, "finite"),
        ],
    )
    async def test_a_wrong_call_is_refused(
        self, request_: SendMessageRequest, error: type[A2AError], text: str
    ) -> None:
        if text == "finite":
            field = request_.message.parts[0].data.struct_value.fields["plates"]
            field.number_value = float("nan")
        async with serving({"": kitchen()}) as service:
            with pytest.raises(error, match=text):
                await reply(service, request_)

    async def test_the_version_is_checked(self) -> None:
        """The SDK does not; a missing one is that of the service."""
        async with serving({"": guide()}) as service:
            assert await output(service, "whoami", **{"A2A-Version": "1.1"})
            with pytest.raises(VersionNotSupportedError):
                await output(service, "whoami", **{"A2A-Version": "0.3"})

    async def test_an_unknown_tenant_is_nobody(self) -> None:
        request = message({}, "whoami")
        request.tenant = "/guides/9"
        async with serving({"/guides/1": guide()}) as service:
            assert b"no agent has this tenant" in await raw_status(service, request)
