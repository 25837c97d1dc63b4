"""Where the processes of `casino up` listen, and what happens to a port that is taken."""

from collections.abc import Callable, Iterator
from io import StringIO

import pytest
from casino.operator_key import FAULTS_KEY, LOBBY_KEY, OperatorKey
from casino.up.casino_plan import CasinoPlan
from casino.up.casino_ports import LAST_BASE, CasinoPorts, KeptPort, KeptPorts, Part
from casino.up.casino_run import Up
from casino.up.run_report import Report
from casino_agentkit import PortTaken
from casino_agentkit.server.serving import bind
from rich.console import Console

PARTS: tuple[Part, ...] = ("lobby", "gateway", "evaluator", "players", "tables")


@pytest.mark.parametrize(
    ("ports", "first"),
    [
        (CasinoPorts(), (4000, 4050, 4060, 4101, 4500)),
        (CasinoPorts(base=7000), (7000, 7050, 7060, 7101, 7500)),
        (CasinoPorts(base=7000, gateway=80, players=0), (7000, 80, 7060, 0, 7500)),
        (CasinoPorts(lobby=7000), (7000, 4050, 4060, 4101, 4500)),
        (CasinoPorts(lobby=0, evaluator=90), (0, 0, 90, 0, 0)),
        (CasinoPorts(base=0), (0, 0, 0, 0, 0)),
    ],
)
def test_the_first_port_of_each_part(ports: CasinoPorts, first: tuple[int, ...]) -> None:
    """Its own, else that of the base; without either the usual one."""
    assert tuple(map(ports.first, PARTS)) == first


@pytest.mark.parametrize(
    ("ports", "launched"),
    [
        (CasinoPorts(), "4500-4600"),
        (CasinoPorts(base=LAST_BASE), "65435-65535"),
        (CasinoPorts(tables=65_500), "65500-65535"),
        (CasinoPorts(tables=0), "0"),
    ],
)
def test_where_the_lobby_launches_tables(ports: CasinoPorts, launched: str) -> None:
    assert ports.launched == launched


@pytest.fixture
def taken() -> Iterator[int]:
    with bind("127.0.0.1", 0) as listener:
        yield listener.getsockname()[1]


def test_a_usual_port_that_is_taken_is_replaced_by_a_free_one(taken: int) -> None:
    """Which nobody else gets before it is released, so that the lobby can be told it."""
    kept = KeptPorts(CasinoPorts(usual=taken))
    kept.keep("lobby", 1)
    (number,) = kept.numbers("lobby")
    assert number not in {0, taken}
    assert kept.taken == [taken]
    with pytest.raises(PortTaken):
        bind("127.0.0.1", number)
    assert kept.release("lobby") == [KeptPort(number)]
    bind("127.0.0.1", number).close()


@pytest.mark.parametrize(
    ("part", "ports", "option"),
    [
        ("lobby", lambda port: CasinoPorts(lobby=port), "--port"),
        ("gateway", lambda port: CasinoPorts(gateway=port), "--gateway-port"),
        ("players", lambda port: CasinoPorts(players=port), "--players-port"),
        ("lobby", lambda port: CasinoPorts(base=port), "--port-base"),
    ],
)
def test_a_port_that_was_asked_for_is_never_replaced(
    part: Part, ports: Callable[[int], CasinoPorts], option: str, taken: int
) -> None:
    kept = KeptPorts(ports(taken))
    with pytest.raises(PortTaken) as refused:
        kept.keep(part, 1)
    assert f"{option}: 127.0.0.1:{taken} cannot be used" in str(refused.value)
    assert str(refused.value).endswith(f"; free it, or choose another {option}")
    assert kept.taken == []


def test_players_that_would_count_beyond_the_last_port() -> None:
    kept = KeptPorts(CasinoPorts(players=65_535))
    with pytest.raises(PortTaken, match="--players-port: 65536 is no port, the last one is 65535"):
        kept.keep("players", 2)
    kept.close()


async def test_nothing_starts_where_a_port_is_taken(taken: int) -> None:
    """The trouble names port and option; the ports that were kept already are free again."""
    plan = CasinoPlan(
        5,
        ("caller", "caller"),
        (),
        "7",
        exits=False,
        ports=CasinoPorts(lobby=0, gateway=taken),
        has_gateway=True,
    )
    written = StringIO()
    report = Report(as_json=False, console=Console(file=written, soft_wrap=True))
    casino = Up(plan, report, OperatorKey(LOBBY_KEY), OperatorKey(FAULTS_KEY, "sesame"))
    assert await casino.run() == 1
    assert f"--gateway-port: 127.0.0.1:{taken} cannot be used" in written.getvalue()
    assert (casino.lobby_url, casino.gateway_url, casino.opened.is_set()) == ("", "", False)
