"""What the tests of containers share: the images, and a casino of the Compose file."""

from collections.abc import Iterator

import pytest
from support.casino.docker import IMAGES, build, require_engine

from .compose import Project, Rest, project


@pytest.fixture(scope="session")
def images() -> dict[str, str]:
    """Build the image of every target; without an engine tests are skipped, in CI they fail."""
    require_engine()
    for target, image in IMAGES.items():
        build(target, image)
    return IMAGES


@pytest.fixture(scope="session")
def casino(images: dict[str, str]) -> Iterator[Project]:
    """Start the casino of the Compose file; every test leaves it playing."""
    assert images
    with project() as started:
        started.up()
        yield started


@pytest.fixture
def rest(casino: Project) -> Iterator[Rest]:
    with casino.rest() as interface:
        yield interface
