"""Sign agent cards and verify signatures of cards (A2A 1.0, section 8.4).

A signature proves that the card, including the addresses of its interfaces, was not changed since
the holder of the key signed it. It does not prove who the holder is; a key only identifies the same
holder again.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import orjson

from casino_agentkit.canonical_json import ALGORITHM, canonical_json, decoded, encoded
from casino_agentkit.errors import AgentError, BadSignature
from casino_agentkit.process.late_imports import import_late
from casino_agentkit.protocol import CARD_PATH

if TYPE_CHECKING:
    from casino_agentkit.card_key import CardKey, PublicCardKey


_PORTS: Final = {"http": 80, "https": 443}
_LOCALHOST: Final = "localhost"


def is_own_address(host: str, scheme: str, server: tuple[str, int | None] | None) -> bool:
    """Return whether a Host header names the socket that received the request.

    `server` is the socket's address and port. Names other than `localhost` are not accepted,
    because anybody can make a name resolve to this address.

    >>> is_own_address("192.0.2.1:4101", "http", ("192.0.2.1", 4101))
    True
    >>> is_own_address("evil.example:4101", "http", ("192.0.2.1", 4101))
    False
    """
    if server is None:
        return False
    name, port = _split(host)
    own = _address(server[0])
    if own is None or (port or _PORTS.get(scheme)) != server[1]:
        return False
    return own.is_loopback if name.lower() == _LOCALHOST else _address(name) == own


def _split(host: str) -> tuple[str, int | None]:
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host.strip("[]"), None
    return name.strip("[]"), int(port)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


JWKS_PATH: Final = "/.well-known/jwks.json"
_KEYS: Final = "casino_agentkit.card_key"
_SIGNATURES: Final = "signatures"
_MOST_SIGNATURES, _MOST_KEYS = 4, 16
_MOST_VALUES: Final = 3_000
"""A card with more values counts as unsigned, because verifying it would take too long."""
_MOST_CHARACTERS: Final = 4_096  # maximum length of a protected header, or of a signature

IsOwn = Callable[[str, str, tuple[str, int | None] | None], bool]
Fetch = Callable[[str], Awaitable[bytes]]  # returns the body at a URL; raises AgentError


class CardSigner:
    """Signs the cards of a process with one key.

    `is_own` returns whether a Host header is the process's own address, from the header, the scheme
    and the socket's address. Cards are signed only for those: otherwise a caller could choose the
    address and use the signed card for another agent.
    """

    def __init__(self, key: "CardKey", is_own: IsOwn = is_own_address) -> None:
        self._key = key
        self.is_own = is_own

    @classmethod
    def kept_at(cls, path: Path | None) -> "CardSigner | None":
        """Return a signer with the key in a file; None without a path. Raises CardKeyFailed."""
        if path is None:
            return None
        # Imported lazily: most processes do not sign cards.
        from casino_agentkit.card_key import CardKey  # noqa: PLC0415

        return cls(CardKey.kept_at(path))

    def derived_key(self, purpose: str) -> bytes:
        """Return a secret of 32 bytes that follows from the card key and a purpose."""
        return self._key.derived(purpose.encode())

    @property
    def jwk(self) -> dict[str, str]:
        """The public key as JSON Web Key."""
        return dict(self._key.public.jwk)

    def sign(self, content: bytes) -> bytes:
        """Return a signature of other content than cards: r and s, 64 bytes."""
        return self._key.sign(content)

    def sealed(self, statement: Mapping[str, Any]) -> dict[str, Any]:
        """Return a JSON object with the key and its signature, as `CardKey.sealed`."""
        return self._key.sealed(statement)

    def jwks(self) -> bytes:
        return orjson.dumps({"keys": [self._jwk() | {"use": "sig", "alg": ALGORITHM}]})

    def signed(
        self, content: dict[str, Any], base_url: str, current: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return a card with signatures; its key set is at `JWKS_PATH` below `base_url`.

        One signature covers the card as it is served, one what the SDK makes of it. `current` is
        what the card has of A2A 1.0; without it the SDK reads that from the content.
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
        read = _read_by_the_sdk(plain) if current is None else current
        payloads = dict.fromkeys((canonical_json(plain), canonical_json(_without_empty(read))))
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
        return self.jwk | {"kid": self._key.public.thumbprint}


@dataclass(frozen=True)
class _Signature:
    """One well-formed signature of a card, without its key."""

    protected: str
    value: bytes
    header: dict[str, Any]


async def signer_of(content: dict[str, Any], url: str, fetch: Fetch) -> str | None:
    """Return the thumbprint of the key that signed the card at `url`, None if unsigned.

    `content` is the card as received; it is not modified. The key is in the signature itself
    (`jwk`), or in a key set on the card's own origin (`jku`); no other URL is fetched. One valid
    signature is sufficient, of the card's canonical form or of the SDK's. Signatures that cannot be
    verified (another algorithm, no such key, A2A 0.3) are ignored. So are those of a card without
    an interface below `url`: anybody can serve a copy of another agent's card, and change it later.
    Empty values (`""`, `[]`, `{}`, null) are not protected, because the SDK removes them before
    signing.
    Raises BadSignature if signatures can be verified, but none is valid.
    """
    if not _has_own_interface(content, url):
        return None
    signatures = list(_verifiable(content))
    if signatures:
        await import_late(_KEYS)
    checks = [
        (signature, key)
        for signature in signatures
        if (key := await _key_of(signature, url, fetch)) is not None
    ]
    plain = {key: value for key, value in content.items() if key != _SIGNATURES}
    if not checks:
        return None
    try:
        payload = canonical_json(plain, _MOST_VALUES)
    except ValueError:
        return None
    signer = _signer(checks, payload)
    if signer is None:
        with suppress(ValueError, TypeError, AttributeError):  # the SDK refuses the card
            signer = _signer(checks, canonical_json(_without_empty(_read_by_the_sdk(plain))))
    if signer is not None:
        return signer
    raise BadSignature("has a signature that does not fit it: it was changed after it was signed")


def _verifiable(content: dict[str, Any]) -> Iterator[_Signature]:
    signatures = content.get(_SIGNATURES)
    if not isinstance(signatures, list):
        return
    for entry in signatures[:_MOST_SIGNATURES]:
        if not isinstance(entry, dict):
            continue
        protected, value = entry.get("protected"), entry.get("signature")
        if not isinstance(protected, str) or not isinstance(value, str):
            continue
        if max(len(protected), len(value)) > _MOST_CHARACTERS:
            continue
        try:
            header, signature = orjson.loads(decoded(protected)), decoded(value)
        except ValueError:
            continue
        # `crit` lists extensions that a verifier must support; none is supported here.
        if isinstance(header, dict) and header.get("alg") == ALGORITHM and "crit" not in header:
            yield _Signature(protected, signature, header)


async def _key_of(signature: _Signature, url: str, fetch: Fetch) -> "PublicCardKey | None":
    """Return the key to verify a signature with, None if it is unavailable."""
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


def _read_key(jwk: Any) -> "PublicCardKey | None":
    # Imported lazily: most cards are not signed.
    from casino_agentkit.card_key import PublicCardKey  # noqa: PLC0415

    try:
        return PublicCardKey.of_jwk(jwk)
    except ValueError:
        return None


def _has_own_interface(content: dict[str, Any], url: str) -> bool:
    base = url.partition("?")[0].removesuffix(CARD_PATH).rstrip("/")
    interfaces = content.get("supportedInterfaces")
    return isinstance(interfaces, list) and any(
        isinstance(entry, dict) and f"{entry.get('url')}/".startswith(f"{base}/")
        for entry in interfaces
    )


def _is_same_origin(url: str, other: str) -> bool:
    """Return whether two URLs have the same spelling of scheme, host and port."""
    try:
        first, second = urlsplit(url), urlsplit(other)
    except ValueError:
        return False
    return (first.scheme, first.netloc.lower()) == (second.scheme, second.netloc.lower())


def _signer(checks: Sequence[tuple[_Signature, "PublicCardKey"]], payload: bytes) -> str | None:
    for signature, key in checks:
        if key.has_signed(_signing_input(signature.protected, payload), signature.value):
            return key.thumbprint
    return None


def _read_by_the_sdk(plain: dict[str, Any]) -> dict[str, Any]:
    """Return what the SDK reads of a card. Raises ValueError, TypeError or AttributeError."""
    # Imported lazily: few cards need it.
    from a2a.types import AgentCard  # noqa: PLC0415
    from google.protobuf.json_format import MessageToDict, ParseDict, ParseError  # noqa: PLC0415

    try:
        message = ParseDict(plain, AgentCard(), ignore_unknown_fields=True)
    except ParseError as error:
        raise ValueError("is no card of A2A") from error
    read: dict[str, Any] = MessageToDict(message)
    return read


def _without_empty(value: Any) -> Any:
    """Return a JSON value without null, `""`, `[]` and `{}` at any level."""
    if isinstance(value, dict):
        items = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in items.items() if not _is_empty(item)}
    if isinstance(value, list):
        return [item for item in map(_without_empty, value) if not _is_empty(item)]
    return value


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | dict | list) and not value)


def _signing_input(protected: str, payload: bytes) -> bytes:
    return f"{protected}.{encoded(payload)}".encode()
