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
)
from support.attack.raw_servers import SECRET, AnyAddress, agent, internal_service, lookup_of, reads
from support.envelopes import BINDINGS, card

SOON = timedelta(seconds=5)
OUTSIDE = OutgoingPolicy(frozenset({"public", "private"}))


class TestConnections:
    @pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "any.name"])
    async def test_loopback_is_not_read_where_it_is_not_allowed(self, host: str) -> None:
        async with internal_service() as (port, asked):
            url = f"http://{host}:{port}/"
            lookup = lookup_of({"localhost": [["127.0.0.1"]], "any.name": [["127.0.0.1"]]})
            assert not await reads(HttpTransport(OUTSIDE, lookup=lookup), url)
            assert not asked
            assert await reads(HttpTransport(AnyAddress(), lookup=lookup), url)
            assert await reads(HttpTransport(OutgoingPolicy(), lookup=lookup), url)

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

    async def test_the_system_looks_names_up(self) -> None:
        async with internal_service() as (port, _):
            assert await reads(HttpTransport(), f"http://localhost:{port}/")


class TestReferences:
    async def test_a_redirect_does_not_leave_its_origin(self) -> None:
        async with internal_service() as (port, asked):
            for target in (
                f"http://127.0.0.1:{port}/", f"http://localhost:{port}/", f"//127.0.0.1:{port}/",
                "http://10.0.0.1/", "http://169.254.169.254/latest/", f"http://0x7f.1:{port}/",
                f"http://user:pw@127.0.0.1:{port}/", "http://127.0.0.1:0/", "file:///etc/passwd",
            ):  # fmt: skip
                async with agent(redirect=target) as (origin, _):
                    client = AgentClient(HttpTransport(AnyAddress()))
                    with pytest.raises(AddressNotAllowed, match="redirects to another origin"):
                        await client.resolve(f"{origin}/card.json", timeout=SOON)
                    await client.close()
            assert not asked

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

    async def test_what_belongs_to_a_card_is_read_on_its_origin(self) -> None:
        async with internal_service() as (port, asked):
            client = AgentClient(HttpTransport(AnyAddress()))
            for url in (f"http://127.0.0.1:{port}/", f"//127.0.0.1:{port}/x", "file:///x"):
                with pytest.raises(AddressNotAllowed, match="not on the origin"):
                    await client.read(url, within="http://127.0.0.1:9/card.json", timeout=SOON)
            assert not asked
            own = f"http://localhost:{port}/card.json"
            read = await client.read(f"http://127.0.0.1:{port}/spec", within=own, timeout=SOON)
            assert read == SECRET
            await client.close()


class TestCalls:
    @pytest.mark.parametrize("binding", BINDINGS)
    async def test_an_internal_service_is_not_quoted(self, binding: str) -> None:
        """In any form of its reply, named as an interface by any card."""
        pages: list[Any] = [
            {"error": {"code": 7, "message": "db password is hunter2"}},
            {"error": {"message": "db password is hunter2"}, "jsonrpc": "2.0", "id": "7"},
            {"error": "hunter2"},
            {"message": "hunter2", "type": "hunter2"},
            "hunter2",
        ]
        said: list[Any] = []

        def content(origin: str, is_card: bool) -> Any:  # noqa: FBT001
            return card(binding, origin) if is_card else said[-1]

        for status in ("200 OK", "400 Bad", "500 Error"):
            async with agent(content, status=status) as (origin, _):
                client = AgentClient(HttpTransport())
                peer = await client.resolve(origin, timeout=SOON)
                for page in pages:
                    said.append(page)
                    with pytest.raises(AgentError) as error:
                        await peer.call("act", b"{}", dict, timeout=SOON)
                    assert "hunter2" not in str(error.value)
                await client.close()

    @pytest.mark.parametrize("binding", BINDINGS)
    async def test_a_token_is_sent_in_the_header(self, binding: str) -> None:
        async with agent(lambda origin, _: card(binding, origin)) as (origin, asked):
            client = AgentClient(HttpTransport())
            peer = await client.resolve(origin, timeout=SOON)
            for token in ("sesame-1234567890", None):
                with pytest.raises(AgentError) as error:
                    await peer.call("act", b"{}", dict, timeout=SOON, token=token)
                assert "sesame" not in str(error.value)
            await client.close()
        with_token, without = [call.lower() for call in asked if call.startswith("POST")]
        assert "authorization: bearer sesame-1234567890\r\n" in with_token
        assert "authorization" not in without
        assert "accept-encoding: identity" in with_token

    @pytest.mark.parametrize("binding", BINDINGS)
    async def test_a_call_follows_no_redirect_to_another_origin(self, binding: str) -> None:
        async with internal_service() as (port, asked):
            moved = f"http://127.0.0.1:{port}/"
            async with agent(lambda origin, _: card(binding, origin), redirect=moved) as (
                origin,
                _,
            ):
                client = AgentClient(HttpTransport(AnyAddress()))
                peer = await client.resolve(origin, timeout=SOON)
                with pytest.raises(AgentError):
                    await peer.call("act", b"{}", dict, timeout=SOON, token="sesame-1234567890")
                await client.close()
            assert not asked
