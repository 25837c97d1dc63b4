"""Options of `casino attack`, and where it goes without asking."""

import asyncio
import json

import httpx
import pytest
from casino.attack.attack_base import Attack, Outcome, refused, run
from casino.attack.attack_target import AttackedAgent, AttackTarget
from casino.attack.attack_traffic import Traffic, is_private
from casino.attack.callback_server import CallbackServer
from casino.commands.attack import ATTACKS, GROUPS
from support.attack.sample_server import UNHURRIED, sample_server
from support.console_side import casino

NOTHING_THERE = httpx.MockTransport(lambda _request: httpx.Response(404))


class TestTheOptions:
    async def test_list_prints_the_attacks(self) -> None:
        ended = await casino("attack", "http://192.0.2.1", "--list", "--json", to=NOTHING_THERE)
        assert ended.exit_code == 0
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        assert [line["attack"] for line in lines] == [one.name for one in ATTACKS]
        assert {line["group"] for line in lines} == set(GROUPS)
        assert all(line["tries"].endswith(".") for line in lines)

    @pytest.mark.parametrize(
        "arguments",
        [
            ("http://192.0.2.1:4000",),
            ("http://127.0.0.1:4000", "--player", "http://192.0.2.1/"),
            ("http://127.0.0.1:4000", "--table", "http://192.0.2.1/"),
        ],
    )
    async def test_a_public_address_needs_confirmation(self, arguments: tuple[str, ...]) -> None:
        ended = await casino("attack", *arguments, to=NOTHING_THERE)
        assert (ended.exit_code, ended.stdout) == (2, "")
        assert "--yes-it-is-mine" in ended.stderr

    async def test_an_operator_can_confirm_a_public_address(self) -> None:
        """The address is then called; no lobby answers here."""
        ended = await casino(
            "attack", "http://192.0.2.1:4000", "--yes-it-is-mine", to=NOTHING_THERE
        )
        assert (ended.exit_code, ended.stdout) == (1, "")
        assert "is not a lobby" in ended.stderr

    async def test_an_unknown_group_is_refused(self) -> None:
        ended = await casino("attack", "--group", "magic", to=NOTHING_THERE)
        assert ended.exit_code == 2
        assert "magic is none of" in " ".join(ended.stderr.replace("│", " ").split())

    async def test_a_file_that_cannot_be_written_is_refused(self) -> None:
        """The error names option and reason before any attack."""
        ended = await casino(
            *("attack", "http://127.0.0.1:1", "--received", "/nowhere/kept"), to=NOTHING_THERE
        )
        assert (ended.exit_code, ended.stdout) == (2, "")
        message = " ".join(ended.stderr.replace("│", " ").split())
        assert "--received" in message
        assert "/nowhere/kept: No such file or directory" in message


class TestWhereItMayGo:
    @pytest.mark.parametrize(
        "address",
        [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.9",
            "192.168.7.7",
            "::1",
            "fd00::1",
            "::ffff:127.0.0.1",
        ],
    )
    async def test_local_addresses_need_no_confirmation(self, address: str) -> None:
        assert is_private("http://casino:4000", lambda _host: [address])

    @pytest.mark.parametrize(
        "addresses",
        [
            [],
            ["192.0.2.1"],
            ["169.254.169.254"],
            ["100.64.0.1"],
            ["127.0.0.1", "192.0.2.1"],
            ["2001:db8::1"],
            ["::ffff:192.0.2.1"],
            ["0.0.0.0"],
        ],
    )
    async def test_other_addresses_need_confirmation(self, addresses: list[str]) -> None:
        """Also a name with one public address, or with none."""
        assert not is_private("http://casino:4000", lambda _host: addresses)


async def test_an_attack_runs_beside_no_other_unless_both_are_slow() -> None:
    """Else it finds the connections of another, and its verdict depends on when they end."""
    beside: dict[str, set[str]] = {}
    running: set[str] = set()

    def noted(name: str, *, breaks: str = "", is_slow: bool = False) -> Attack:
        async def holds(_target: AttackTarget) -> Outcome:
            running.add(name)
            await asyncio.sleep(1)
            beside[name] = running - {name}
            await asyncio.sleep(1)
            running.remove(name)
            return refused("")

        return Attack(name, "resources", "", (), holds, breaks, is_slow)

    attacks = [
        noted("breaks", breaks="the record"),
        noted("first slow", is_slow=True),
        noted("quick"),
        noted("second slow", is_slow=True),
    ]
    results = await run(
        AttackTarget(Traffic(), AttackedAgent("the lobby", ""), _no_canary), attacks
    )
    assert [one.attack for one in results] == attacks
    assert list(beside) == ["first slow", "second slow", "quick", "breaks"]
    assert beside["quick"] == beside["breaks"] == set()
    assert beside["first slow"] == {"second slow"}


async def test_requests_that_are_given_up_leave_their_connections_to_others() -> None:
    """Also those that get a connection of another just then."""
    traffic = Traffic()
    async with sample_server(UNHURRIED) as (_, target):
        url = f"http://{target.host}:{target.port}"
        traffic.allow(url)
        for turns in range(4):
            silent = [asyncio.create_task(traffic.send("GET", f"{url}/slow")) for _ in range(128)]
            await asyncio.sleep(1)
            for one in silent[:64]:
                one.cancel()
            for _ in range(turns):
                await asyncio.sleep(0)
            for one in silent[64:]:
                one.cancel()
            await asyncio.wait(silent)
        assert (await traffic.send("GET", f"{url}/quick")).status == 200
        await traffic.close()


async def test_a_request_has_all_its_time_after_those_before_it() -> None:
    traffic, now = Traffic(), asyncio.get_running_loop().time
    async with sample_server(UNHURRIED) as (_, target):
        url = f"http://{target.host}:{target.port}"
        traffic.allow(url)
        began = now()
        silent = [traffic.send("GET", f"{url}/slow", timeout_s=1) for _ in range(130)]
        ended = await asyncio.gather(*silent, return_exceptions=True)
        assert {str(one) for one in ended} == {"no answer within 1 s"}
        assert now() - began > 2
        await traffic.close()


async def _no_canary() -> CallbackServer:
    raise AssertionError("no attack here needs one")
