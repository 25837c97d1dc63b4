"""Key pair that signs agent cards, and what their holders state: ES256, in a private file."""

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from casino_agentkit.canonical_json import canonical_json, decoded, encoded
from casino_agentkit.errors import CardKeyFailed
from casino_agentkit.fair_deal import block_root, bytes_in
from casino_agentkit.process.private_file import make_private_file, read_file

_KTY, _CRV = "EC", "P-256"
_BYTES = 32  # size of a coordinate, and of each half of a signature, in bytes
_SHA256: Final = ec.ECDSA(hashes.SHA256())


class PublicCardKey:
    """Public key that verifies signatures of cards."""

    def __init__(self, key: ec.EllipticCurvePublicKey) -> None:
        self._key = key
        numbers = key.public_numbers()
        self.jwk: Mapping[str, str] = {
            "kty": _KTY,
            "crv": _CRV,
            "x": encoded(numbers.x.to_bytes(_BYTES)),
            "y": encoded(numbers.y.to_bytes(_BYTES)),
        }
        self.thumbprint = encoded(hashlib.sha256(canonical_json(dict(self.jwk))).digest())
        """JWK thumbprint (RFC 7638): 43 characters."""

    @classmethod
    def of_jwk(cls, jwk: Any) -> "PublicCardKey":
        """Parse a JSON Web Key. Raises ValueError if it is not a P-256 key."""
        if not isinstance(jwk, dict) or (jwk.get("kty"), jwk.get("crv")) != (_KTY, _CRV):
            raise ValueError("is not a key of the curve P-256")
        point = [decoded(str(jwk.get(coordinate))) for coordinate in ("x", "y")]
        if any(len(coordinate) != _BYTES for coordinate in point):
            raise ValueError(f"has coordinates that are not {_BYTES} bytes long")
        x, y = map(int.from_bytes, point)
        numbers = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1())
        return cls(numbers.public_key())  # raises ValueError if the point is not on the curve

    def has_signed(self, content: bytes, signature: bytes) -> bool:
        """Return whether a signature (r and s, 64 bytes) of the content is valid for this key."""
        if len(signature) != 2 * _BYTES:
            return False
        halves = signature[:_BYTES], signature[_BYTES:]
        try:
            self._key.verify(encode_dss_signature(*map(int.from_bytes, halves)), content, _SHA256)
        except InvalidSignature:
            return False
        return True


class CardKey:
    """Key pair that signs cards."""

    def __init__(self, key: ec.EllipticCurvePrivateKey) -> None:
        self._key = key
        self.public = PublicCardKey(key.public_key())

    @classmethod
    def new(cls) -> "CardKey":
        """Create a key that is not stored."""
        return cls(_new())

    @classmethod
    def kept_at(cls, path: Path) -> "CardKey":
        """Return the key in a file, which one process creates if missing. Raises CardKeyFailed."""
        try:
            if not path.exists():
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                make_private_file(path, _pem(_new()))
            return cls._of_pem(read_file(path, is_private=True))
        except OSError as error:
            reason = error.strerror
            raise CardKeyFailed(f"the card key {path} cannot be created: {reason}") from error
        except ValueError as error:
            raise CardKeyFailed(f"the card key {path} {error}") from error

    @classmethod
    def _of_pem(cls, content: bytes) -> "CardKey":
        try:
            key = serialization.load_pem_private_key(content, password=None)
        except (ValueError, TypeError) as error:
            raise ValueError("holds no private key in PEM without a passphrase") from error
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
            raise ValueError("holds a key of another kind than P-256 (ES256)")
        return cls(key)

    def derived(self, purpose: bytes) -> bytes:
        secret = self._key.private_numbers().private_value.to_bytes(_BYTES)
        return hmac.digest(secret, purpose, "sha256")

    def sign(self, content: bytes) -> bytes:
        """Return the signature of a content: r and s, 64 bytes."""
        halves = decode_dss_signature(self._key.sign(content, _SHA256))
        return b"".join(half.to_bytes(_BYTES) for half in halves)

    def sealed(self, statement: Mapping[str, Any]) -> dict[str, Any]:
        """Return a JSON object with this key as `key`, and the `signature` of its `block_root`."""
        keyed = {**statement, "key": dict(self.public.jwk)}
        return {**keyed, "signature": encoded(self.sign(block_root(keyed)))}


def sealed_by(document: Mapping[str, Any]) -> str:
    """Return the thumbprint of the key that has sealed a JSON object.

    Raises ValueError, naming the field, if its key or its signature is none, or does not fit.
    """
    try:
        key = PublicCardKey.of_jwk(document.get("key"))
    except ValueError as error:
        raise ValueError(f"key: it {error}") from error
    if not key.has_signed(block_root(document), bytes_in(document, "signature")):
        raise ValueError("signature: it is none of this key and this content")
    return key.thumbprint


def _new() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
