"""An authority of a test's own, and the certificates that it gives out, as files."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_A_DAY = timedelta(days=1)
_NAMES = ("localhost", "127.0.0.1", "::1")
_FOR_CERTIFICATES = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class Authority:
    """Gives out certificates; `root` is the file of the authority that clients trust."""

    def __init__(self, directory: Path, name: str = "authority") -> None:
        self._directory = directory
        self._name = _named(name)
        self._key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            self._begun(self._name, self._key.public_key(), _A_DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_FOR_CERTIFICATES, critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.root = directory / f"{name}.pem"
        self.root.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def give(
        self,
        file: str,
        names: tuple[str, ...] = _NAMES,
        *,
        passphrase: bytes | None = None,
        lasts: timedelta = _A_DAY,
    ) -> tuple[Path, Path]:
        """Write a certificate and its key; returns their files."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            self._begun(_named(names[0]), key.public_key(), lasts)
            .add_extension(x509.SubjectAlternativeName(map(_general, names)), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        cert_file, key_file = self._directory / f"{file}.crt", self._directory / f"{file}.key"
        cert_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        encryption = (
            serialization.BestAvailableEncryption(passphrase)
            if passphrase
            else serialization.NoEncryption()
        )
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
            )
        )
        key_file.chmod(0o600)
        return cert_file, key_file

    def _begun(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, lasts: timedelta
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _A_DAY)
            .not_valid_after(now + lasts)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()),
                critical=False,
            )
        )
