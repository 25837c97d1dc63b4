"""Cards that others wrote and signed, well or badly or not at all."""

from typing import Any

import orjson
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import AgentCard
from a2a.utils.signing import ProtectedHeader, create_agent_card_signer
from casino_agentkit.signing.card_key import CardKey, encoded
from casino_agentkit.signing.card_signing import signer_of
from google.protobuf.json_format import ParseDict
from hypothesis import given
from hypothesis import strategies as st
from jwt import PyJWK
from support.players.signed_cards import (
    ADA,
    CARD_URL,
    OWNER,
    Content,
    Web,
    card,
    header_of,
    move_interface,
    passes_for_owner,
    with_header,
)


class TestForeign:
    """Cards that others wrote."""

    async def test_an_unsigned_one(self) -> None:
        """Is unsigned."""
        content = card()
        del content["signatures"]
        assert await signer_of(content, CARD_URL, Web().fetch) is None

    async def test_one_that_the_sdk_signed(self) -> None:
        """With its own signer, and a key set on its own origin."""
        made = ParseDict(card(), AgentCard(), ignore_unknown_fields=True)
        del made.signatures[:]
        made.supported_interfaces[0].tenant = ""
        made.capabilities.extensions[0].required = False
        secret = PyJWK({"kty": "EC", "alg": "ES256", **_private(OWNER)})
        header: ProtectedHeader = {
            "alg": "ES256", "typ": "JOSE", "kid": "k1", "jku": ADA + "/keys"
        }  # fmt: skip
        create_agent_card_signer(secret, header)(made)
        content = agent_card_to_dict(made)
        # What the SDK leaves out when it signs may be there when the card is served.
        content["capabilities"]["extensions"][0]["required"] = False
        content["url"] = ADA
        keys = {"keys": [dict(OWNER.public.jwk) | {"kid": "k1"}]}
        web = Web({ADA + "/keys": orjson.dumps(keys)})
        assert await passes_for_owner(signer_of, content, web)
        move_interface(content)
        assert not await passes_for_owner(signer_of, content, web)

    async def test_what_cannot_be_checked_is_unsigned(self) -> None:
        """Another algorithm, no key, A2A 0.3: none of them is a fault."""
        content, header = card(), header_of(card())
        for other in (header | {"alg": "RS256"}, {"alg": "ES256", "kid": "k1"}):
            assert await signer_of(with_header(content, other), CARD_URL, Web().fetch) is None
        old = {key: value for key, value in content.items() if key != "supportedInterfaces"}
        assert await signer_of(old | {"url": ADA}, CARD_URL, Web().fetch) is None

    async def test_a_card_of_any_size_ends(self) -> None:
        """What would take long to check is unsigned."""
        wide = card() | {"more": [0] * 100_000}
        deep: Any = 1
        for _ in range(500):
            deep = [deep]
        for content in (wide, card() | {"more": deep}, card() | {"more": 2**60}):
            assert await signer_of(content, CARD_URL, Web().fetch) is None

    @given(
        st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "protected": st.text() | st.integers() | st.none(),
                    "signature": st.text() | st.none(),
                    "header": st.dictionaries(st.text(), st.text()),
                },
            )
            | st.text()
            | st.none()
        )
        | st.text()
        | st.integers()
    )
    async def test_whatever_stands_there(self, signatures: Any) -> None:
        """It is no signature of the owner's, and no crash."""
        assert not await passes_for_owner(signer_of, card() | {"signatures": signatures})

    @given(
        st.dictionaries(
            st.sampled_from(["alg", "jwk", "jku", "kid", "crit", "typ"]),
            st.just("ES256")
            | st.text()
            | st.dictionaries(st.sampled_from(["kty", "crv", "x", "y"]), st.text())
            | st.none()
            | st.lists(st.booleans(), max_size=2),
        )
    )
    async def test_whatever_header_it_has(self, header: Content) -> None:
        """Likewise."""
        assert not await passes_for_owner(signer_of, with_header(card(), header))

    async def test_a_header_that_exhausts_the_stack(self) -> None:
        """Is none."""
        content = card()
        for depth in (900, 1_100, 3_000):
            content["signatures"] = [{"protected": encoded(b"[" * depth), "signature": "AA"}]
            assert await signer_of(content, CARD_URL, Web().fetch) is None


def _private(key: CardKey) -> dict[str, str]:
    secret = key._key.private_numbers().private_value
    return dict(key.public.jwk) | {"d": encoded(secret.to_bytes(32))}
