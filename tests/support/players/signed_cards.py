"""Signed and manipulated cards, and a web on which keys are found."""

import copy
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

import orjson
from casino_agentkit.canonical_json import canonical_json, decoded, encoded
from casino_agentkit.card_key import CardKey, PublicCardKey
from casino_agentkit.card_signing import CardSigner, Fetch
from casino_agentkit.errors import BadSignature, Unreachable
from casino_agentkit.protocol import CARD_PATH
from casino_agentkit.server.card_page import CardPage
from cryptography.hazmat.primitives.asymmetric import ec

from support.players.sample_agent import SampleAgent

Content = dict[str, Any]
Check = Callable[[Content, str, Fetch], Awaitable[str | None]]

OWNER_PRIVATE = ec.generate_private_key(ec.SECP256R1())
OWNER, MALLORY = CardKey(OWNER_PRIVATE), CardKey.new()
ADA, EVIL = "http://ada.example:4101", "http://evil.example"
CARD_URL = ADA + CARD_PATH


@cache
def _served(key: CardKey, address: str) -> bytes:
    return CardPage(SampleAgent().agent, "", address, CardSigner(key)).card(address, is_signed=True)


def card(key: CardKey = OWNER, address: str = ADA) -> Content:
    """Return the sample agent's signed card, as it is served."""
    content: Content = orjson.loads(_served(key, address))
    return content


def header_of(content: Content) -> Content:
    """Return the protected header of a card's first signature."""
    header: Content = orjson.loads(decoded(content["signatures"][0]["protected"]))
    return header


def with_header(content: Content, header: Content, key: CardKey = MALLORY) -> Content:
    """Return a card with one signature of `key` under a chosen header."""
    signed = copy.deepcopy(content)
    signed.pop("signatures", None)
    protected = encoded(orjson.dumps(header))
    payload = encoded(canonical_json(signed))
    signature = key.sign(f"{protected}.{payload}".encode())
    signed["signatures"] = [{"protected": protected, "signature": encoded(signature)}]
    return signed


class Web:
    """Pages to fetch, and a record of the fetched ones."""

    def __init__(self, pages: Mapping[str, bytes] | None = None) -> None:
        self._pages = pages or {}
        self.asked: list[str] = []

    async def fetch(self, url: str) -> bytes:
        self.asked.append(url)
        if url not in self._pages:
            raise Unreachable(url, "no connection")
        return self._pages[url]


async def unchecked(content: Content, _url: str, fetch: Fetch) -> str | None:
    """Trust the key that a card names, which is what happens without the defence."""
    header = header_of(content)
    if "jwk" in header:
        return PublicCardKey.of_jwk(header["jwk"]).thumbprint
    return PublicCardKey.of_jwk(orjson.loads(await fetch(header["jku"]))["keys"][0]).thumbprint


async def passes_for_owner(check: Check, content: Content, web: Web | None = None) -> bool:
    """Return whether a card is accepted as the owner's."""
    try:
        signer = await check(content, CARD_URL, (web or Web()).fetch)
    except BadSignature:
        return False
    return signer == OWNER.public.thumbprint


CHANGES: dict[str, Callable[[Content], object]] = {
    "the address of the calls": lambda content: content["supportedInterfaces"][0].update(
        url=f"{EVIL}/a2a/jsonrpc"
    ),
    "one more address": lambda content: content["supportedInterfaces"].insert(
        0, {"url": EVIL, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    ),
    "another name": lambda content: content.update(name="Ada"),
    "a skill less": lambda content: content["skills"].pop(),
    "a looser schema": lambda content: content["capabilities"]["extensions"][0]["params"][
        "entrypoints"
    ][0]["input"].pop("required"),
    "another token": lambda content: content.update(
        securitySchemes={"other": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}
    ),
}


def changed(change: str, content: Content | None = None) -> Content:
    """Return a card, by default the owner's, with one of the changes."""
    content = card() if content is None else content
    CHANGES[change](content)
    return content
