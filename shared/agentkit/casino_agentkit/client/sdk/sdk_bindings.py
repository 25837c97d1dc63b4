"""Bindings through the SDK's client, over shared connections."""

import httpx

from casino_agentkit.bounds import ReplyBounds
from casino_agentkit.client.cards.card import GRPC, Interface
from casino_agentkit.client.sdk.grpc_channels import GrpcChannels
from casino_agentkit.client.sdk.httpx_bridge import http_client
from casino_agentkit.client.sdk.sdk_binding import SdkBinding
from casino_agentkit.client.transport import Dialling, Transport
from casino_agentkit.protocol import MessageIds


class SdkBindings:
    """Makes the bindings of one client: HTTP goes over its transport, gRPC over own channels."""

    def __init__(self, transport: Transport, ids: MessageIds, bounds: ReplyBounds) -> None:
        self._transport = transport
        self._ids = ids
        self._bounds = bounds
        self._http: httpx.AsyncClient = http_client(transport, bounds)
        self._channels = GrpcChannels(bounds)

    async def binding(self, interface: Interface, url: str) -> SdkBinding:
        """Return the binding to an interface of the card at `url`.

        Raises ProtocolFault, or Unreachable if gRPC has no address to connect to.
        """
        channel = None
        if interface.protocol_binding == GRPC and isinstance(self._transport, Dialling):
            endpoint = await self._transport.endpoint(interface.url)
            channel = await self._channels.channel(endpoint)
        return SdkBinding(interface, url, self._http, self._ids, self._bounds, channel)

    async def close(self) -> None:
        """Close all connections."""
        await self._channels.close()
        await self._http.aclose()
