"""The settings classes of the services, and values of secrets for them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from casino.up.deal import DealerSettings
from casino_agentkit import ServiceSettings
from casino_evaluator.settings import EvaluatorSettings
from casino_gateway.settings import GatewaySettings
from casino_lobby.settings import LobbySettings
from casino_match.settings import MatchSettings
from casino_player_example.settings import PlayerSettings
from casino_table.settings import TableSettings

BY_IMAGE: dict[str, type[ServiceSettings]] = {
    "console": DealerSettings,
    "evaluator": EvaluatorSettings,
    "gateway": GatewaySettings,
    "lobby": LobbySettings,
    "match": MatchSettings,
    "player_example": PlayerSettings,
    "table": TableSettings,
}
"""By the last part of an image's name."""
LISTENING = {"HOST": "0.0.0.0"}
"""What the images set: their services are reached from other machines."""
DATABASE = "postgresql+asyncpg://casino:secret@database.example:5432/casino"
KEY = "a-key-of-more-than-sixteen-characters"
SECRETS = {"OPERATOR_TOKEN": KEY, "FLEET_KEY": KEY[::-1], "DATABASE_URL": DATABASE}


def settings_of_image(image: str) -> type[ServiceSettings] | None:
    """Return the settings of an image of the casino; None for an image of others."""
    name = image.partition(":")[0]
    return BY_IMAGE[name.rpartition("/")[2]] if "a2a-casino/" in name else None


def loaded(
    settings: type[ServiceSettings], environment: Mapping[str, str], folder: Path
) -> ServiceSettings:
    """Load what a container would; secrets in files are written into a folder.

    Raises InvalidSettings for a variable that is no setting, and for a value that is not accepted.
    """
    values = {settings.prefix + name: value for name, value in LISTENING.items()}
    for name, value in environment.items():
        if name.endswith("_FILE"):
            file = folder / Path(value).name
            file.write_text(KEY)
            file.chmod(0o400)
            values[name] = str(file)
        else:
            values[name] = value
    return settings.load(values)


def default(settings: type[ServiceSettings], name: str) -> Any:
    return settings.model_fields[name].default
