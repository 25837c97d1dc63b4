"""How many connections each address and all together may hold."""

import asyncio

import pytest
from casino_agentkit.server.client_network import network_of
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.limits import ServerLimits
from support.attack import connection_attacks as attacks
from support.attack.connection_attacks import Target, connected, head, status
from support.attack.sample_server import closed_within, sample_server
from support.memory import kept_bytes


class TestCaps:
    """The caps of a server that listens."""

    async def test_without_limits_one_address_holds_every_connection(self) -> None:
        """The attack succeeds against a server without limits."""
        async with sample_server(None) as (_, target):
            assert await attacks.hold_many(target, 30) == 30

    async def test_one_address_has_its_share_and_others_are_answered(self) -> None:
        """Others are answered while it holds its share."""
        limits = ServerLimits(per_address=8)
        async with sample_server(limits) as (made, target):
            holding = asyncio.ensure_future(attacks.hold_many(target, 30, seconds=2))
            while "agent_connections 8.0" not in made.metrics():
                await asyncio.sleep(0.01)
            async with connected(target) as refused:
                answer = await closed_within(refused)
            async with connected(Target(target.port, "127.0.0.3")) as other:
                await other.send(head("GET /readyz"))
                assert status(await asyncio.wait_for(other.response(), 1)) == 200
            assert await holding == 8
            assert (status(answer), b"retry-after: 5" in answer) == (503, True)
            assert 'agent_connections_refused_total{cap="address"} 23.0' in made.metrics()
            async with connected(target) as again:  # a place that is free is given again
                await again.send(head())
                assert status(await again.response()) == 200

    async def test_many_addresses_leave_this_machine_its_health_check(self) -> None:
        """Four addresses hold all other connections."""
        limits = ServerLimits(per_address=8, connections=20)
        async with sample_server(limits) as (made, target):
            holding = [
                asyncio.ensure_future(attacks.hold_many(Target(target.port, f"127.0.0.{n}"), 9, 2))
                for n in range(2, 6)
            ]
            while "agent_connections 20.0" not in made.metrics():
                await asyncio.sleep(0.01)
            async with connected(Target(target.port, "127.0.0.9")) as refused:
                assert status(await closed_within(refused)) == 503
            async with connected(Target(target.port, "127.0.0.1")) as health:
                await health.send(head("GET /readyz"))
                assert status(await asyncio.wait_for(health.response(), 1)) == 200
            assert sum(await asyncio.gather(*holding)) == 20


class TestNumbers:
    """The numbers behind the caps."""

    def test_ipv6_addresses_count_by_network(self) -> None:
        """IPv4 addresses count one by one, in every notation."""
        assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
        assert network_of("2001:db8:0:1::1") != network_of("2001:db8::1")
        assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1")
        assert network_of("unix") == "unix"

    @pytest.mark.parametrize(("descriptors", "backlog"), [(64, 8), (256, 32), (1024, 128)])
    def test_few_descriptors_mean_few_connections(self, descriptors: int, backlog: int) -> None:
        """Backlog, files, outgoing calls and health checks fit beside them."""
        limits = ServerLimits().within(descriptors)
        assert limits.backlog == backlog
        assert limits.per_address <= limits.connections // 4
        if descriptors > 64:
            beside = descriptors - limits.connections - limits.for_health - limits.backlog
            assert beside >= 64

    def test_many_descriptors_change_nothing(self) -> None:
        """The defaults are the maximum."""
        assert ServerLimits().within(65_536) == ServerLimits()

    def test_loopback_may_hold_the_larger_part(self) -> None:
        """Clients on a laptop and behind a proxy have one address."""
        counts = Connections(ServerLimits(per_address=2, connections=8), lambda: 0.0)
        assert [counts.enter("127.0.0.1") for _ in range(7)] == [True] * 6 + [False]
        assert [counts.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
        assert not counts.enter("192.0.2.2")
        counts.leave("127.0.0.1")
        assert counts.enter("192.0.2.2")
        assert counts.enter(network_of("::1"))  # beyond them all

    def test_refusals_leave_nothing_behind(self) -> None:
        """10,000 refused addresses take no memory."""
        counts = Connections(ServerLimits(connections=1), lambda: 0.0)
        assert counts.enter("192.0.2.0")

        def refuse() -> None:
            for number in range(10_000):
                assert not counts.enter(f"a{number}")

        assert kept_bytes(refuse) < 10_000
