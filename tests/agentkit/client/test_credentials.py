"""An agent that asks for credentials is refused with the name of their scheme."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from casino_agentkit import AgentClient, CommandRefused, KitReason, ProtocolFault, RemoteRefused
from casino_lobby.table_messages import translate_errors
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from support.envelopes import BINDINGS, Call
from support.in_process import InProcessTransport
from support.players.odd_agent import SECOND, spoken

BEARER: dict[str, Any] = {"corp": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}
OLD_BEARER: dict[str, Any] = {"corp": {"type": "http", "scheme": "Bearer"}}
Reply = Callable[[Call], Response]


async def refused(binding: str, reply: Reply, schemes: Any) -> RemoteRefused:
    """Return the refusal of an agent that answers every call by `reply`."""

    async def serve(request: Request) -> Response:
        return reply(Call(binding, json.loads(await request.body()).get("id")))

    agent = spoken(binding, serve, securitySchemes=schemes)
    client = AgentClient(InProcessTransport({"http://odd": agent}))
    try:
        peer = await client.resolve("http://odd", timeout=SECOND)
        with pytest.raises(RemoteRefused) as error:
            await peer.call("act", b"{}", dict, timeout=SECOND)
    finally:
        await client.close()
    return error.value


def schemes_for(binding: str) -> dict[str, Any]:
    """Return the scheme in the words of the binding's card."""
    return OLD_BEARER if binding == "v03" else BEARER


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_status_that_asks_for_credentials_names_the_scheme(
    binding: str, status: int
) -> None:
    """The page behind it is not quoted: it may be of another service."""
    page = {"error": "hunter2", "detail": "hunter2"}
    error = await refused(
        binding, lambda _: JSONResponse(page, status_code=status), schemes_for(binding)
    )
    assert error.reason == KitReason.CREDENTIALS_REQUIRED
    assert error.code == status
    assert "'corp' (HTTP Bearer)" in error.message
    assert "hunter2" not in str(error)


async def test_what_the_agent_says_in_a2a_is_passed_on() -> None:
    """As one bounded line."""

    def deny(call: Call) -> Response:
        error = {"code": -32001, "message": "log in \x1b[31mfirst\n" + "x" * 9_000}
        body = {"jsonrpc": "2.0", "id": call.call_id, "error": error}
        return JSONResponse(body, status_code=401)

    error = await refused("jsonrpc", deny, BEARER)
    assert "it says: log in [31mfirst xxx" in error.message
    assert error.message.isprintable()
    assert len(error.message) < 400


@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_task_that_asks_for_credentials_is_a_refusal(binding: str) -> None:
    """With the agent's message, which says what to do."""

    def ask(call: Call) -> Response:
        role = "agent" if binding == "v03" else "ROLE_AGENT"
        kind = {"kind": "message"} if binding == "v03" else {}
        said = {"messageId": "m", "role": role, "parts": [call.part("text", "log in first")]}
        state = "auth-required" if binding == "v03" else "TASK_STATE_AUTH_REQUIRED"
        status = {"state": state, "message": {**kind, **said}}
        return JSONResponse(call.task("x", status=status))

    error = await refused(binding, ask, schemes_for(binding))
    assert error.reason == KitReason.CREDENTIALS_REQUIRED
    assert "'corp' (HTTP Bearer); it says: log in first" in error.message
    without = await refused(binding, ask, {})
    assert "names no security scheme; it says: log in first" in without.message


async def test_every_kind_of_scheme_is_named_and_few_of_them() -> None:
    """A card may have very many, with very long names."""
    schemes = {
        "a": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}},
        "b": {"oauth2SecurityScheme": {"flows": {}}},
        "c": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://x/"}},
        "c" * 5_000: {"mtlsSecurityScheme": {}},
        **{f"z{number}": {} for number in range(100)},
    }
    error = await refused("jsonrpc", lambda _: Response(status_code=401), schemes)
    assert "'a' (API key, header X-Key), 'b' (OAuth 2), 'c' (OpenID Connect), 'ccc" in error.message
    assert "(mutual TLS) and 100 more" in error.message
    assert len(error.message) < 500


@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_status_without_a_scheme_stays_a_fault(binding: str) -> None:
    """Nothing on the card says that credentials would help."""
    with pytest.raises(ProtocolFault, match="status 401"):
        await refused(binding, lambda _: Response(status_code=401), {})


async def test_the_lobby_names_the_scheme_to_its_caller() -> None:
    """As a refusal of the agent, not as a fault of the caller's own key."""
    with pytest.raises(CommandRefused, match="'corp'") as refusal, translate_errors("The player"):
        raise await refused("jsonrpc", lambda _: Response(status_code=401), BEARER)
    assert refusal.value.reason == "AGENT_REFUSED"
