"""Which addresses may be called, and how they are spelled, without I/O."""

from typing import Any

import pytest
from casino_agentkit import InvalidSettings, OutgoingPolicy, ServiceSettings, policy_of
from casino_agentkit.client.outgoing import (
    NOT_FOR_HTTP,
    AddressClass,
    CallAddresses,
    Origin,
    class_of,
    is_same_origin,
    origin_of,
    same_origin_key,
)

OUTSIDE = OutgoingPolicy(frozenset({"public", "private"}))


class TestSpelling:
    @pytest.mark.parametrize(
        ("url", "origin"),
        [
            ("http://127.0.0.1", ("http", "127.0.0.1", 80)),
            ("HTTPS://Bot.Example/card?x=1#y", ("https", "bot.example", 443)),
            ("http://my_bot-1:4101/", ("http", "my_bot-1", 4101)),
            ("http://[::0001]:80/a", ("http", "::1", 80)),
            ("http://localhost:1/ü", ("http", "localhost", 1)),
            ("http://xn--bcher-kva.example", ("http", "xn--bcher-kva.example", 80)),
            ("http://1and1.example", ("http", "1and1.example", 80)),
        ],
    )
    def test_plain_addresses_are_read(self, url: str, origin: tuple[str, str, int]) -> None:
        assert origin_of(url) == origin

    @pytest.mark.parametrize(
        "url",
        [
            "", "nothing", "/path", "ftp://a/", "file:///etc/passwd", "gopher://a:70/", "http:a",
            "http:/a", "http://", "http:///a", "http://:80/", "http://a:0/", "http://a:65536/",
            "http://a:123456/", "http://a:80x/", "http://a:/", "http://a: 80/", "http://user@a/",
            "http://user:pw@a/", "http://@a/", "http://a@b@c/", "http://a\\@b/", "http://a/\\b",
            "http://a b/", " http://a/", "http://a/ ", "http://a/\r\nX: y", "http://a/\x00",
            "http://a\t/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/",
            "http://127.1/", "http://0177.0.0.1/", "http://127.0.0.01/", "http://127.0.0.1./",
            "http://1.2.3.4.5/", "http://256.0.0.1/", "http://a.1/", "http://a.0x7/", "http://a./",
            "http://.a/", "http://a..b/", "http://-a/", "http://a-/", "http://ä.example/",
            "http://127\u30020\u30020\u30021/", "http://\uff11\uff12\uff17.0.0.1/",
            "http://%31%32%37.0.0.1/", "http://[::1/", "http://::1/", "http://[::1%25lo]/",
            "http://[fe80::1%eth0]/", "http://[127.0.0.1]/", "http://[::ffff:7f00:1:1:1:1:1:1:1]/",
            "http://[]/", "http://" + "a" * 64 + "/", "http://" + "a." * 127 + "a/",
            "http://a/" + "x" * 5_000,
        ],
    )  # fmt: skip
    def test_other_spellings_are_refused(self, url: str) -> None:
        """User names, blanks, backslashes, numbers in other forms, dots at the end, odd ports."""
        with pytest.raises(ValueError, match="."):
            origin_of(url)


CLASSES: dict[AddressClass | None, tuple[str, ...]] = {
    "loopback": (
        "127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ),
    "private": (
        "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fc00::1",
        "fd12::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:c0a8:101::1",
    ),
    "public": (
        "8.8.8.8", "172.32.0.1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808",
    ),
    None: (
        "0.0.0.0", "0.1.2.3", "::", "169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0",
        "fec0::1", "224.0.0.1", "239.1.2.3", "ff02::1", "255.255.255.255", "240.0.0.1", "192.0.2.1",
        "198.51.100.1", "203.0.113.1", "198.18.0.1", "192.0.0.1", "100.100.100.200",
        "168.63.129.16", "fd00:ec2::254", "2001:db8::1", "2001::1", "100::1", "::127.0.0.1",
        "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::", "64:ff9b:1::7f00:1",
        "5f00::1", "no address", "",
    ),
}  # fmt: skip


class TestClasses:
    @pytest.mark.parametrize(
        ("address", "kind"),
        [(address, kind) for kind, addresses in CLASSES.items() for address in addresses],
    )
    def test_each_address_has_its_class(self, address: str, kind: AddressClass | None) -> None:
        """IPv6 forms of IPv4 are classified as the IPv4 address; None is never called."""
        assert class_of(address) == kind

    @pytest.mark.parametrize("address", [*CLASSES["loopback"], *CLASSES[None]])
    def test_a_policy_objects_to_literals(self, address: str) -> None:
        assert not OUTSIDE.admitted([address], None)
        try:
            literal = origin_of(f"http://[{address}]" if ":" in address else f"http://{address}")
        except ValueError:
            return
        if literal.is_address:
            assert OUTSIDE.objection(literal) is not None

    @pytest.mark.parametrize("port", [22, 25, 53, 6379, 5432])
    def test_ports_of_other_protocols_are_not_called(self, port: int) -> None:
        assert OutgoingPolicy().objection(Origin("http", "bot.example", port))

    def test_the_ports_of_this_casino_are_called(self) -> None:
        assert NOT_FOR_HTTP.isdisjoint([80, 443, 3000, 5000, 8000, 8080, 8443, 9000])
        assert NOT_FOR_HTTP.isdisjoint([*range(4000, 4045), *range(4046, 4190), *range(4500, 4601)])
        assert NOT_FOR_HTTP.isdisjoint(range(32_768, 65_536))

    @pytest.mark.parametrize(
        ("addresses", "before", "admitted"),
        [
            (["8.8.8.8"], None, ["8.8.8.8"]),
            (["127.0.0.1", "8.8.8.8"], None, ["8.8.8.8"]),
            (["10.0.0.1", "169.254.169.254"], None, ["10.0.0.1"]),
            (["127.0.0.1"], None, []),
            (["10.0.0.1"], "public", []),
            (["10.0.0.1"], "private", ["10.0.0.1"]),
            (["8.8.8.8"], "private", ["8.8.8.8"]),
            ([], None, []),
        ],
    )
    def test_a_name_is_as_public_as_its_most_public_address(
        self, addresses: list[str], before: AddressClass | None, admitted: list[str]
    ) -> None:
        """Addresses of another class than before are not connected."""
        assert OUTSIDE.admitted(addresses, before) == admitted


class TestKeys:
    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1:4500/tables/1", "http://localhost:4500/tables/1",
            "HTTP://LOCALHOST:4500/tables/1/", "http://[::1]:4500/tables/1",
            "http://127.0.0.2:4500/tables/1", "http://[::ffff:127.0.0.1]:4500/tables/1",
            "http://me.localhost:4500/tables/1", "http://0.0.0.0:4500/tables/1",
            "http://127.0.0.1:4500//tables/./x/../1", "http://127.0.0.1:4500/%74ables/1#x",
            "http://[::]:4500/tables/1",
        ],
    )  # fmt: skip
    def test_all_spellings_of_one_address_have_one_key(self, url: str) -> None:
        assert same_origin_key(url) == "http://localhost:4500/tables/1"

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("http://Table.example/x/", "http://table.example:80/x"),
            ("https://table.example", "https://table.example:443/"),
            ("http://[2001:DB8::0:1]/", "http://[2001:db8::1]"),
        ],
    )
    def test_all_spellings_of_a_remote_address_have_one_key(self, one: str, other: str) -> None:
        assert same_origin_key(one) == same_origin_key(other)

    @pytest.mark.parametrize(
        "other",
        [
            "http://table.example:4501/x", "https://table.example:4500/x",
            "http://table.example:4500/y", "http://table.example:4500/X",
            "http://tables.example:4500/x", "http://table.example:4500/x?y",
        ],
    )  # fmt: skip
    def test_different_addresses_have_different_keys(self, other: str) -> None:
        assert same_origin_key(other) != same_origin_key("http://table.example:4500/x")

    @pytest.mark.parametrize(
        "url",
        [
            "", "nothing", "http://[::1/", "http://a:99999999999/", "http://127.1:4500/tables/1",
            "http://0x7f.1:4500/tables/1", "http://2130706433:4500/tables/1",
            "http://0177.0.0.1:4500/tables/1", "http://localhost.:4500/tables/1",
            "http://u:p@127.0.0.1:4500/tables/1", " http://127.0.0.1:4500/tables/1 ",
            "http://Table.example./x/",
        ],
    )  # fmt: skip
    def test_what_is_never_called_is_its_own_key(self, url: str) -> None:
        """No call reaches another agent's address in such a spelling."""
        assert same_origin_key(url) == url
        with pytest.raises(ValueError, match="."):
            origin_of(url)

    def test_an_origin_is_scheme_host_and_port(self) -> None:
        """Loopback has one origin under each of its names."""
        assert is_same_origin("http://127.0.0.1:9/a", "http://localhost:9/b")
        assert not is_same_origin("http://127.0.0.1:9/a", "http://localhost:8/a")
        with pytest.raises(ValueError, match="user name"):
            is_same_origin("http://a/", "http://u@a/")


class TestSetting:
    @pytest.mark.parametrize(
        ("listens_on", "own", "classes"),
        [
            ("127.0.0.1", (), {"public", "private", "loopback"}),
            ("localhost", (), {"public", "private", "loopback"}),
            ("::1", (), {"public", "private", "loopback"}),
            ("0.0.0.0", (), {"public", "private"}),
            ("::", (), {"public", "private"}),
            ("192.168.1.5", (None,), {"public", "private"}),
            ("0.0.0.0", ("http://lobby:4000",), {"public", "private"}),
            ("0.0.0.0", ("http://127.0.0.1:4000",), {"public", "private", "loopback"}),
        ],
    )
    def test_the_default_follows_from_where_a_process_listens(
        self, listens_on: str, own: tuple[str | None, ...], classes: set[AddressClass]
    ) -> None:
        """Loopback is allowed only to processes on loopback, or with a lobby there."""
        assert ServiceSettings(host=listens_on).outgoing(*own).classes == classes

    @pytest.mark.parametrize(
        "proxied", [{"public_url": "https://casino.example"}, {"hosts": ("casino.example",)}]
    )
    def test_a_process_behind_a_proxy_on_its_machine_calls_no_loopback(
        self, proxied: dict[str, Any]
    ) -> None:
        """Third parties make it call as they would one that listens beyond loopback."""
        assert ServiceSettings(**proxied).outgoing() == OUTSIDE

    def test_a_setting_wins(self) -> None:
        """It may allow more or less than the default."""
        assert policy_of(frozenset({"public"})).classes == {"public"}
        assert policy_of(frozenset({"loopback"}), is_reachable=True).classes == {"loopback"}
        assert OUTSIDE.also("loopback").classes == {"public", "private", "loopback"}

    def test_the_setting_is_read_from_the_environment(self) -> None:
        """Names with commas between them; the error lists the names."""

        class Settings(ServiceSettings):
            call_addresses: CallAddresses | None = None

        given = Settings.load({"CASINO_CALL_ADDRESSES": "public, private"})
        assert sorted(given.call_addresses or ()) == ["private", "public"]
        for wrong in ("everything", ",", "public private"):
            with pytest.raises(InvalidSettings, match="public, private, loopback"):
                Settings.load({"CASINO_CALL_ADDRESSES": wrong})
