"""An agent signs its card for its own addresses only.

A card that it signed for any Host header would be a card of its key that leads to somebody else.
"""

import httpx
import orjson
import pytest
from casino_agentkit.card_signing import JWKS_PATH, CardSigner, is_own_address, signer_of
from casino_agentkit.protocol import CARD_PATH, EXTENSION
from casino_agentkit.server.card_page import CardPage
from starlette.applications import Starlette
from starlette.routing import Route
from support.players.sample_agent import SampleAgent
from support.players.signed_cards import ADA, OWNER, Content, Web, header_of


async def served(host: str, server: str, signer: CardSigner, public: str | None = None) -> Content:
    """Ask the agent at the socket `server` for its card, with a Host header of one's choice."""
    page = CardPage(SampleAgent().agent, "", public, signer)
    app = Starlette(routes=[Route(CARD_PATH, page.serve)])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http:
        reply = await http.get(f"http://{server}{CARD_PATH}", headers={"host": host})
    content: Content = reply.json()
    return content


class TestAddress:
    @staticmethod
    async def gets_a_signed_card(signer: CardSigner, host: str) -> bool:
        """Have the owner's agent sign a card with Mallory's address, to be served there."""
        content = await served(host, "192.0.2.7:4101", signer)
        url = f"http://{host}{CARD_PATH}"
        assert content["supportedInterfaces"][0]["url"].startswith(f"http://{host}/")
        return await signer_of(content, url, Web().fetch) == OWNER.public.thumbprint

    HOSTS = (
        "evil.example", "evil.example:4101", "203.0.113.5", "203.0.113.5:4101", "192.0.2.7",
        "192.0.2.7:80", "127.0.0.1:4101", "localhost:4101", "[::1]:4101", "192.0.2.7.evil.example",
        "[2001:db8::5]:4101",
    )  # fmt: skip

    @pytest.mark.parametrize("host", HOSTS)
    async def test_another_host_is_not_signed(self, host: str) -> None:
        """Without the check Mallory has a card with the owner's key that leads to Mallory."""
        careless = CardSigner(OWNER, is_own=lambda _host, _scheme, _server: True)
        assert await self.gets_a_signed_card(careless, host)
        assert not await self.gets_a_signed_card(CardSigner(OWNER), host)

    @pytest.mark.parametrize(
        ("host", "server"),
        [
            ("192.0.2.7:4101", "192.0.2.7:4101"),
            ("127.0.0.1:4101", "127.0.0.1:4101"),
            ("localhost:4101", "127.0.0.1:4101"),
            ("LocalHost:4101", "127.0.0.1:4101"),
        ],
    )
    async def test_the_address_of_the_socket_is_signed(self, host: str, server: str) -> None:
        content = await served(host, server, CardSigner(OWNER))
        assert await signer_of(content, f"http://{host}", Web().fetch) == OWNER.public.thumbprint

    async def test_the_public_address_is_signed(self) -> None:
        content = await served(
            "evil.example", "10.0.0.7:4101", CardSigner(OWNER), "https://ada.example/bots/"
        )
        assert content["supportedInterfaces"][0]["url"] == ("https://ada.example/bots/a2a/jsonrpc")
        assert header_of(content)["jku"] == f"https://ada.example/bots{JWKS_PATH}"
        signer = await signer_of(content, "https://ada.example/bots", Web().fetch)
        assert signer == OWNER.public.thumbprint

    @pytest.mark.parametrize(
        ("host", "scheme", "server", "is_own"),
        [
            ("[::1]:80", "http", ("::1", 80), True),
            ("[::1]", "http", ("::1", 80), True),
            ("[0:0::1]", "https", ("::1", 443), True),
            ("127.0.0.1", "http", ("::ffff:127.0.0.1", 80), True),
            ("127.0.0.1", "https", ("127.0.0.1", 80), False),
            ("127.0.0.1", "http", ("/run/socket", None), False),
            ("127.0.0.1", "http", None, False),
        ],
    )
    def test_own_addresses_are_recognised(
        self, host: str, scheme: str, server: tuple[str, int | None] | None, *, is_own: bool
    ) -> None:
        assert is_own_address(host, scheme, server) is is_own


class TestPage:
    async def test_a_card_is_signed_once(self) -> None:
        page = CardPage(SampleAgent().agent, "", ADA, CardSigner(OWNER))
        assert page.card(ADA, is_signed=True) is page.card(ADA, is_signed=True)

    async def test_without_a_key_cards_are_unsigned(self) -> None:
        content = orjson.loads(CardPage(SampleAgent().agent, "", ADA).card(ADA, is_signed=True))
        assert "signatures" not in content
        assert content["capabilities"]["extensions"][0]["uri"] == EXTENSION
