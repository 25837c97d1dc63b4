"""The key that signs cards: created once, readable by its owner only, and validated."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
from casino_agentkit.canonical_json import decoded, encoded
from casino_agentkit.card_key import CardKey, PublicCardKey
from casino_agentkit.card_signing import CardSigner
from casino_agentkit.errors import CardKeyFailed
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import given
from hypothesis import strategies as st


def thumbprint_at(path: Path) -> str:
    """Return the name of the key that a process finds or makes there."""
    return CardKey.kept_at(path).public.thumbprint


def pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey, passphrase: bytes = b"") -> bytes:
    encryption = (
        serialization.BestAvailableEncryption(passphrase)
        if passphrase
        else serialization.NoEncryption()
    )
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
    )


class TestFile:
    def test_the_key_is_made_once(self, tmp_path: Path) -> None:
        path = tmp_path / "card-key.pem"
        assert thumbprint_at(path) == thumbprint_at(path)
        assert [file.name for file in tmp_path.iterdir()] == ["card-key.pem"]

    def test_what_is_derived_follows_from_the_file_and_the_purpose(self, tmp_path: Path) -> None:
        first, again = (CardSigner.kept_at(tmp_path / "card-key.pem") for _ in range(2))
        assert first is not None
        assert again is not None
        assert first.derived_key("a") == again.derived_key("a") != again.derived_key("b")
        assert first.derived_key("a") != CardSigner(CardKey.new()).derived_key("a")

    def test_only_its_owner_can_read_it(self, tmp_path: Path) -> None:
        before = os.umask(0)
        try:
            CardKey.kept_at(tmp_path / "card-key.pem")
        finally:
            os.umask(before)
        assert (tmp_path / "card-key.pem").stat().st_mode & 0o777 == 0o600

    def test_those_that_start_together_get_the_same(self, tmp_path: Path) -> None:
        """As processes do: threads share nothing but the file here."""
        with ThreadPoolExecutor(8) as pool:
            names = set(pool.map(thumbprint_at, [tmp_path / "card-key.pem"] * 8))
        assert len(names) == 1
        assert [file.name for file in tmp_path.iterdir()] == ["card-key.pem"]

    @pytest.mark.parametrize("mode", [0o604, 0o644, 0o666, 0o620, 0o602])
    def test_a_key_that_others_can_read_is_refused(self, tmp_path: Path, mode: int) -> None:
        """It may already be known to them."""
        path = tmp_path / "card-key.pem"
        CardKey.kept_at(path)
        path.chmod(mode)
        with pytest.raises(CardKeyFailed, match=f"{path} is open to others .mode {mode:04o}"):
            CardKey.kept_at(path)

    def test_its_group_may_read_it(self, tmp_path: Path) -> None:
        path = tmp_path / "card-key.pem"
        name = thumbprint_at(path)
        path.chmod(0o440)
        assert thumbprint_at(path) == name

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (b"", "holds no private key"),
            (b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no private key"),
            (pem(ec.generate_private_key(ec.SECP256R1()), b"secret"), "without a passphrase"),
            (pem(ec.generate_private_key(ec.SECP384R1())), "another kind than P-256"),
            (pem(rsa.generate_private_key(65_537, 2048)), "another kind than P-256"),
            (b"x" * 70_000, "more than 65536 bytes"),
        ],
    )
    def test_a_file_that_is_no_key_is_refused(
        self, tmp_path: Path, content: bytes, why: str
    ) -> None:
        """The error names the file, which stays unchanged."""
        path = tmp_path / "card-key.pem"
        path.write_bytes(content)
        path.chmod(0o600)
        with pytest.raises(CardKeyFailed, match=f"{path} .*{why}"):
            CardKey.kept_at(path)
        assert path.read_bytes() == content

    def test_a_pipe_does_not_hang(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe", 0o600)
        with pytest.raises(CardKeyFailed, match="is no regular file"):
            CardKey.kept_at(tmp_path / "pipe")

    def test_its_directory_is_made(self, tmp_path: Path) -> None:
        CardKey.kept_at(tmp_path / "data" / "card-key.pem")
        assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700

    def test_a_directory_that_cannot_be_made_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        for path in (tmp_path / "file" / "key.pem", tmp_path / "file" / "data" / "key.pem"):
            with pytest.raises(CardKeyFailed, match=f"{path} cannot be created: "):
                CardKey.kept_at(path)


class TestKey:
    def test_its_name_is_the_hash_of_its_public_half(self) -> None:
        public = CardKey.new().public
        text = json.dumps(dict(public.jwk), sort_keys=True, separators=(",", ":"))
        assert decoded(public.thumbprint) == sha256(text.encode()).digest()

    def test_only_its_own_signatures_verify(self) -> None:
        key, other = CardKey.new(), CardKey.new()
        signature = key.sign(b"card")
        read = PublicCardKey.of_jwk(dict(key.public.jwk))
        assert read.thumbprint == key.public.thumbprint
        assert read.has_signed(b"card", signature)
        assert not read.has_signed(b"Card", signature)
        assert not other.public.has_signed(b"card", signature)

    @pytest.mark.parametrize("signature", [b"", bytes(64), b"\xff" * 64, bytes(63), bytes(65)])
    def test_malformed_signatures_do_not_verify(self, signature: bytes) -> None:
        assert not CardKey.new().public.has_signed(b"card", signature)

    @given(st.dictionaries(st.sampled_from(["kty", "crv", "x", "y", "d"]), st.text()) | st.text())
    def test_a_malformed_jwk_is_no_key(self, jwk: object) -> None:
        with pytest.raises(ValueError, match="."):
            PublicCardKey.of_jwk(jwk)

    def test_a_point_beside_the_curve_is_no_key(self) -> None:
        jwk = dict(CardKey.new().public.jwk) | {"y": encoded(bytes(31) + b"\x07")}
        with pytest.raises(ValueError, match="."):
            PublicCardKey.of_jwk(jwk)
