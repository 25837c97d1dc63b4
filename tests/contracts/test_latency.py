"""Quantiles of latencies: their error, and what does not matter."""

from math import ceil

from casino_contracts.play_statistics import LATENCY_ERROR, LatencySketch
from hypothesis import given, settings
from hypothesis import strategies as st

LATENCIES = st.lists(st.integers(0, 7_200_000), min_size=1, max_size=60)


def sketch_of(latencies: list[int]) -> LatencySketch:
    sketch = LatencySketch()
    for latency_ms in latencies:
        sketch.add(latency_ms)
    return sketch


@settings(deadline=None)
@given(LATENCIES, st.sampled_from([0.5, 0.95, 1.0]))
def test_a_quantile_is_within_five_percent(latencies: list[int], share: float) -> None:
    """Of the decision at that place; half a millisecond is lost to whole numbers."""
    exact = sorted(latencies)[ceil(share * len(latencies)) - 1]
    measured = sketch_of(latencies).quantile(share)
    assert measured is not None
    assert abs(measured - exact) <= LATENCY_ERROR * exact + 0.5
    if exact <= 10:
        assert measured == exact


@settings(deadline=None)
@given(LATENCIES)
def test_the_order_does_not_matter(latencies: list[int]) -> None:
    sketch = sketch_of(latencies)
    assert sketch == sketch_of(latencies[::-1])
    assert sketch.total == len(latencies)


def test_it_is_bounded() -> None:
    assert len(sketch_of([*range(20_000), 2**53 - 1]).buckets) <= 171


@settings(deadline=None)
@given(LATENCIES, LATENCIES)
def test_sketches_of_parts_make_the_sketch_of_all(one: list[int], other: list[int]) -> None:
    merged = sketch_of(one)
    merged.include(sketch_of(other))
    assert merged == sketch_of(one + other)
