"""The client: typed calls to strict agents, and to whatever else answers A2A."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import (
    create_agent_card_routes,
    create_jsonrpc_routes,
    create_rest_routes,
)
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from casino_agentkit import (
    AgentClient,
    AgentError,
    Conversation,
    InProcessTransport,
    Malformed,
    Peer,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
    Violation,
)
from casino_agentkit.protocol import EXTENSION, RPC_PATH
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp
from support.players.sample_agent import Bill, Order, SampleAgent, Waiter

SECOND = timedelta(seconds=1)
SOUP = Order(dish="soup", plates=2)
BILL = {"dish": "soup", "total": 2, "number": 1}

Answer = Callable[[dict[str, Any]], Any]


def card(*, url: str = "http://odd", typed: bool = True, tenant: str = "") -> dict[str, Any]:
    """Return the card of an odd agent."""
    extensions = [{"uri": EXTENSION}] if typed else []
    return {
        "name": "Odd",
        "description": "d",
        "version": "1",
        "supportedInterfaces": [
            {
                "url": url + "/rpc",
                "protocolBinding": "JSONRPC",
                "protocolVersion": "1.0",
                "tenant": tenant,
            }
        ],
        "capabilities": {"extensions": extensions},
        "skills": [{"id": "order", "name": "o", "description": "d", "tags": ["t"]}],
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
    }


class Odd:
    """An agent written by hand: it answers whatever the test says."""

    def __init__(self, answer: Answer, **shape: Any) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[httpx.Headers] = []
        self._answer = answer
        self._card = card(**shape)

    def app(self) -> ASGIApp:
        """Return it as an application."""

        async def serve_card(_request: Request) -> Response:
            return Response(json.dumps(self._card))

        async def serve_rpc(request: Request) -> Response:
            call = await request.json()
            self.asked.append(call)
            answer = self._answer(call)
            if asyncio.iscoroutine(answer):
                answer = await answer
            if isinstance(answer, Response):
                return answer
            return Response(json.dumps({"jsonrpc": "2.0", "id": call["id"], **answer}))

        return Starlette(
            routes=[
                Route("/.well-known/agent-card.json", serve_card),
                Route("/rpc", serve_rpc, methods=["POST"]),
            ]
        )


async def peer_of(app: ASGIApp, origin: str = "http://odd") -> Peer:
    """Resolve an application."""
    return await AgentClient(InProcessTransport({origin: app})).resolve(origin, timeout=SECOND)


async def order(app: ASGIApp, order: Order = SOUP) -> Bill:
    """Order at an application."""
    return await (await peer_of(app)).call("order", order, Bill, timeout=SECOND)


def says(*parts: dict[str, Any]) -> Answer:
    """Answer with a message of these parts."""
    message = {"messageId": "r", "role": "ROLE_AGENT", "contextId": "ctx-7", "parts": list(parts)}
    return lambda _call: {"result": {"message": message}}


def task(state: str, **fields: Any) -> dict[str, Any]:
    """Return a task."""
    return {"id": "t-1", "contextId": "ctx-7", "status": {"state": state}, **fields}


TEXTS = [
    json.dumps(BILL),
    f"Here you are:\n```json\n{json.dumps(BILL)}\n```\nEnjoy!",
    f"```\n{json.dumps(BILL, indent=2)}\n```",
    f"I thought about it. {json.dumps(BILL)} Bon appetit {{}}"[:-3],
]


class TestReplies:
    """The output is found wherever it stands."""

    async def test_a_typed_agent_answers_in_a_data_part(self) -> None:
        """The strict form, over the fast path."""
        assert (await order(SampleAgent().app())).total == 2

    @pytest.mark.parametrize("text", TEXTS)
    async def test_json_in_a_text_part(self, text: str) -> None:
        """Plain, fenced, or between sentences: language models write so."""
        assert (await order(Odd(says({"text": text})).app())).model_dump() == BILL

    async def test_the_first_valid_content_counts(self) -> None:
        """A thought that is JSON too does not hide the answer."""
        odd = Odd(says({"data": {"thought": 1}}, {"text": "{}"}, {"data": BILL}))
        assert (await order(odd.app())).model_dump() == BILL

    @pytest.mark.parametrize(
        "fields",
        [
            {"artifacts": [{"artifactId": "a", "parts": [{"data": BILL}]}]},
            {"artifacts": [{"artifactId": "a", "parts": [{"text": TEXTS[1]}]}]},
            {
                "status": {
                    "state": "TASK_STATE_COMPLETED",
                    "message": {"messageId": "s", "parts": [{"text": TEXTS[0]}]},
                }
            },
            {
                "status": {
                    "state": "TASK_STATE_INPUT_REQUIRED",
                    "message": {"messageId": "s", "parts": [{"data": BILL}]},
                }
            },
        ],
    )
    async def test_a_task_holds_it_in_artifact_or_status(self, fields: dict[str, Any]) -> None:
        """Task-based agents play too."""
        done = {**task("TASK_STATE_COMPLETED"), **fields}
        assert (await order(Odd(lambda _call: {"result": {"task": done}}).app())).total == 2

    async def test_a_working_task_is_polled(self) -> None:
        """Until it is finished, or the deadline passes."""
        done = task("TASK_STATE_COMPLETED", artifacts=[{"parts": [{"data": BILL}]}])
        polls = iter([task("TASK_STATE_WORKING"), task("TASK_STATE_WORKING"), done])

        def answer(call: dict[str, Any]) -> dict[str, Any]:
            if call["method"] == "SendMessage":
                return {"result": {"task": task("TASK_STATE_SUBMITTED")}}
            assert call["params"] == {"id": "t-1"}
            return {"result": next(polls)}

        odd = Odd(answer)
        assert (await order(odd.app())).total == 2
        assert [call["method"] for call in odd.asked] == ["SendMessage"] + ["GetTask"] * 3

    async def test_a_task_that_never_ends_is_a_timeout(self) -> None:
        """The deadline is one for all polls."""
        working = task("TASK_STATE_WORKING")
        odd = Odd(
            lambda call: {"result": {"task": working} if "message" in call["params"] else working}
        )
        peer = await peer_of(odd.app())
        with pytest.raises(TimedOut, match="not finished within"):
            await peer.call("order", SOUP, Bill, timeout=timedelta(milliseconds=200))


class TestFaults:
    """Every failure is one of ours, and says whose it is."""

    @pytest.mark.parametrize(
        ("answer", "kind", "told"),
        [
            (says({"data": {"dish": 1}}), Malformed, "dish: "),
            (says({"text": "no idea"}), Malformed, "no JSON object"),
            (says(), Malformed, "no JSON object"),
            (
                lambda _: {"result": {"task": task("TASK_STATE_FAILED")}},
                RemoteRefused,
                "task failed",
            ),
            (
                lambda _: {"result": {"task": task("TASK_STATE_REJECTED")}},
                RemoteRefused,
                "task failed",
            ),
            (lambda _: {"error": {"code": -32603, "message": "boom"}}, RemoteRefused, "boom"),
            (lambda _: {"error": "boom"}, RemoteRefused, "without a reason"),
            (lambda _: {"error": {"code": 1, "data": [7, {"@type": 3}]}}, RemoteRefused, "without"),
            (lambda _: {}, ProtocolFault, "neither result nor error"),
            (lambda _: {"result": []}, ProtocolFault, "neither result nor error"),
            (lambda _: {"id": "other", "result": {}}, ProtocolFault, "another call"),
            (lambda _: {"id": [7], "error": {"message": "boom"}}, ProtocolFault, "another call"),
            (lambda _: {"id": None, "error": {"message": "boom"}}, RemoteRefused, "boom"),
            (lambda _: {"jsonrpc": "1.0", "error": {"message": "x"}}, ProtocolFault, "not a JSON"),
            (lambda _: Response("x" * 9, status_code=500), ProtocolFault, "HTTP status 500"),
            (lambda _: Response("<html>"), ProtocolFault, "not JSON"),
            (lambda _: Response("[]"), ProtocolFault, "not a JSON-RPC"),
            (lambda _: Response(status_code=307, headers={"location": "/"}), ProtocolFault, "307"),
            (lambda _: asyncio.sleep(9), TimedOut, "no reply within"),
            (lambda _: {"result": {"task": {"status": 3}}}, TimedOut, "not finished"),
            (lambda _: {"result": {"message": {"parts": [3, {"data": 4}]}}}, Malformed, "dict"),
        ],
    )
    async def test_each_has_its_error(
        self, answer: Answer, kind: type[AgentError], told: str
    ) -> None:
        """Nothing else ever comes out of a call."""
        peer = await peer_of(Odd(answer).app())
        with pytest.raises(kind, match=told):
            await peer.call("order", SOUP, Bill, timeout=timedelta(milliseconds=300))

    async def test_a_refusal_keeps_reason_and_violations(self) -> None:
        """What the entrypoint said arrives."""
        with pytest.raises(RemoteRefused) as refused:
            await order(SampleAgent().app(), Order(dish="stew", plates=1))
        assert refused.value.reason == "BAD_EXTRAS"
        assert refused.value.code == -32004
        assert refused.value.violations == (Violation("extras.0", "must go"),)
        assert refused.value.details == {"instead": "soup"}

    async def test_invalid_input_keeps_its_violations(self) -> None:
        """The faults of the input, as path and description."""
        wrong = Order.model_construct(dish="", plates=0, extras=[])
        with pytest.raises(RemoteRefused) as refused:
            await order(SampleAgent().app(), wrong)
        assert refused.value.code == -32602
        assert [fault.field for fault in refused.value.violations] == ["dish", "plates"]

    async def test_a_malformed_answer_is_kept(self) -> None:
        """So that the agent can be told what was wrong with it."""
        with pytest.raises(Malformed) as malformed:
            await order(Odd(says({"data": {"dish": 1}})).app())
        assert malformed.value.content == {"dish": 1}

    async def test_a_card_that_advertises_a_dead_address_is_named(self) -> None:
        """The commonest mistake of all gets the fix with the fault."""
        peer = await peer_of(Odd(says(), url="http://0.0.0.0:9").app())
        with pytest.raises(
            Unreachable, match=r"advertises http://0\.0\.0\.0:9/rpc.*others can reach"
        ):
            await peer.call("order", SOUP, Bill, timeout=SECOND)


class TestRequests:
    """What the client sends."""

    async def test_the_wire_is_the_one_that_is_documented(self) -> None:
        """One data part, the skill in the extension's metadata."""
        odd = Odd(says({"data": BILL}))
        await order(odd.app())
        (call,) = odd.asked
        assert call == {
            "jsonrpc": "2.0",
            "id": call["id"],
            "method": "SendMessage",
            "params": {
                "message": {
                    "messageId": call["id"],
                    "role": "ROLE_USER",
                    "extensions": [EXTENSION],
                    "metadata": {EXTENSION: {"skill": "order"}},
                    "parts": [
                        {
                            "data": json.loads(SOUP.model_dump_json(by_alias=True)),
                            "mediaType": "application/json",
                        }
                    ],
                }
            },
        }

    async def test_the_tenant_of_the_interface_is_sent(self) -> None:
        """One address may serve many agents."""
        odd = Odd(says({"data": BILL}), tenant="north")
        await order(odd.app())
        assert odd.asked[0]["params"]["tenant"] == "north"

    async def test_a_conversation_echoes_the_context(self) -> None:
        """From the first reply on, and only within the conversation."""
        odd = Odd(says({"data": BILL}))
        peer = await peer_of(odd.app())
        conversation = Conversation()
        for _ in range(2):
            await peer.call("order", SOUP, Bill, timeout=SECOND, conversation=conversation)
        await peer.call("order", SOUP, Bill, timeout=SECOND)
        contexts = [call["params"]["message"].get("contextId") for call in odd.asked]
        assert contexts == [None, "ctx-7", None]

    async def test_an_agent_without_our_extension_is_told_in_words(self) -> None:
        """Instruction, input and the reply's schema, beside the data."""
        odd = Odd(says({"text": json.dumps(BILL)}), typed=False)
        peer = await peer_of(odd.app())
        assert not peer.is_typed
        await peer.call("order", SOUP, Bill, timeout=SECOND, brief="You are the cook.")
        text, data = odd.asked[0]["params"]["message"]["parts"]
        assert text["text"].startswith("You are the cook.")
        assert '"dish":"soup"' in text["text"]
        assert '"required":["dish","total","number"]' in text["text"]
        assert data["data"]["dish"] == "soup"


class TestDiscovery:
    """From a URL to an agent."""

    @pytest.mark.parametrize(
        "url", ["http://odd", "http://odd/", "http://odd/.well-known/agent-card.json"]
    )
    async def test_base_and_card_urls_are_taken(self, url: str) -> None:
        """Whichever a person has at hand."""
        client = AgentClient(InProcessTransport({"http://odd": SampleAgent().app()}))
        peer = await client.resolve(url, timeout=SECOND)
        assert peer.name == "SampleAgent"
        assert peer.skills == {"order", "ask"}

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (b"<html>", "not an agent card"),
            (b"[]", "not an agent card"),
            (b'{"skills": 7}', "not an agent card"),
            (b"{}", "no interface"),
            (b'{"name": "x", "supportedInterfaces": [{"url": "/rpc"}]}', "no interface"),
            (b'{"supportedInterfaces": [{"url": "file:///x"}]}', "no interface"),
        ],
    )
    async def test_what_is_no_card_is_a_protocol_fault(self, content: bytes, told: str) -> None:
        """The URL is in the message."""

        async def serve(_request: Request) -> Response:
            return Response(content)

        app = Starlette(routes=[Route("/card.json", serve)])
        client = AgentClient(InProcessTransport({"http://odd": app}))
        with pytest.raises(ProtocolFault, match=told) as fault:
            await client.resolve("http://odd/card.json", timeout=SECOND)
        assert fault.value.agent == "http://odd/card.json"

    async def test_a_missing_card_is_told_with_the_status(self) -> None:
        """404 at both places."""
        client = AgentClient(InProcessTransport({"http://odd": Starlette()}))
        with pytest.raises(ProtocolFault, match="HTTP status 404"):
            await client.resolve("http://odd", timeout=SECOND)

    async def test_one_redirect_within_the_origin_is_followed(self) -> None:
        """To the card that is there."""

        async def moved(_request: Request) -> Response:
            return Response(status_code=308, headers={"location": "/card.json"})

        async def serve(_request: Request) -> Response:
            return Response(json.dumps(card()))

        app = Starlette(routes=[Route("/old.json", moved), Route("/card.json", serve)])
        client = AgentClient(InProcessTransport({"http://odd": app}))
        assert (await client.resolve("http://odd/old.json", timeout=SECOND)).name == "Odd"

    async def test_a_second_redirect_is_not_followed(self) -> None:
        """However many there are."""

        async def loop(_request: Request) -> Response:
            return Response(status_code=302, headers={"location": "/card.json"})

        app = Starlette(routes=[Route("/card.json", loop)])
        client = AgentClient(InProcessTransport({"http://odd": app}))
        with pytest.raises(ProtocolFault, match="redirects more than once"):
            await client.resolve("http://odd/card.json", timeout=SECOND)

    async def test_nobody_there_is_unreachable(self) -> None:
        """No such host."""
        with pytest.raises(Unreachable):
            await AgentClient(InProcessTransport()).resolve("http://nobody", timeout=SECOND)


def stock_agent(binding: str, version: str = "1.0") -> ASGIApp:
    """Return an agent built with the SDK alone, reached by one binding."""
    card = AgentCard(
        name="Stock",
        description="d",
        version="1",
        supported_interfaces=[
            AgentInterface(url="http://odd/a2a", protocol_binding=binding, protocol_version=version)
        ],
        capabilities=AgentCapabilities(),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="serve", name="s", description="d", tags=["t"])],
    )

    class Cook(Waiter):
        """Answers in prose around JSON."""

        async def execute(self, context: Any, event_queue: Any) -> None:
            """Bring the bill, whatever is asked."""
            context.get_user_input = lambda *_: TEXTS[1]
            await super().execute(context, event_queue)

    handler = DefaultRequestHandler(
        agent_executor=Cook(), task_store=InMemoryTaskStore(), agent_card=card
    )
    old = version.startswith("0")
    routes = (
        create_rest_routes(handler, path_prefix="/a2a", enable_v0_3_compat=old)
        if binding == "HTTP+JSON"
        else create_jsonrpc_routes(handler, "/a2a", enable_v0_3_compat=old)
    )
    return Starlette(routes=[*create_agent_card_routes(card), *routes])


class TestOtherBindings:
    """Whatever is not JSON-RPC 1.0 goes through the SDK's client."""

    @pytest.mark.parametrize(
        ("binding", "version"),
        [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("JSONRPC", "0.3"), ("HTTP+JSON", "0.3")],
    )
    async def test_a_stock_agent_answers(self, binding: str, version: str) -> None:
        """Task-based, in prose, over any binding and either version."""
        assert (await order(stock_agent(binding, version))).model_dump() == BILL

    async def test_an_unreachable_one_is_unreachable(self) -> None:
        """The error tree is the same."""
        transport = InProcessTransport({"http://odd": stock_agent("HTTP+JSON")})
        client = AgentClient(transport)
        peer = await client.resolve("http://odd", timeout=SECOND)
        transport.apps.clear()
        with pytest.raises(Unreachable):
            await peer.call("order", SOUP, Bill, timeout=SECOND)
        await client.close()

    async def test_a_slow_one_times_out(self) -> None:
        """The deadline holds there too."""

        async def hang(*_event: object) -> None:
            await asyncio.Event().wait()

        transport = InProcessTransport({"http://odd": stock_agent("HTTP+JSON")})
        client = AgentClient(transport)
        peer = await client.resolve("http://odd", timeout=SECOND)
        transport.apps["http://odd"] = hang
        with pytest.raises(TimedOut):
            await peer.call("order", SOUP, Bill, timeout=timedelta(milliseconds=200))
        await client.close()

    async def test_a_refusal_is_a_refusal(self) -> None:
        """With reason and violations, over HTTP+JSON."""
        kitchen = SampleAgent().app()
        only_rest = card(url="http://odd")
        only_rest["supportedInterfaces"] = [
            {
                "url": "http://odd/a2a/rest",
                "protocolBinding": "HTTP+JSON",
                "protocolVersion": "1.0",
            }
        ]

        async def serve_card(_request: Request) -> Response:
            return Response(json.dumps(only_rest))

        app = Starlette(routes=[Route("/card.json", serve_card)])
        app.mount("/", kitchen)
        client = AgentClient(InProcessTransport({"http://odd": app}))
        peer = await client.resolve("http://odd/card.json", timeout=SECOND)
        assert (await peer.call("order", SOUP, Bill, timeout=SECOND)).total == 2
        with pytest.raises(RemoteRefused) as refused:
            await peer.call("order", Order(dish="stew", plates=1), Bill, timeout=SECOND)
        assert refused.value.reason == "BAD_EXTRAS"
        assert refused.value.violations == (Violation("extras.0", "must go"),)
        assert refused.value.details == {"instead": "soup"}
        assert RPC_PATH not in peer.url
        await client.close()
