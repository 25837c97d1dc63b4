"""Cards of other implementations: unsigned, signed by the SDK, or malformed."""

from typing import Any

import orjson
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import AgentCard
from a2a.utils.signing import ProtectedHeader, create_agent_card_signer
from casino_agentkit.canonical_json import encoded
from casino_agentkit.card_signing import signer_of
from google.protobuf.json_format import ParseDict
from hypothesis import given
from hypothesis import strategies as st
from jwt import PyJWK
from support.players.signed_cards import (
    ADA,
    CARD_URL,
    OWNER,
    OWNER_PRIVATE,
    Content,
    Web,
    card,
    changed,
    header_of,
    passes_for_owner,
    with_header,
)


class TestForeign:
    async def test_an_unsigned_card_is_unsigned(self) -> None:
        content = card()
        del content["signatures"]
        assert await signer_of(content, CARD_URL, Web().fetch) is None

    async def test_a_card_signed_by_the_sdk_verifies(self) -> None:
        made = ParseDict(card(), AgentCard(), ignore_unknown_fields=True)
        del made.signatures[:]
        made.supported_interfaces[0].tenant = ""
        made.capabilities.extensions[0].required = False
        private = encoded(OWNER_PRIVATE.private_numbers().private_value.to_bytes(32))
        jwk = {"kty": "EC", "alg": "ES256", **OWNER.public.jwk, "d": private}
        header: ProtectedHeader = {
            "alg": "ES256", "typ": "JOSE", "kid": "k1", "jku": ADA + "/keys"
        }  # fmt: skip
        create_agent_card_signer(PyJWK(jwk), header)(made)
        content = agent_card_to_dict(made)
        # What the SDK leaves out when it signs may be there when the card is served.
        content["capabilities"]["extensions"][0]["required"] = False
        content["url"] = ADA
        keys = {"keys": [dict(OWNER.public.jwk) | {"kid": "k1"}]}
        web = Web({ADA + "/keys": orjson.dumps(keys)})
        assert await passes_for_owner(signer_of, content, web)
        changed("the address of the calls", content)
        assert not await passes_for_owner(signer_of, content, web)

    async def test_what_cannot_be_checked_is_unsigned(self) -> None:
        content, header = card(), header_of(card())
        for other in (header | {"alg": "RS256"}, {"alg": "ES256", "kid": "k1"}):
            assert await signer_of(with_header(content, other), CARD_URL, Web().fetch) is None
        old = {key: value for key, value in content.items() if key != "supportedInterfaces"}
        assert await signer_of(old | {"url": ADA}, CARD_URL, Web().fetch) is None

    async def test_a_large_card_is_unsigned(self) -> None:
        """Cards that would take long to verify are not verified."""
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
    async def test_a_malformed_signature_is_no_signature(self, signatures: Any) -> None:
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
    async def test_a_malformed_protected_header_is_no_signature(self, header: Content) -> None:
        assert not await passes_for_owner(signer_of, with_header(card(), header))

    async def test_a_deep_protected_header_is_no_signature(self) -> None:
        content = card()
        for depth in (900, 1_100, 3_000):
            content["signatures"] = [{"protected": encoded(b"[" * depth), "signature": "AA"}]
            assert await signer_of(content, CARD_URL, Web().fetch) is None
