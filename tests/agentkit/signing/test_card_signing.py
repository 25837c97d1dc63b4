"""Signed cards: a change is noticed, and no card is signed for another agent's address.

Each attack runs twice: against the defence, and against what stands there without it.
"""

import copy

import orjson
import pytest
from a2a.client.card_resolver import parse_agent_card
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from casino_agentkit.card_signing import (
    JWKS_PATH,
    CardSigner,
    _read_by_the_sdk,
    _without_empty,
    signer_of,
)
from casino_agentkit.errors import BadSignature, Unreachable
from casino_agentkit.protocol import CARD_PATH
from jwt import PyJWK
from support.players.signed_cards import (
    ADA,
    CARD_URL,
    CHANGES,
    EVIL,
    MALLORY,
    OWNER,
    Content,
    Web,
    card,
    changed,
    header_of,
    passes_for_owner,
    unchecked,
    with_header,
)


class TestChanged:
    @pytest.mark.parametrize("change", CHANGES)
    async def test_a_changed_card_is_refused(self, change: str) -> None:
        """A reader that does not verify takes it for the owner's."""
        content = changed(change)
        assert await passes_for_owner(unchecked, content)
        with pytest.raises(BadSignature, match="does not fit it: it was changed after"):
            await signer_of(content, CARD_URL, Web().fetch)

    async def test_an_unchanged_card_passes(self) -> None:
        content = card()
        before = copy.deepcopy(content)
        assert await signer_of(content, CARD_URL, Web().fetch) == OWNER.public.thumbprint
        assert content == before
        turned = {key: content[key] for key in reversed(content)}
        turned["capabilities"] = orjson.loads(
            orjson.dumps(content["capabilities"]).replace(b'"minimum":1,', b'"minimum":1.0,')
        )
        assert await passes_for_owner(signer_of, turned)

    async def test_each_of_its_signatures_is_enough(self) -> None:
        """Of the card as it is served, and of what the SDK makes of it."""
        content = card()
        assert len(content["signatures"]) == 2
        for signature in content["signatures"]:
            assert await passes_for_owner(signer_of, content | {"signatures": [signature]})

    @pytest.mark.parametrize("form", ["as the SDK reads it", "without empty values"])
    async def test_no_other_form_of_a_card_is_signed(self, form: str) -> None:
        """One canonical form and the SDK's; a third one binds nobody to what is served."""
        content = {key: value for key, value in card().items() if key != "signatures"}
        content["more"] = {"kept": [1], "empty": []}
        signed = content
        if form == "as the SDK reads it":
            signed = orjson.loads(orjson.dumps(_read_by_the_sdk(content)))
        signed = _without_empty(signed)
        (signature,) = with_header(signed, header_of(card()), OWNER)["signatures"]
        assert await passes_for_owner(signer_of, content | {"signatures": [signature]}) is (
            form == "as the SDK reads it"
        )


class TestForged:
    @staticmethod
    def forged() -> dict[str, Content]:
        """Return cards of Mallory that name the owner's key."""
        own = card(MALLORY) | {"description": "Mallory's."}
        header = header_of(card())
        return {
            "another's key": with_header(own, header),
            "no algorithm": with_header(own, header | {"alg": "none"}),
            "the public key as a password": with_header(own, header | {"alg": "HS256"}),
            "another's signature": own | {"signatures": card()["signatures"]},
            "an extension that must be known": with_header(own, header | {"crit": ["b64"]}, OWNER),
            "a key set elsewhere": with_header(
                own,
                {"alg": "ES256", "kid": OWNER.public.thumbprint, "jku": EVIL + JWKS_PATH},
            ),
        }

    @staticmethod
    def web() -> Web:
        """Return a network in which Mallory serves the owner's key."""
        return Web({EVIL + JWKS_PATH: CardSigner(OWNER).jwks()})

    @pytest.mark.parametrize("how", forged())
    async def test_a_forged_card_does_not_pass(self, how: str) -> None:
        """It is refused, or counts as unsigned; who does not verify takes it for the owner's."""
        assert await passes_for_owner(unchecked, self.forged()[how], self.web())
        assert not await passes_for_owner(signer_of, self.forged()[how], self.web())


class TestCopied:
    PLACES = (
        EVIL + CARD_PATH,
        f"{EVIL}/ada.json",
        "http://ada.example" + CARD_PATH,
        "http://ada.example:4101/users/mallory" + CARD_PATH,
        "http://ada.example:4101/a2a/jsonrp",
        "https://ada.example:4101" + CARD_PATH,
    )

    @pytest.mark.parametrize("url", PLACES)
    async def test_a_copied_card_counts_as_unsigned(self, url: str) -> None:
        """A reader that does not verify takes it for the owner's."""
        assert await unchecked(card(), url, Web().fetch) == OWNER.public.thumbprint
        assert await signer_of(card(), url, Web().fetch) is None

    @pytest.mark.parametrize("url", [ADA, ADA + "/", CARD_URL, f"{ADA}/a2a/jsonrpc"])
    async def test_the_copied_card_is_signed_at_its_own_address(self, url: str) -> None:
        assert await signer_of(card(), url, Web().fetch) == OWNER.public.thumbprint


class TestKeySet:
    @staticmethod
    def naming(jku: str) -> Content:
        header = {"alg": "ES256", "kid": OWNER.public.thumbprint, "jku": jku}
        return with_header(card(), header, OWNER)

    async def test_a_key_set_on_the_cards_origin_is_read(self) -> None:
        """The card counts as signed."""
        web = Web({ADA + JWKS_PATH: CardSigner(OWNER).jwks()})
        assert await passes_for_owner(signer_of, self.naming(ADA + JWKS_PATH), web)
        assert web.asked == [ADA + JWKS_PATH]

    @pytest.mark.parametrize(
        "jku",
        [
            EVIL + JWKS_PATH,
            "http://127.0.0.1:6379/",
            "http://169.254.169.254/latest/meta-data",
            "https://ada.example:4101/jwks",
            "http://ada.example/jwks",
            "http://ada.example:4101@evil.example/",
            "http://[::1",
            "file:///etc/passwd",
            "//ada.example:4101/jwks",
        ],
    )
    async def test_a_key_set_elsewhere_is_not_read(self, jku: str) -> None:
        """The card counts as unsigned, and no call is made."""
        web, careless = Web(), Web()
        assert await signer_of(self.naming(jku), CARD_URL, web.fetch) is None
        assert web.asked == []
        with pytest.raises(Unreachable):
            await unchecked(self.naming(jku), CARD_URL, careless.fetch)
        assert careless.asked == [jku]  # so the attack is one

    @pytest.mark.parametrize(
        "page",
        [
            b"", b"[]", b"{}", b'{"keys":0}', b'{"keys":[0]}', b'{"keys":[{}]}',
            b'{"keys":[{"kid":"x"}]}', b"[" * 2_000,
        ],
    )  # fmt: skip
    async def test_a_malformed_key_set_leaves_the_card_unsigned(self, page: bytes) -> None:
        web = Web({ADA + JWKS_PATH: page})
        assert await signer_of(self.naming(ADA + JWKS_PATH), CARD_URL, web.fetch) is None


class TestOtherVerifiers:
    """The SDK's verifier, with the key set that is served."""

    @pytest.mark.parametrize("change", [None, *CHANGES])
    def test_the_sdk_verifies_the_signature(self, change: str | None) -> None:
        content = card() if change is None else changed(change)
        keys = {key["kid"]: key for key in orjson.loads(CardSigner(OWNER).jwks())["keys"]}
        asked: list[str | None] = []

        def key_of(kid: str | None, jku: str | None) -> PyJWK:
            asked.append(jku)
            return PyJWK(keys[kid or ""])

        verify = create_signature_verifier(key_of, ["ES256"])
        if change is None:
            verify(parse_agent_card(content))
        else:
            with pytest.raises(InvalidSignaturesError):
                verify(parse_agent_card(content))
        assert set(asked) == {ADA + JWKS_PATH}
