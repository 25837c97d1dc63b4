"""Choose the interface of a card to call, of those that are spoken."""

from functools import cache
from importlib.util import find_spec
from typing import Final

from casino_agentkit.bounds import shown
from casino_agentkit.client.cards.agent_card import GRPC, HTTP_JSON, JSON_RPC, Interface, ReadCard
from casino_agentkit.client.outgoing import is_same_origin
from casino_agentkit.client.transport import Dialling, Transport
from casino_agentkit.errors import AddressNotAllowed, AgentError, ProtocolFault
from casino_agentkit.protocol import VERSION

_PREFERRED: Final = (JSON_RPC, HTTP_JSON, GRPC)
_LISTED, _SHOWN = 4, 32
_TLS_PORT: Final = ":443"


async def choose_interface(transport: Transport, url: str, card: ReadCard) -> Interface:
    """Return the interface of the card at `url` to call.

    JSON-RPC is preferred to HTTP+JSON, that to gRPC, and each of them to A2A 0.3. An interface on
    another origin than the card's is used only if the transport allows the link.
    Raises ProtocolFault if there is none, AddressNotAllowed if none of them may be called.
    """
    spoken = _spoken(transport)
    refused: AgentError | None = None
    for interface in _in_order(card, spoken):
        try:
            await check_advertised(transport, url, interface.url)
        except AddressNotAllowed as error:
            refused = refused or error
        except ValueError:
            continue
        else:
            return interface
    raise refused or ProtocolFault(url, _why_none(card, spoken))


async def check_advertised(transport: Transport, url: str, address: str) -> None:
    """Raise AddressNotAllowed of a forbidden link, ValueError if it is no absolute http URL."""
    if is_same_origin(url, address):
        return
    try:
        await transport.check_link(url, address)
    except AddressNotAllowed as error:
        fault = f"its card advertises {address}, which is not called from here"
        fix = "advertise an address that others can reach"
        raise AddressNotAllowed(url, f"{fault} ({error.message}): {fix}") from error


async def check_invoked(transport: Transport, url: str, address: str) -> None:
    """Raise AddressNotAllowed, or ProtocolFault if it is not an absolute http URL."""
    try:
        await check_advertised(transport, url, address)
    except ValueError as error:
        raise ProtocolFault(
            url, "its card has no absolute http URL: add one as url, such as http://bot:4301/"
        ) from error


@cache
def is_grpc_installed() -> bool:
    return find_spec("grpc") is not None


def _spoken(transport: Transport) -> tuple[str, ...]:
    has_grpc = is_grpc_installed() and isinstance(transport, Dialling)
    return _PREFERRED if has_grpc else _PREFERRED[:-1]


def _in_order(card: ReadCard, spoken: tuple[str, ...]) -> list[Interface]:
    supported = [
        interface for interface in card.supported_interfaces if interface.protocol_binding in spoken
    ]

    def rank(interface: Interface) -> tuple[bool, int]:
        return not interface.is_current, spoken.index(interface.protocol_binding)

    return [_with_url(interface) for interface in sorted(supported, key=rank)]


def _with_url(interface: Interface) -> Interface:
    """Return an interface whose address is a URL: that of gRPC may be `host:port`."""
    if interface.protocol_binding != GRPC or "://" in interface.url:
        return interface
    scheme = "https" if interface.url.endswith(_TLS_PORT) else "http"
    return interface._replace(url=f"{scheme}://{interface.url}")


def _why_none(card: ReadCard, spoken: tuple[str, ...]) -> str:
    interfaces = [each for each in card.supported_interfaces if each.protocol_binding]
    if not interfaces or any(interface.protocol_binding in spoken for interface in interfaces):
        return (
            "its card has no interface with an absolute http URL: add supportedInterfaces with url,"
            " protocolBinding and protocolVersion"
        )
    offers = ", ".join(
        shown(f"{interface.protocol_binding} {interface.protocol_version}", _SHOWN)
        for interface in interfaces[:_LISTED]
    )
    more = f" and {len(interfaces) - _LISTED} more" if len(interfaces) > _LISTED else ""
    needs = "" if is_grpc_installed() else f"; {GRPC} is spoken where grpcio is installed"
    return (
        f"its card offers {offers}{more}; spoken here are {', '.join(spoken)}"
        f" of A2A {VERSION} and 0.3{needs}: add one of these interfaces"
    )
