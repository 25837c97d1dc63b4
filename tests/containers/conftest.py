"""What the tests of containers share: the images, built once."""

import pytest
from support.casino.docker import IMAGES, build, require_engine


@pytest.fixture(scope="session")
def images() -> dict[str, str]:
    """Build the image of every target; without an engine tests are skipped, in CI they fail."""
    require_engine()
    for target, image in IMAGES.items():
        build(target, image)
    return IMAGES
