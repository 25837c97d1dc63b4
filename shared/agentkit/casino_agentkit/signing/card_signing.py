"""Signed agent cards (A2A 1.0, section 8.4): ours are signed, others' signatures are checked.

A signature proves that the card, the addresses of its interfaces among it, is as the holder of a
key wrote it. Who that holder is, it does not prove: a key is known again, and nothing more.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import orjson
from a2a.types import AgentCard
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from casino_agentkit.errors import AgentError
from casino_agentkit.protocol import CARD_PATH
from casino_agentkit.signing.canonical_json import canonical_json
from casino_agentkit.signing.card_key import ALGORITHM, CardKey, PublicCardKey, decoded, encoded
from casino_agentkit.signing.own_address import is_own_address

JWKS_PATH: Final = "/.well-known/jwks.json"
_SIGNATURES: Final = "signatures"
_MOST_SIGNATURES, _MOST_KEYS = 4, 16
_MOST_VALUES: Final = 3_000
"""A card that holds more values is not checked, for that would take too long: it is unsigned."""
_MOST_CHARACTERS: Final = 4_096
"""Of a protected header, or of a signature."""

IsOwn = Callable[[str, str, tuple[str, int | None] | None], bool]
Fetch = Callable[[str], Awaitable[bytes]]
"""Returns what is at a URL; raises AgentError."""


class BadSignature(ValueError):
    """A card was changed after it was signed; the words follow "the card"."""


class CardSigner:
    """Signs the cards of a process with one key.

    `is_own` tells whether a Host header is the process's own address, given the scheme and the
    socket's address. Signed for whatever a caller writes there, a card would let everybody serve an
    agent of their own under this key.
    """

    def __init__(self, key: CardKey, is_own: IsOwn = is_own_address) -> None:
        self._key = key
        self.is_own = is_own

    @classmethod
    def kept_at(cls, path: Path | None) -> "CardSigner | None":
        """Return a signer with the key in a file, made at the first time; None without a file.

        Raises CardKeyFailed.
        """
        return None if path is None else cls(CardKey.kept_at(path))

    def jwks(self) -> bytes:
        """Return the JSON Web Key Set that is served at `JWKS_PATH`."""
        return orjson.dumps({"keys": [self._jwk() | {"use": "sig", "alg": ALGORITHM}]})

    def signed(self, content: dict[str, Any], base_url: str) -> dict[str, Any]:
        """Return a card with signatures; the key set is served at `JWKS_PATH` below `base_url`.

        There is one signature for each reading of what a signature covers, so that every verifier
        finds one that it understands.
        """
        header = {
            "alg": ALGORITHM,
            "typ": "JOSE",
            "kid": self._key.public.thumbprint,
            "jku": base_url + JWKS_PATH,
            "jwk": self._jwk(),
        }
        protected = encoded(orjson.dumps(header))
        plain = {key: value for key, value in content.items() if key != _SIGNATURES}
        payloads = dict.fromkeys((canonical_json(plain), canonical_json(_without_empty(plain))))
        return plain | {
            _SIGNATURES: [
                {
                    "protected": protected,
                    "signature": encoded(self._key.sign(_signing_input(protected, payload))),
                }
                for payload in payloads
            ]
        }

    def _jwk(self) -> dict[str, str]:
        return dict(self._key.public.jwk) | {"kid": self._key.public.thumbprint}


@dataclass(frozen=True)
class _Signature:
    """One signature of a card that can be checked, but for its key."""

    protected: str
    value: bytes
    header: dict[str, Any]


async def signer_of(content: dict[str, Any], url: str, fetch: Fetch) -> str | None:
    """Return the thumbprint of the key that signed the card at `url`; None: nobody did.

    `content` is the card as it was received, and is left as it is. The key stands in the signature
    itself (`jwk`), or in a key set on the card's own origin (`jku`); no other address is fetched.
    One good signature is enough. Signatures that cannot be checked (of another algorithm, without
    such a key, of A2A 0.3) count as none; so do those of a card that names no interface where it
    was found: anybody can put another's card on an address of their own, and change it later.
    What is empty in a card (`""`, `[]`, `{}`, null) is not protected, for the SDKs leave it out
    before they sign.
    Raises BadSignature where signatures can be checked and none fits the card.
    """
    if not _is_at_home(content, url):
        return None
    checks = [
        (signature, key)
        for signature in _checkable(content)
        if (key := await _key_of(signature, url, fetch)) is not None
    ]
    plain = {key: value for key, value in content.items() if key != _SIGNATURES}
    if not checks:
        return None
    try:
        as_served = canonical_json(plain, _MOST_VALUES)
    except ValueError:
        return None
    for payload in chain((as_served,), _other_readings(plain)):
        for signature, key in checks:
            if key.has_signed(_signing_input(signature.protected, payload), signature.value):
                return key.thumbprint
    raise BadSignature("has a signature that does not fit it: it was changed after it was signed")


def _checkable(content: dict[str, Any]) -> Iterator[_Signature]:
    """Yield the signatures whose algorithm is known here."""
    signatures = content.get(_SIGNATURES)
    if not isinstance(signatures, list):
        return
    for one in signatures[:_MOST_SIGNATURES]:
        if not isinstance(one, dict):
            continue
        protected, value = one.get("protected"), one.get("signature")
        if not isinstance(protected, str) or not isinstance(value, str):
            continue
        if max(len(protected), len(value)) > _MOST_CHARACTERS:
            continue
        try:
            header, signature = orjson.loads(decoded(protected)), decoded(value)
        except ValueError:
            continue
        # `crit` names extensions that whoever checks must know; none is known here.
        if isinstance(header, dict) and header.get("alg") == ALGORITHM and "crit" not in header:
            yield _Signature(protected, signature, header)


async def _key_of(signature: _Signature, url: str, fetch: Fetch) -> PublicCardKey | None:
    """Return the key with which a signature is to be checked; None: it cannot be had."""
    header = signature.header
    if "jwk" in header:
        return _read_key(header["jwk"])
    jku, kid = header.get("jku"), header.get("kid")
    if not isinstance(jku, str) or not isinstance(kid, str) or not _is_same_origin(jku, url):
        return None
    try:
        keys = orjson.loads(await fetch(jku))["keys"][:_MOST_KEYS]
        jwk = next(key for key in keys if key.get("kid") == kid)
    except (AgentError, ValueError, TypeError, KeyError, AttributeError, StopIteration):
        return None
    return _read_key(jwk)


def _read_key(jwk: Any) -> PublicCardKey | None:
    try:
        return PublicCardKey.of_jwk(jwk)
    except ValueError:
        return None


def _is_at_home(content: dict[str, Any], url: str) -> bool:
    """Tell whether a card names an interface below the address at which it was found."""
    base = url.removesuffix(CARD_PATH).rstrip("/")
    interfaces = content.get("supportedInterfaces")
    return isinstance(interfaces, list) and any(
        isinstance(one, dict) and f"{one.get('url')}/".startswith(f"{base}/") for one in interfaces
    )


def _is_same_origin(one: str, other: str) -> bool:
    """Tell whether two URLs are spelled with the same scheme, host and port."""
    try:
        first, second = urlsplit(one), urlsplit(other)
    except ValueError:
        return False
    return (first.scheme, first.netloc.lower()) == (second.scheme, second.netloc.lower())


def _other_readings(plain: dict[str, Any]) -> Iterator[bytes]:
    """Yield what a signature may cover, other than the card as it is served.

    The specification contradicts itself about values that are empty or defaults. So do those who
    follow it to the letter and the SDKs for Python and JavaScript, which drop what is empty from
    the card as protobuf has it.
    """
    yield canonical_json(_without_empty(plain))
    try:
        message = ParseDict(plain, AgentCard(), ignore_unknown_fields=True)
        yield canonical_json(_without_empty(MessageToDict(message)))
    except (ParseError, ValueError, TypeError, AttributeError):
        return


def _without_empty(value: Any) -> Any:
    """Return a JSON value without what is empty in it: null, `""`, `[]`, `{}`, at every level."""
    if isinstance(value, dict):
        kept = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if not _is_empty(item)}
    if isinstance(value, list):
        return [item for item in map(_without_empty, value) if not _is_empty(item)]
    return value


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | dict | list) and not value)


def _signing_input(protected: str, payload: bytes) -> bytes:
    return f"{protected}.{encoded(payload)}".encode()
