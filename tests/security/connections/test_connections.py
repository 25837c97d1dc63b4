"""Connections to a server: what honest clients may do, and how many each may hold."""

import asyncio

import pytest
from casino.attack.attack_traffic import AttackAddress, connected, head, status
from casino.attack.resource_attacks import hold_many
from casino_agentkit.network import network_of
from casino_agentkit.protocol import INPUT_LIMIT
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.server_limits import ServerLimits
from support.attack.sample_server import (
    BIG,
    LIMITS,
    SOON,
    TICK_S,
    UNHURRIED,
    SampleServer,
    sample_server,
)
from support.processes import run_until


class TestHonest:
    async def test_a_head_and_a_body_at_the_limits_are_taken(self) -> None:
        """A head of 32 KiB, a hundred headers, 64 KiB in one-byte chunks."""
        async with sample_server(UNHURRIED) as (_, target), connected(target) as connection:
            await connection.send(head("GET /quick", "X: " + "a" * 32_000))
            assert status(await connection.response()) == 200
            await connection.send(head("GET /quick", *["a: b"] * 100))
            assert status(await connection.response()) == 200
            await connection.send(head("POST /quick", "Transfer-Encoding: chunked"))
            await connection.send(b"1\r\na\r\n" * INPUT_LIMIT + b"0\r\n\r\n")
            assert (await connection.response()).endswith(b" %d" % INPUT_LIMIT)

    async def test_a_stream_that_is_read_is_not_cut(self) -> None:
        async with sample_server(LIMITS) as (_, target), connected(target) as connection:
            await connection.send(head("GET /stream"))
            assert await connection.is_open_after(1)

    async def test_a_request_behind_a_long_answer_waits_with_it(self) -> None:
        """No timer runs for half a request while the server does not read."""
        async with sample_server(LIMITS) as (made, target), connected(target) as connection:
            await connection.send(head("GET /slow"))
            await connection.send(head("POST /quick", "Content-Length: 4") + b"ha")
            assert await connection.is_open_after(1)
            made.go.set()
            await connection.send(b"lf")
            answers = (await connection.answer()).split(b"HTTP/1.1 200")
            assert [answer[-1:] for answer in answers[1:]] == [b"t", b"4"]

    async def test_a_large_answer_may_be_read_slowly(self) -> None:
        """As long as something of it is read."""
        async with (
            sample_server(ServerLimits(unread=SOON)) as (_, target),
            connected(target, read_ahead=2**20) as connection,
        ):
            await connection.send(head("GET /big"))
            assert len(await connection.response()) > BIG

    async def test_a_websocket_request_is_answered_as_http(self) -> None:
        async with sample_server(LIMITS) as (made, target), connected(target) as connection:
            upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
            await connection.send(head("GET /quick", *upgrade, "Sec-WebSocket-Key: eA=="))
            assert status(await connection.answer()) == 200
            await run_until(lambda: "agent_connections 0.0" in made.metrics())


class TestStreams:
    @staticmethod
    async def leaks(made: SampleServer, target: AttackAddress) -> bool:
        """Send a request behind a stream's and disconnect; tells whether the stream lives on."""
        async with connected(target) as connection:
            await connection.send(head("GET /stream") + head("GET /quick"))
            await run_until(lambda: made.streams)
        await asyncio.sleep(3 * TICK_S)
        return made.streams > 0

    async def test_a_request_behind_a_stream_keeps_it_alive_only_without_limits(self) -> None:
        """The server without them reports the disconnect to its newest request only."""
        async with sample_server(None) as (made, target):
            assert await self.leaks(made, target)
        async with sample_server(UNHURRIED) as (made, target):
            assert not await self.leaks(made, target)


class TestCaps:
    async def test_without_limits_one_address_holds_every_connection(self) -> None:
        async with sample_server(None) as (_, target):
            assert await hold_many(target, 30, 0.5) == 30

    async def test_one_address_has_its_share_and_others_are_answered(self) -> None:
        async with sample_server(ServerLimits(per_address=8)) as (made, target):
            holding = asyncio.ensure_future(hold_many(target, 30, seconds=2))
            await run_until(lambda: "agent_connections 8.0" in made.metrics())
            async with connected(target) as refused:
                answer = await refused.answer()
            async with connected(AttackAddress(target.port, "127.0.0.3")) as other:
                await other.send(head("GET /readyz"))
                assert status(await other.response()) == 200
            assert not holding.done()
            assert await holding == 8
            assert (status(answer), b"retry-after: 5" in answer) == (503, True)
            assert 'agent_connections_refused_total{cap="address"} 23.0' in made.metrics()
            async with connected(target) as again:  # a place that is free is given again
                await again.send(head())
                assert status(await again.response()) == 200

    async def test_many_addresses_leave_this_machine_its_health_check(self) -> None:
        limits = ServerLimits(per_address=8, connections=20)
        async with sample_server(limits) as (made, target):
            holding = [
                asyncio.ensure_future(hold_many(AttackAddress(target.port, f"127.0.0.{n}"), 9, 2))
                for n in range(2, 6)
            ]
            await run_until(lambda: "agent_connections 20.0" in made.metrics())
            async with connected(AttackAddress(target.port, "127.0.0.9")) as refused:
                assert status(await refused.answer()) == 503
            async with connected(AttackAddress(target.port, "127.0.0.1")) as health:
                await health.send(head("GET /readyz"))
                assert status(await health.response()) == 200
            assert not holding[0].done()
            assert sum(await asyncio.gather(*holding)) == 20


class TestNumbers:
    def test_ipv6_addresses_count_by_network(self) -> None:
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
        assert ServerLimits().within(65_536) == ServerLimits()

    def test_loopback_may_hold_the_larger_part(self) -> None:
        counts = Connections(ServerLimits(per_address=2, connections=8), lambda: 0.0)
        assert [counts.enter("127.0.0.1") for _ in range(7)] == [True] * 6 + [False]
        assert [counts.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
        assert not counts.enter("192.0.2.2")
        counts.leave("127.0.0.1")
        assert counts.enter("192.0.2.2")
        assert counts.enter(network_of("::1"))  # beyond them all

    def test_refusals_leave_nothing_behind(self) -> None:
        counts = Connections(ServerLimits(connections=1), lambda: 0.0)
        assert counts.enter("192.0.2.0")
        for number in range(1_000):
            assert not counts.enter(f"a{number}")
        assert len(counts._open) == 1
