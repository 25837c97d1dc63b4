"""A process of many agents, each at a base path of its own; some come and go while it runs."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest
from casino_agentkit import Agent, AgentClient, HostedAgents, KeyRule, Scheme, Service
from casino_agentkit.protocol import CARD_PATH, OLDER_CARD_PATH, REST_PATH, RPC_PATH
from prometheus_client import generate_latest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.listening import listening
from support.memory import kept_bytes
from support.players.sample_agent import Bill, Order, SampleAgent, Waiter
from support.request_shapes import PLAIN, SHAPES, VERSION, post

CAPABILITY = "/t/a-token-of-enough-characters"


def service_of(hosted: HostedAgents, **settings: Any) -> Service:
    return Service({"/own": SampleAgent().agent}, hosted=hosted, **settings)


@asynccontextmanager
async def client_of(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(service.asgi())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield http


def named(*paths: str) -> Service:
    return Service({path: Agent(path or "root", "Has a card only.") for path in paths})


class TestPaths:
    """Agents at base paths of one process."""

    async def test_each_has_its_own_card(self) -> None:
        """Also where one base path begins with that of another agent, and beside the root."""
        paths = ("", "/tables/1", "/tables/10", "/tables/1/inner")
        async with client_of(named(*paths)) as http:
            for path in paths:
                for card in (CARD_PATH, OLDER_CARD_PATH):
                    reply = await http.get(path + card)
                    assert reply.json()["name"] == (path or "root")

    @pytest.mark.parametrize(
        "path", ["/", "/tables", "/tables/", "/tables/3", "/tables/11" + CARD_PATH, "/tables//1"]
    )
    async def test_other_paths_are_not_found(self, path: str) -> None:
        """Neither agents that are not there."""
        async with client_of(named("/tables/1", "/tables/2")) as http:
            assert (await http.get(path)).status_code == 404


class TestServed:
    """An agent at a base path answers like one at the root, a hosted one like any other."""

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_every_request_is_answered_as_at_the_root(self, shape: str) -> None:
        """On the fast path and by the SDK, with a slash and without."""
        hosted, root = HostedAgents("/seats"), Service({"": SampleAgent().agent}).asgi()
        hosted.add("s1", SampleAgent().agent)
        below = service_of(hosted).asgi()
        for path in (RPC_PATH, RPC_PATH + "/", REST_PATH + "/message:send", "/nothing"):
            expected = await post(root, SHAPES[shape], VERSION, path)
            for base in ("/own", "/seats/s1"):
                reply = await post(below, SHAPES[shape], VERSION, base + path)
                assert reply.status_code == expected.status_code
                assert reply.headers["content-type"] == expected.headers["content-type"]
                assert _without_ids(reply) == _without_ids(expected)

    async def test_its_card_has_its_own_addresses(self) -> None:
        """And the bindings of other agents, also at a capability address."""
        hosted = HostedAgents("/seats")
        assert hosted.add("s1", SampleAgent().agent) == "/seats/s1"
        async with client_of(service_of(hosted, public_url="https://casino.example")) as http:
            own = (await http.get("/own" + CARD_PATH)).json()
            for path in (CARD_PATH, OLDER_CARD_PATH):
                card = (await http.get("/seats/s1" + path)).json()
                assert json.dumps(card) == json.dumps(own).replace("/own", "/seats/s1")
            secret = (await http.get(f"{CAPABILITY}/seats/s1{CARD_PATH}")).json()
            address = f"https://casino.example{CAPABILITY}/seats/s1{RPC_PATH}"
            assert secret["supportedInterfaces"][0]["url"] == address
            reply = await http.post(f"{CAPABILITY}/seats/s1{RPC_PATH}", json=PLAIN, headers=VERSION)
            assert "result" in reply.json()

    async def test_it_is_called_by_its_card_over_a_socket(self) -> None:
        hosted = HostedAgents("/seats")
        agent = SampleAgent()
        hosted.add("s1", agent.agent)
        service = service_of(hosted)
        async with listening(service, None) as port:
            client = AgentClient()
            within = timedelta(seconds=10)
            peer = await client.resolve(f"http://127.0.0.1:{port}/seats/s1", timeout=within)
            bill = await peer.call("order", Order(dish="soup", plates=6), Bill, timeout=within)
            await client.close()
            assert (bill.dish, agent.cooked) == ("soup", 1)
        metrics = generate_latest(service.registry).decode()
        assert 'agent_calls_total{outcome="ok",skill="order"} 1.0' in metrics

    async def test_a_card_may_be_unavailable(self) -> None:
        hosted = HostedAgents("/seats")
        available = [False]
        hosted.add("s1", SampleAgent().agent, lambda: available[0])
        async with client_of(service_of(hosted)) as http:
            refused = await http.get("/seats/s1" + CARD_PATH)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
            assert refused.headers["content-type"] == "application/problem+json"
            reply = await http.post("/seats/s1" + RPC_PATH, json=PLAIN, headers=VERSION)
            assert "result" in reply.json()
            available[0] = True
            assert (await http.get("/seats/s1" + CARD_PATH)).status_code == 200


class TestSlashes:
    """A client's base URL ends with a slash, before which it writes its path."""

    @pytest.mark.parametrize("start", ["//", "///", CAPABILITY + "//", "/" + CAPABILITY + "/"])
    async def test_repeated_slashes_are_one(self, start: str) -> None:
        """On a socket, for cards and calls, also at a capability address."""
        hosted = HostedAgents("/seats")
        hosted.add("s1", SampleAgent().agent)
        async with listening(service_of(hosted), None) as port, httpx.AsyncClient() as http:
            for base in ("own", "seats//s1"):
                url = f"http://127.0.0.1:{port}{start}{base}"
                card = (await http.get(f"{url}/{CARD_PATH}")).json()
                assert "//" not in card["url"].partition("://")[2]
                reply = await http.post(f"{url}/{RPC_PATH}", json=PLAIN, headers=VERSION)
                assert "result" in reply.json()
                reply = await http.get(f"{url}//nothing")
                assert reply.status_code == 404

    async def test_a_rule_sees_the_path_without_them(self) -> None:
        """A token of another address, or an empty one, gives no right."""
        agent = Agent("Keyed", "Cooks.")
        rule: KeyRule = KeyRule(Scheme("key", "the kitchen's key"), lambda _: "sesame")
        agent.entrypoint("order", who=rule)(SampleAgent().order)
        async with client_of(Service({"": agent})) as http:
            for path, is_taken in (
                ("/t/sesame" + RPC_PATH, True),
                ("//t//sesame/" + RPC_PATH, True),
                ("//a2a//jsonrpc", False),
                ("/t/" + RPC_PATH, False),
                ("//t//simsim/" + RPC_PATH, False),
            ):
                url = f"http://127.0.0.1{path}"
                reply = await http.post(url, json=PLAIN, headers=VERSION)
                assert ("result" in reply.text) == is_taken, path

    async def test_an_escaped_slash_is_part_of_a_name(self) -> None:
        async def named_so(request: Request) -> Response:
            return Response(request.scope["path"])

        service = Service({}, [Route("/names/{name:path}", named_so)])
        async with client_of(service) as http:
            reply = await http.get("http://127.0.0.1//names//a%2F%2Fb%20c//d")
            assert reply.text == "/names/a//b c/d"


class TestComingAndGoing:
    async def test_added_and_removed_while_the_process_runs(self) -> None:
        hosted = HostedAgents("/seats")
        async with client_of(service_of(hosted)) as http:
            paths = [base + path for base in ("/seats/s1", f"{CAPABILITY}/seats/s1")
                     for path in (CARD_PATH, REST_PATH + "/tasks")]  # fmt: skip
            for _ in range(2):
                for path in paths:
                    assert (await http.get(path)).status_code == 404
                assert (await http.post("/seats/s1" + RPC_PATH, json=PLAIN)).status_code == 404
                hosted.add("s1", SampleAgent().agent)
                assert (await http.get("/seats/s1" + CARD_PATH)).status_code == 200
                reply = await http.post("/seats/s1" + RPC_PATH, json=PLAIN, headers=VERSION)
                assert "result" in reply.json()
                assert (await http.get("/seats/s1" + RPC_PATH)).status_code == 405
                hosted.remove("s1")

    async def test_a_new_agent_does_not_have_the_card_of_an_old_one(self) -> None:
        hosted = HostedAgents("/seats")
        async with client_of(service_of(hosted)) as http:
            for name in ("Anna", "Bela"):
                hosted.add("s1", Agent(name, "Plays."))
                assert (await http.get("/seats/s1" + CARD_PATH)).json()["name"] == name
                hosted.remove("s1")

    @pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "ä", "x" * 129, "s1"])
    def test_a_wrong_name_is_refused(self, name: str) -> None:
        """One that is taken, or would be another path."""
        hosted = HostedAgents("/seats")
        hosted.add("s1", SampleAgent().agent)
        with pytest.raises(ValueError, match="is taken, or not of letters"):
            hosted.add(name, SampleAgent().agent)

    def test_an_agent_with_tasks_is_refused(self) -> None:
        """They would end with a request handler that is not kept."""
        with pytest.raises(ValueError, match="typed entrypoints only"):
            HostedAgents("/seats").add("s1", Agent("Waiter", "Waits.", executor=Waiter()))

    @pytest.mark.parametrize(
        "path", ["/seats", "/seats/", "/seats/s2", "/seatss1" + CARD_PATH, "/seats//s1", "/x/seats"]
    )
    async def test_other_paths_are_not_found(self, path: str) -> None:
        """Neither agents that are not there."""
        hosted = HostedAgents("/seats")
        hosted.add("s1", SampleAgent().agent)
        async with client_of(service_of(hosted)) as http:
            assert (await http.get(path)).status_code == 404


class TestMemory:
    async def test_idle_agents_cost_little(self) -> None:
        hosted = HostedAgents("/seats")
        service_of(hosted).asgi()
        SampleAgent()  # its models' adapters are shared

        def add() -> None:
            for number in range(1_000):
                hosted.add(f"s{number}", SampleAgent().agent)

        assert kept_bytes(hosted, add) < 4_096 * 1_000
        assert len(hosted) == 1_000

    async def test_what_slow_calls_need_is_kept_for_few(self) -> None:
        """Those used last; the others make it again."""
        hosted = HostedAgents("/seats", kept=2)
        abouts: list[int] = []
        for number in range(3):
            hosted.add(f"s{number}", _counted(abouts, number))
        async with client_of(service_of(hosted)) as http:
            for number in (0, 1, 0, 2, 0, 1):
                assert (await http.get(f"/seats/s{number}{CARD_PATH}")).status_code == 200
        assert abouts == [0, 1, 2, 1]


def _counted(abouts: list[int], number: int) -> Agent:
    def about() -> dict[str, Any]:
        abouts.append(number)
        return {"number": number}

    return Agent("Counted", "Counts its cards.", about=about)


def _without_ids(reply: httpx.Response) -> Any:
    """Return a reply without the ids that the server gives."""
    try:
        content = reply.json()
    except ValueError:
        return reply.text
    text = json.dumps(content)
    message = content.get("result", content) if isinstance(content, dict) else {}
    message = message.get("message", {}) if isinstance(message, dict) else {}
    for field in ("messageId", "contextId"):
        if value := message.get(field):
            text = text.replace(value, field)
    return text
