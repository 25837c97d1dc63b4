"""Cards, redirects and registrations cannot lead calls to addresses that the settings exclude.

The attacks try to read a page of an internal service on loopback. Those that a policy refuses run
with a policy that allows everything, too, and succeed then.
"""

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
from casino_agentkit.client.resolver import PolicyResolver
from support.attack.address_policies import AnyAddress, lookup_of, reads
from support.attack.raw_servers import SECRET, agent, internal_service
from support.envelopes import card
from support.on_uvloop import on_uvloop

SOON = timedelta(seconds=5)
OUTSIDE = OutgoingPolicy(frozenset({"public", "private"}))


class TestConnections:
    """The address that was checked is the one that is connected."""

    @on_uvloop
    async def test_a_transport_calls_no_other_spelling(self) -> None:
        """Also where every address is allowed."""
        transport = HttpTransport(AnyAddress())
        for url in ("http://0x7f.1:9/", "http://u:p@127.0.0.1:9/", "http://127.0.0.1.:9/"):
            with pytest.raises(ProtocolFault, match="the address"):
                await transport.send("GET", url, {}, b"", 1)
        await transport.close()

    @pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "any.name"])
    @on_uvloop
    async def test_loopback_is_not_read_where_it_is_not_allowed(self, host: str) -> None:
        """By any spelling or name of it."""
        async with internal_service() as (port, asked):
            url = f"http://{host}:{port}/"
            lookup = lookup_of({"localhost": [["127.0.0.1"]], "any.name": [["127.0.0.1"]]})
            assert not await reads(HttpTransport(OUTSIDE, lookup=lookup), url)
            assert not asked
            assert await reads(HttpTransport(AnyAddress(), lookup=lookup), url)
            assert await reads(HttpTransport(OutgoingPolicy(), lookup=lookup), url)

    @on_uvloop
    async def test_a_name_that_leads_elsewhere_later_is_not_followed(self) -> None:
        """The check sees a public address, the connection loopback."""

        async def rebinds(policy: Any) -> bool:
            transport = HttpTransport(
                policy, lookup=lookup_of({"evil": [["8.8.8.8"], ["127.0.0.1"]]})
            )
            try:
                await transport.check_link("http://8.8.4.4/", f"http://evil:{port}/")
            except AddressNotAllowed:
                return False
            return await reads(transport, f"http://evil:{port}/")

        async with internal_service() as (port, asked):
            assert not await rebinds(OutgoingPolicy())
            assert not asked
            assert await rebinds(AnyAddress())

    @on_uvloop
    async def test_a_connector_gets_only_allowed_addresses(self) -> None:
        """Of the several addresses of a name."""
        resolver = PolicyResolver(OUTSIDE, lookup_of({"two": [["127.0.0.1", "10.0.0.7"]]}))
        assert [one["host"] for one in await resolver.resolve("two", 80)] == ["10.0.0.7"]

    @on_uvloop
    async def test_the_system_looks_names_up(self) -> None:
        """By default."""
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
        """Also where its target might be called."""
        async with internal_service() as (port, asked):
            async with agent(redirect=target.format(port=port)) as (origin, _):
                client = AgentClient(HttpTransport(AnyAddress()))
                with pytest.raises(AddressNotAllowed, match="redirects to another origin"):
                    await client.resolve(f"{origin}/card.json", timeout=SOON)
                await client.close()
            assert not asked

    @on_uvloop
    async def test_a_card_names_interfaces_only_where_its_own_address_may_lead(self) -> None:
        """A public card names no private interface, a private one no loopback."""
        hosts = {"out": "8.8.8.8", "in": "10.0.0.1", "here": "127.0.0.1"}
        lookup = lookup_of({host: [[address]] for host, address in hosts.items()})
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
        """The card of a public name has the internal service as its interface."""

        async def calls(policy: Any, source: str, target: str) -> bool:
            lookup = lookup_of({"bot.example": [["8.8.8.8"]]})
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
            assert await calls(AnyAddress(), "http://bot.example/", target)

    @on_uvloop
    async def test_the_first_interface_that_may_be_called_is_taken(self) -> None:
        """Without one, the error says what is wrong."""

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
        """By itself it would prefer another one."""

        def mixed(origin: str, *_: object) -> dict[str, Any]:
            (checked,) = card("rest", origin)["supportedInterfaces"]
            old = {"protocolBinding": "JSONRPC", "protocolVersion": "0.3"}
            other = {**checked, **old, "url": f"http://127.0.0.1:{port}/"}
            return {**card("rest", origin), "supportedInterfaces": [other, checked]}

        async with internal_service() as (port, asked), agent(mixed) as (origin, calls):
            client = AgentClient(HttpTransport())
            peer = await client.resolve(origin, timeout=SOON)
            with pytest.raises(AgentError):
                await peer.call("act", b"{}", dict, timeout=SOON)
            await client.close()
            assert peer.url == f"{origin}/rpc"
            assert any(call.startswith("POST /rpc/message:send ") for call in calls)
            assert not asked

    @pytest.mark.parametrize(
        "path", ["http://127.0.0.1:{port}/", "//127.0.0.1:{port}/x", "file:///x"]
    )
    @on_uvloop
    async def test_what_belongs_to_a_card_is_read_on_its_origin(self, path: str) -> None:
        """As its specification."""
        async with internal_service() as (port, asked):
            client = AgentClient(HttpTransport(AnyAddress()))
            url = path.format(port=port)
            with pytest.raises(AddressNotAllowed, match="not on the origin"):
                await client.read(url, within="http://127.0.0.1:9/card.json", timeout=SOON)
            assert not asked
            own = f"http://localhost:{port}/card.json"
            read = await client.read(f"http://127.0.0.1:{port}/spec", within=own, timeout=SOON)
            assert read == SECRET
            await client.close()
