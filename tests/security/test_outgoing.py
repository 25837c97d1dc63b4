"""Which addresses are called, whoever names them: in a card, in a redirect, at a registration.

The attacks try to read a page of an internal service on loopback. Those that a policy refuses run
with a policy that allows everything, too, and succeed then.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import (
    AddressNotAllowed,
    AgentClient,
    AgentError,
    HttpTransport,
    OutgoingPolicy,
    ProtocolFault,
)
from casino_agentkit.client.addresses import AddressClass
from casino_agentkit.client.origin import Origin
from casino_agentkit.client.resolver import Lookup, PolicyResolver
from support.attack.raw_servers import SECRET, agent, internal_service
from support.envelopes import card
from support.on_uvloop import on_uvloop

SOON = timedelta(seconds=5)
OUTSIDE = OutgoingPolicy(frozenset({"public", "private"}))


class Everything:
    """The policy switched off."""

    def objection(self, _origin: Origin) -> None:
        """Object to nothing."""

    def admitted(self, addresses: Sequence[str], _before: AddressClass | None) -> list[str]:
        """Admit all."""
        return list(addresses)

    def links(self, _source: AddressClass | None, _target: AddressClass | None) -> bool:
        """Let everything send us everywhere."""
        return True


async def reads(transport: HttpTransport, url: str) -> bool:
    """Tell whether the internal service's page can be read by an address."""
    try:
        return (await transport.send("GET", url, {}, b"", 5)).body == SECRET
    except AgentError:
        return False
    finally:
        await transport.close()


def names(answers: dict[str, list[list[str]]]) -> Lookup:
    """Return a look-up that gives each name's answers in turn, the last one for ever."""

    async def lookup(host: str) -> list[str]:
        known = answers[host]
        return known.pop(0) if len(known) > 1 else known[0]

    return lookup


class TestConnections:
    """What is checked is what is connected."""

    @on_uvloop
    async def test_a_transport_calls_no_other_spelling(self) -> None:
        """Not even with every address allowed."""
        transport = HttpTransport(Everything())
        for url in ("http://0x7f.1:9/", "http://u:p@127.0.0.1:9/", "http://127.0.0.1.:9/"):
            with pytest.raises(ProtocolFault, match="the address"):
                await transport.send("GET", url, {}, b"", 1)
        await transport.close()

    @pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "any.name"])
    @on_uvloop
    async def test_loopback_is_not_read_where_it_is_not_allowed(self, host: str) -> None:
        """By no spelling, and by no name."""
        async with internal_service() as (port, asked):
            url = f"http://{host}:{port}/"
            lookup = names({"localhost": [["127.0.0.1"]], "any.name": [["127.0.0.1"]]})
            assert not await reads(HttpTransport(OUTSIDE, lookup=lookup), url)
            assert not asked
            assert await reads(HttpTransport(Everything(), lookup=lookup), url)
            assert await reads(HttpTransport(OutgoingPolicy(), lookup=lookup), url)

    @on_uvloop
    async def test_a_name_that_leads_elsewhere_later_is_not_followed(self) -> None:
        """Good when it is checked, bad when it is connected."""

        async def rebinds(policy: Any) -> bool:
            transport = HttpTransport(policy, lookup=names({"evil": [["8.8.8.8"], ["127.0.0.1"]]}))
            try:
                await transport.check_link("http://8.8.4.4/", f"http://evil:{port}/")
            except AddressNotAllowed:
                return False
            return await reads(transport, f"http://evil:{port}/")

        async with internal_service() as (port, asked):
            assert not await rebinds(OutgoingPolicy())
            assert not asked
            assert await rebinds(Everything())

    @on_uvloop
    async def test_a_connector_gets_only_what_may_be_called(self) -> None:
        """Of several addresses of a name."""
        resolver = PolicyResolver(OUTSIDE, names({"two": [["127.0.0.1", "10.0.0.7"]]}))
        assert [one["host"] for one in await resolver.resolve("two", 80)] == ["10.0.0.7"]

    @on_uvloop
    async def test_the_system_looks_names_up(self) -> None:
        """Where nothing else is given."""
        async with internal_service() as (port, _):
            assert await reads(HttpTransport(), f"http://localhost:{port}/")


class TestReferences:
    """Where a card, a redirect or a specification may lead."""

    @pytest.mark.parametrize(
        "target",
        [
            "http://127.0.0.1:{port}/", "http://[::1]:{port}/", "http://localhost:{port}/",
            "http://10.0.0.1/", "http://192.168.0.1/", "http://169.254.169.254/latest/meta-data/",
            "http://[::ffff:127.0.0.1]:{port}/", "http://[64:ff9b::7f00:1]:{port}/",
            "http://[2002:7f00:1::]/", "http://2130706433:{port}/", "http://0177.0.0.1:{port}/",
            "http://0x7f.1:{port}/", "http://user:pw@127.0.0.1:{port}/",
            "http://127.0.0.1.:{port}/", "http://127.0.0.1:0/", "http://127.0.0.1:22/",
            "http://127.0.0.1:25/", "//127.0.0.1:{port}/", "file:///etc/passwd",
        ],
    )  # fmt: skip
    @on_uvloop
    async def test_a_redirect_does_not_leave_its_origin(self, target: str) -> None:
        """Not even where the address itself might be called."""
        async with internal_service() as (port, asked):
            async with agent(redirect=target.format(port=port)) as (origin, _):
                client = AgentClient(HttpTransport(Everything()))
                with pytest.raises(AddressNotAllowed, match="redirects to another origin"):
                    await client.resolve(f"{origin}/card.json", timeout=SOON)
                await client.close()
            assert not asked

    @on_uvloop
    async def test_a_card_names_interfaces_only_where_its_own_address_may_lead(self) -> None:
        """Never further inside: a public card no private interface, a private one no loopback."""
        hosts = {"out": "8.8.8.8", "in": "10.0.0.1", "here": "127.0.0.1"}
        lookup = names({host: [[address]] for host, address in hosts.items()})
        transport = HttpTransport(OutgoingPolicy(), lookup=lookup)

        async def links(source: str, target: str) -> bool:
            try:
                await transport.check_link(f"http://{source}/card", f"http://{target}:4500/rpc")
            except AddressNotAllowed:
                return False
            return True

        allowed = {
            (source, target) for source in hosts for target in hosts if await links(source, target)
        }
        assert allowed == {
            ("out", "out"), ("in", "out"), ("in", "in"), ("here", "out"), ("here", "in"),
            ("here", "here"),
        }  # fmt: skip
        assert not await links("out", "127.0.0.1")
        assert not await links("here", "169.254.169.254")
        await transport.close()

    @on_uvloop
    async def test_a_card_outside_does_not_make_us_call_inside(self) -> None:
        """The card of a public name; its interface is the internal service."""

        async def calls(policy: Any, source: str, target: str) -> bool:
            lookup = names({"bot.example": [["8.8.8.8"]]})
            transport = HttpTransport(policy, lookup=lookup)
            try:
                await transport.check_link(source, target)
                return await reads(transport, target)
            except AgentError:
                return False

        async with internal_service() as (port, asked):
            target = f"http://127.0.0.1:{port}/"
            assert not await calls(OutgoingPolicy(), "http://bot.example/", target)
            assert not asked
            assert await calls(Everything(), "http://bot.example/", target)

    @on_uvloop
    async def test_the_first_interface_that_may_be_called_is_taken(self) -> None:
        """Of several; with none left, the card says what was wrong."""

        def several(origin: str, *_: object) -> dict[str, Any]:
            content = card("jsonrpc", origin)
            inside = {**content["supportedInterfaces"][0], "url": "http://169.254.169.254/rpc"}
            return {**content, "supportedInterfaces": [inside, *content["supportedInterfaces"]]}

        def inside_only(origin: str, *_: object) -> dict[str, Any]:
            return {
                **several(origin),
                "supportedInterfaces": several(origin)["supportedInterfaces"][:1],
            }

        client = AgentClient(HttpTransport())
        async with agent(several) as (origin, _):
            assert (await client.resolve(origin, timeout=SOON)).url == f"{origin}/rpc"
        async with agent(inside_only) as (origin, _):
            with pytest.raises(
                AddressNotAllowed, match=r"advertises http://169\.254.*others can reach"
            ):
                await client.resolve(origin, timeout=SOON)
        await client.close()

    @on_uvloop
    async def test_the_sdk_takes_no_interface_that_was_not_checked(self) -> None:
        """It would choose by its own taste."""

        def mixed(origin: str, *_: object) -> dict[str, Any]:
            old, new = card("v03", origin), card("jsonrpc", origin)["supportedInterfaces"][0]
            checked = {**new, "url": old["url"], "protocolVersion": "0.3"}
            other = {**new, "url": f"http://127.0.0.1:{port}/", "protocolBinding": "HTTP+JSON"}
            return {**card("jsonrpc", origin), "supportedInterfaces": [checked, other]}

        async with internal_service() as (port, asked), agent(mixed) as (origin, calls):
            client = AgentClient(HttpTransport())
            peer = await client.resolve(origin, timeout=SOON)
            with pytest.raises(AgentError):
                await peer.call("act", b"{}", dict, timeout=SOON)
            await client.close()
            assert peer.url == f"{origin}/rpc"
            assert any(call.startswith("POST /rpc ") for call in calls)
            assert not asked

    @pytest.mark.parametrize(
        "path", ["http://127.0.0.1:{port}/", "//127.0.0.1:{port}/x", "file:///x"]
    )
    @on_uvloop
    async def test_what_belongs_to_a_card_is_read_on_its_origin(self, path: str) -> None:
        """A specification, say."""
        async with internal_service() as (port, asked):
            client = AgentClient(HttpTransport(Everything()))
            url = path.format(port=port)
            with pytest.raises(AddressNotAllowed, match="not on the origin"):
                await client.read(url, within="http://127.0.0.1:9/card.json", timeout=SOON)
            assert not asked
            own = f"http://localhost:{port}/card.json"
            read = await client.read(f"http://127.0.0.1:{port}/spec", within=own, timeout=SOON)
            assert read == SECRET
            await client.close()


class TestReflections:
    """What is no A2A agent is not quoted."""

    @pytest.mark.parametrize(
        "page",
        [
            {"error": {"code": 7, "message": "db password is hunter2"}},
            {"error": {"message": "db password is hunter2"}, "jsonrpc": "2.0", "id": "7"},
            {"error": "hunter2"},
            {"message": "hunter2", "type": "hunter2"},
            {"password": "hunter2"},
            "hunter2",
        ],
    )
    @pytest.mark.parametrize("status", ["200 OK", "400 Bad", "500 Error"])
    @pytest.mark.parametrize("binding", ["jsonrpc", "rest", "v03"])
    @on_uvloop
    async def test_an_internal_service_is_not_quoted(
        self, binding: str, status: str, page: Any
    ) -> None:
        """Whatever its answer looks like, and whoever named it as an interface."""

        def content(origin: str, is_card: bool) -> Any:  # noqa: FBT001
            return card(binding, origin) if is_card else page

        async with agent(content, status=status) as (origin, _):
            client = AgentClient(HttpTransport())
            peer = await client.resolve(origin, timeout=SOON)
            with pytest.raises(AgentError) as error:
                await peer.call("act", b"{}", dict, timeout=SOON)
            await client.close()
        assert "hunter2" not in str(error.value)


class TestTokens:
    """A token goes to the agent that it is for."""

    @pytest.mark.parametrize("binding", ["jsonrpc", "rest", "v03"])
    @on_uvloop
    async def test_it_is_sent_in_the_header(self, binding: str) -> None:
        """By every binding; and without one there is no header."""
        async with agent(lambda origin, _: card(binding, origin)) as (origin, asked):
            client = AgentClient(HttpTransport())
            peer = await client.resolve(origin, timeout=SOON)
            for token in ("sesame-1234567890", None):
                with pytest.raises(AgentError) as error:
                    await peer.call("act", b"{}", dict, timeout=SOON, token=token)
                assert "sesame" not in str(error.value)
            await client.close()
        posts = [call.lower() for call in asked if call.startswith("POST")]
        assert ["authorization: bearer sesame-1234567890" in call for call in posts] == [
            True,
            False,
        ]
        assert ["authorization" in call for call in posts] == [True, False]
        assert all("accept-encoding: identity" in call for call in posts)

    @pytest.mark.parametrize("binding", ["jsonrpc", "rest", "v03"])
    @on_uvloop
    async def test_a_call_follows_no_redirect(self, binding: str) -> None:
        """Neither the token nor the question goes anywhere else."""
        async with internal_service() as (port, asked):
            cards = []

            def redirecting(origin: str, *_: object) -> dict[str, Any]:
                cards.append(origin)
                return card(binding, origin)

            async with agent(redirecting) as (origin, _):
                client = AgentClient(HttpTransport(Everything()))
                peer = await client.resolve(origin, timeout=SOON)
            moved = f"http://127.0.0.1:{port}/"
            server_port = int(origin.rpartition(":")[2])

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readuntil(b"\r\n\r\n")
                line = f"HTTP/1.1 307 X\r\nLocation: {moved}\r\nContent-Length: 0\r\n\r\n"
                writer.write(line.encode())
                await writer.drain()
                writer.close()

            server = await asyncio.start_server(serve, "127.0.0.1", server_port)
            with pytest.raises(AgentError):
                await peer.call("act", b"{}", dict, timeout=SOON, token="sesame-1234567890")
            await client.close()
            server.close()
            assert not asked
