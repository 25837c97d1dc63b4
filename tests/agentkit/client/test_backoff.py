"""The pauses between attempts."""

import pytest
from casino_agentkit.process.background_tasks import Backoff


class TestBackoff:
    def test_each_pause_is_twice_as_long_up_to_the_slowest(self) -> None:
        backoff = Backoff(first_s=0.5, slowest_s=15.0)
        pauses = [backoff.pause_s(failures) for failures in range(1, 9)]
        assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]

    @pytest.mark.parametrize("failures", [33, 34, 1_025, 100_000])
    def test_days_of_failures_overflow_nothing(self, failures: int) -> None:
        assert Backoff(first_s=0.05, slowest_s=1.0).pause_s(failures) == 1.0

    def test_the_first_pause_is_never_longer_than_the_slowest(self) -> None:
        """Also if they are set the wrong way round."""
        assert Backoff(first_s=3.0, slowest_s=2.0).pause_s(1) == 2.0
