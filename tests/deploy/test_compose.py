"""Every variable that Compose sets is a setting of its service."""

import pytest
import yaml
from support.casino.docker import ROOT
from support.deployment import interpolated, settings_of_image

SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_variable_is_a_setting(service: str) -> None:
    """A misspelt one would keep the service from starting."""
    definition = SERVICES[service]
    settings = settings_of_image(interpolated(definition["image"]))
    assert settings is not None
    for variable in definition["environment"]:
        if (service, variable) == ("keys", "CASINO_PLAYER_KEY"):
            continue  # a key of one's own of the players, whose file this service writes
        assert variable.startswith(settings.prefix)
        field = variable.removeprefix(settings.prefix).lower()
        if field.removesuffix("_file") != field:
            field = field.removesuffix("_file")
            assert settings.is_secret(field)
        assert field in settings.model_fields
