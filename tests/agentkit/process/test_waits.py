"""What waits is told at its begin and its end, in metrics and in readiness."""

import httpx
import pytest
from casino_agentkit import Service, Waits
from casino_contracts import Waiting, WaitReason
from structlog.testing import capture_logs


class Hours:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Hours:
    return Hours()


@pytest.fixture
def waits(clock: Hours) -> Waits:
    return Waits(clock, lambda: "2026-11-29T10:00:00.000Z")


async def get(service: Service, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(service.asgi())
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        return await client.get(path)


def test_a_wait_is_logged_once_at_its_begin_and_at_its_end(waits: Waits, clock: Hours) -> None:
    with capture_logs() as lines:
        for _ in range(3):
            waits.begin(WaitReason.DISK_FULL, "main", "/var/tables")
        clock.now += 2.5
        for _ in range(2):
            waits.end(WaitReason.DISK_FULL, "main")
    begun, ended = lines
    assert begun == {
        "event": "wait_began",
        "log_level": "error",
        "reason": "disk-full",
        "of": "main",
        "what": WaitReason.DISK_FULL.what,
        "fix": WaitReason.DISK_FULL.fix,
        "detail": "/var/tables",
    }
    assert ended == {
        "event": "wait_ended",
        "log_level": "info",
        "reason": "disk-full",
        "of": "main",
        "seconds": 2.5,
    }


def test_pauses_on_purpose_are_not_told(waits: Waits) -> None:
    with waits.during(WaitReason.PACE, "main"), waits.during(WaitReason.LEASE_OVER, "main"):
        assert [wait.reason for wait in waits.of("main")] == [WaitReason.LEASE_OVER]
        assert waits.of("other") == []
    assert waits.of("main") == []


async def test_what_stops_the_work_makes_a_service_not_ready(waits: Waits, clock: Hours) -> None:
    """The reply has the fix and no detail; the metrics count what waits, and for how long."""
    service = Service({}, waits=waits)
    waits.begin(WaitReason.PLAYERS_AWAY, "main")
    assert (await get(service, "/readyz")).status_code == 200
    waits.begin(WaitReason.DISK_FULL, "main", "/var/tables")
    waits.begin(WaitReason.DISK_FULL, "other", "/var/tables")
    clock.now += 3
    reply = await get(service, "/readyz")
    assert (reply.status_code, reply.json()["waits"]) == (
        503,
        [
            {
                "reason": "disk-full",
                "what": WaitReason.DISK_FULL.what,
                "fix": WaitReason.DISK_FULL.fix,
                "since": "2026-11-29T10:00:00.000Z",
                "count": 2,
            }
        ],
    )
    metrics = (await get(service, "/metrics")).text
    assert 'casino_waits{reason="disk-full"} 2.0' in metrics
    assert 'casino_wait_seconds_total{reason="disk-full"} 6.0' in metrics
    for key in ("main", "other"):
        waits.end(WaitReason.DISK_FULL, key)
    reply, metrics = await get(service, "/readyz"), (await get(service, "/metrics")).text
    assert (reply.status_code, "waits" in reply.json()) == (200, False)
    assert 'casino_waits{reason="disk-full"} 0.0' in metrics
    assert 'casino_wait_seconds_total{reason="disk-full"} 6.0' in metrics


def test_the_words_of_a_reason_are_those_of_the_message() -> None:
    told = Waiting.of(WaitReason.NO_TABLE, "2026-11-29T10:00:00Z", "no table of 3 is free")
    assert (told.what, told.fix) == (WaitReason.NO_TABLE.what, WaitReason.NO_TABLE.fix)
    assert told.detail == "no table of 3 is free"
    assert told.published().detail is None
    assert told.words == "no table"
