"""The invoke profile as it is served: addresses, envelopes, errors and callers."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from casino_agentkit import ANYONE, Agent, HostedAgents, KeyRule, Scheme, Service
from casino_agentkit.protocol import CARD_PATH
from prometheus_client import generate_latest
from support.listening import listening
from support.players.sample_agent import Question, Reply, SampleAgent

SOUP = {"dish": "soup", "plates": 6}
KEY = "the-key-of-the-house"
ORDER = "/entrypoints/order/invoke"


@asynccontextmanager
async def client_of(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(service.asgi())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield http


async def sent(body: bytes, path: str = ORDER) -> httpx.Response:
    async with client_of(Service({"": SampleAgent().agent})) as http:
        return await http.post(path, content=body)


async def invoked(data: Any, path: str = ORDER) -> httpx.Response:
    return await sent(json.dumps({"input": data}).encode(), path)


class TestCalls:
    async def test_an_agent_is_invoked_below_both_roots_of_its_base_path(self) -> None:
        """Older callers post to the root of the origin, newer ones below the HTTP+JSON address."""
        own, other = SampleAgent(), SampleAgent()
        service = Service({"": own.agent, "/tables/2": other.agent})
        async with listening(service, None) as port, httpx.AsyncClient() as http:
            for base in ("", "/tables/2", "/a2a/rest", "/tables/2/a2a/rest"):
                url = f"http://127.0.0.1:{port}{base}{ORDER}"
                reply = await http.post(url, json={"input": SOUP})
                assert reply.headers["content-type"] == "application/json; charset=utf-8"
                answer = reply.json()
                assert answer.pop("output")["dish"] == "soup"
                assert len(answer.pop("run_id")) == 36
                assert answer == {"status": "succeeded"}
        assert (own.cooked, other.cooked) == (2, 2)
        metrics = generate_latest(service.registry).decode()
        assert 'agent_calls_total{outcome="ok",skill="order"} 4.0' in metrics

    async def test_a_body_without_input_is_the_input(self) -> None:
        """As at an original agent; each call has a run of its own."""
        wrapped, bare = await invoked(SOUP), await sent(json.dumps(SOUP).encode())
        assert wrapped.json()["output"] == bare.json()["output"]
        assert wrapped.json()["run_id"] != bare.json()["run_id"]

    async def test_the_entrypoints_are_listed(self) -> None:
        async with client_of(Service({"": SampleAgent().agent})) as http:
            for path in ("/entrypoints", "/a2a/rest/entrypoints"):
                items = (await http.get(path)).json()["items"]
                assert items == [
                    {"key": "order", "description": "Cook a dish.", "streaming": False},
                    {"key": "ask", "description": "Answer a question.", "streaming": False},
                ]

    async def test_an_agent_that_comes_and_goes_is_invoked_too(self) -> None:
        """Until it is removed; also by its capability address."""
        hosted, agent = HostedAgents("/seats"), SampleAgent()
        hosted.add("s1", agent.agent)
        async with client_of(Service({}, hosted=hosted)) as http:
            for base in ("", "/t/a-token-of-enough-characters"):
                reply = await http.post(f"{base}/seats/s1{ORDER}", json={"input": SOUP})
                assert reply.json()["output"]["dish"] == "soup"
            hosted.remove("s1")
            assert (await http.post(f"/seats/s1{ORDER}", json=SOUP)).status_code == 404
        assert agent.cooked == 2


class TestErrors:
    """Errors have the profile's codes, and name the field."""

    @pytest.mark.parametrize(
        ("data", "path", "message"),
        [
            ({"plates": 2}, ["dish"], "is required"),
            ({**SOUP, "dish": ""}, ["dish"], "must have at least 1 character"),
            ({**SOUP, "extras": ["salt", 7]}, ["extras", 1], "must be a string"),
            ([], [], "must be an object"),
            (None, [], "must be an object"),
        ],
    )
    async def test_an_invalid_input_has_issues(
        self, data: Any, path: list[str | int], message: str
    ) -> None:
        reply = await invoked(data)
        assert reply.status_code == 400
        error = reply.json()["error"]
        assert error["code"] == "invalid_input"
        assert error["issues"] == [{"code": "custom", "path": path, "message": message}]

    async def test_a_name_of_many_digits_is_no_index(self) -> None:
        agent = Agent("Strict", "Refuses unknown keys.")

        @agent.entrypoint("count", who=ANYONE)
        async def count(given: dict[str, int]) -> Reply:
            return Reply(text=str(len(given)))

        key = "9" * 5_000
        async with client_of(Service({"": agent})) as http:
            reply = await http.post("/entrypoints/count/invoke", json={"input": {key: "x"}})
        assert reply.status_code == 400
        assert reply.json()["error"]["issues"][0]["path"] == [key]

    @pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"input": NaN}', b'{"input": 1}}'])
    async def test_unreadable_json_is_an_invalid_request(self, body: bytes) -> None:
        reply = await sent(body)
        assert reply.status_code == 400
        assert reply.json()["error"]["code"] == "invalid_request"
        assert '{"input": {}}' in reply.json()["error"]["message"]

    @pytest.mark.parametrize("depth", [42, 900, 30_000])
    async def test_a_deep_input_is_refused(self, depth: int) -> None:
        body = b'{"input":{"dish":"soup","plates":6,"extras":%b%b}}' % (b"[" * depth, b"]" * depth)
        reply = await sent(body)
        assert reply.status_code == 400
        assert reply.json()["error"]["code"] in {"invalid_input", "invalid_request"}

    async def test_an_unknown_skill_is_not_found(self) -> None:
        """The message has the skills that exist; a stream of it is not found either."""
        for end in ("invoke", "stream"):
            reply = await invoked(SOUP, f"/entrypoints/sing/{end}")
            assert reply.status_code == 404
            assert reply.json()["error"] == {
                "code": "entrypoint_not_found",
                "message": "This agent has order, ask.",
            }

    async def test_a_stream_is_not_supported(self) -> None:
        reply = await invoked(SOUP, "/entrypoints/order/stream")
        assert reply.status_code == 400
        error = reply.json()["error"]
        assert (error["code"], error["key"]) == ("stream_not_supported", "order")
        assert error["message"].endswith("POST to /entrypoints/order/invoke.")

    async def test_a_refusal_has_its_reason(self) -> None:
        reply = await invoked({**SOUP, "dish": "fish"})
        assert reply.status_code == 409
        assert reply.json()["error"] == {
            "code": "refused",
            "message": "There is no fish today; order soup.",
            "reason": "NO_FISH",
        }
        error = (await invoked({**SOUP, "dish": "stew"})).json()["error"]
        assert error["reason"] == "BAD_EXTRAS"
        assert error["details"] == {"instead": "soup"}
        assert error["issues"][0]["path"] == ["extras", 0]

    async def test_a_failure_reveals_nothing(self) -> None:
        """The exception is only logged."""
        reply = await invoked({**SOUP, "dish": "fire"})
        assert reply.status_code == 500
        assert reply.json()["error"]["code"] == "internal_error"
        assert "secret" not in reply.text


class TestCallers:
    """The rule of an entrypoint holds, whatever the binding."""

    @staticmethod
    def locked() -> Service:
        rule = KeyRule(Scheme("house", "the house's key"), lambda _question: KEY)
        agent = Agent("Locked", "Answers its house.")

        @agent.entrypoint("ask", who=rule)
        async def ask(question: Question) -> Reply:
            return Reply(text=question.topic)

        return Service({"": agent})

    async def test_only_the_right_token_is_admitted(self) -> None:
        """Without one the status is 401, with a wrong one 403, with the kit's reason."""
        async with client_of(self.locked()) as http:
            for token, status, code, reason in (
                (None, 401, "unauthorized", "UNAUTHORIZED"),
                ("another", 403, "forbidden", "FORBIDDEN"),
            ):
                headers = {"authorization": f"Bearer {token}"} if token else {}
                reply = await http.post(
                    "/entrypoints/ask/invoke", json={"topic": "x"}, headers=headers
                )
                assert reply.status_code == status
                error = reply.json()["error"]
                assert (error["code"], error["reason"]) == (code, reason)
                assert ("www-authenticate" in reply.headers) == (status == 401)
            right = {"authorization": f"Bearer {KEY}"}
            reply = await http.post("/entrypoints/ask/invoke", json={"topic": "x"}, headers=right)
            assert reply.json()["output"] == {"text": "x"}

    async def test_a_capability_address_carries_the_token(self) -> None:
        """The card that is read there has it, so a newer caller needs no header."""
        async with client_of(self.locked()) as http:
            card = (await http.get(f"/t/{KEY}{CARD_PATH}")).json()
            base = next(
                interface["url"]
                for interface in card["supportedInterfaces"]
                if "HTTP" in interface["protocolBinding"]
            )
            assert base == f"http://127.0.0.1/t/{KEY}/a2a/rest"
            reply = await http.post(f"{base}/entrypoints/ask/invoke", json={"topic": "x"})
            assert reply.json()["output"] == {"text": "x"}
            wrong = f"/t/{'w' * 20}/entrypoints/ask/invoke"
            assert (await http.post(wrong, json={"topic": "x"})).status_code == 403
