"""gRPC's limits: what a hostile client sends costs it the call, and others nothing."""

import asyncio
from datetime import timedelta
from typing import Any

import grpc
import pytest
from a2a.types import SendMessageRequest
from casino_agentkit import PortTaken
from casino_agentkit.server.grpc_server import RpcSlots
from casino_agentkit.server.server_limits import GrpcListener, ServerLimits
from support.players.grpc_side import SOUP, channel, kitchen, message, raw_status, serving

METHOD = "/lf.a2a.v1.A2AService/SendMessage"


def _nested(request: SendMessageRequest, levels: int) -> SendMessageRequest:
    """Add a list of so many levels, deeper than any parser of protobuf takes."""
    inner = request.message.parts[0].data.struct_value.fields["deep"]
    for _ in range(levels):
        inner = inner.list_value.values.add()
    inner.bool_value = True
    return request


class TestLimits:
    """What a hostile client sends costs it the call."""

    @pytest.mark.parametrize("compression", list(grpc.Compression))
    async def test_a_large_message_is_refused(self, compression: Any) -> None:
        """Also one that is small until it is inflated."""
        bomb = message({**SOUP, "dish": "x" * 2**21}, "order")
        async with serving({"": kitchen()}) as service, channel(service) as stub:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.SendMessage(bomb, compression=compression)
            assert refused.value.code() in {
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                grpc.StatusCode.UNIMPLEMENTED,
            }
            assert await stub.SendMessage(message(SOUP, "order"))

    async def test_large_metadata_is_refused(self) -> None:
        async with serving({"": kitchen()}) as service, channel(service) as stub:
            with pytest.raises(grpc.aio.AioRpcError):
                await stub.SendMessage(message(SOUP, "order"), metadata=[("x", "y" * 2**16)])
            assert await stub.SendMessage(message(SOUP, "order"))

    async def test_deep_data_is_refused(self) -> None:
        deep: Any = []
        for _ in range(44):
            deep = [deep]
        async with serving({"": kitchen()}) as service, channel(service) as stub:
            assert b"40 levels" in await raw_status(service, message({"dish": deep}, "order"))
            with pytest.raises(grpc.aio.AioRpcError):
                await stub.SendMessage(_nested(message(SOUP, "order"), 200))
            assert await stub.SendMessage(message(SOUP, "order"))

    async def test_bytes_that_are_no_message_are_refused(self) -> None:
        async with (
            serving({"": kitchen()}) as service,
            grpc.aio.insecure_channel(f"127.0.0.1:{service.grpc_port}") as connected,
        ):
            for method in (
                "/lf.a2a.v1.A2AService/SendMessage",
                "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                "/a2a.v1.A2AService/SendMessage",
            ):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await connected.unary_unary(method)(b"\xff\xff\xff")
                assert "Traceback" not in (refused.value.details() or "")

    async def test_a_taken_port_is_refused(self) -> None:
        """Two processes never share one."""
        async with serving({"": kitchen()}) as service:
            assert service.grpc_port
            with pytest.raises(PortTaken, match="gRPC"):
                async with serving({"": kitchen()}, GrpcListener(service.grpc_port)):
                    pass

    @pytest.mark.full  # gRPC binds its port itself, so that core cannot know it for its own
    async def test_connections_are_capped_and_must_speak(self) -> None:
        """The ninth part of a small limit; the silent ones are closed."""
        limits = ServerLimits(connections=16, first_byte=timedelta(seconds=2))
        async with serving({"": kitchen()}, limits=limits) as service:
            opened = [
                await asyncio.open_connection("127.0.0.1", service.grpc_port) for _ in range(4)
            ]
            read = await asyncio.gather(*(reader.read() for reader, _ in opened))
            assert sum(not greeting for greeting in read) == 2
            for _, writer in opened:
                writer.close()
                await writer.wait_closed()

    async def test_an_unfinished_request_is_ended(self) -> None:
        """A call that sends nothing holds its slot no longer than a body may take."""
        limits = ServerLimits(body=timedelta(milliseconds=100))
        async with (
            serving({"": kitchen()}, limits=limits) as service,
            grpc.aio.insecure_channel(f"127.0.0.1:{service.grpc_port}") as connected,
        ):
            silent = connected.stream_unary(METHOD)()
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await silent
            assert refused.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED

    async def test_one_address_cannot_take_every_slot(self) -> None:
        """Its further calls are refused at once, and answered when one has ended."""
        limits = ServerLimits(per_address=2)
        async with (
            serving({"": kitchen()}, limits=limits) as service,
            grpc.aio.insecure_channel(f"127.0.0.1:{service.grpc_port}") as connected,
            channel(service) as stub,
        ):
            silent = [connected.stream_unary(METHOD)() for _ in range(3)]
            done, _ = await asyncio.wait(
                [asyncio.ensure_future(_code(call)) for call in silent],
                return_when=asyncio.FIRST_COMPLETED,
            )
            assert {call.result() for call in done} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
            for call in silent:
                call.cancel()
            while not await _is_answered(stub):
                pass

    def test_slots_are_counted_by_network_and_in_total(self) -> None:
        slots = RpcSlots(3, 2)
        with slots.taken("a") as first, slots.taken("a") as second, slots.taken("a") as third:
            assert (first, second, third) == (True, True, False)
            with slots.taken("b") as other, slots.taken("c") as over:
                assert (other, over) == (True, False)
        with slots.taken("a") as again:
            assert again


async def _code(call: Any) -> Any:
    return await call.code()


async def _is_answered(stub: Any) -> bool:
    code = await stub.SendMessage(message(SOUP, "order")).code()
    assert code in {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED}
    return bool(code is grpc.StatusCode.OK)
