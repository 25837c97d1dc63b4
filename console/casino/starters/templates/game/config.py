"""The settings, which a room gives as `gameConfig`."""

from pydantic import BaseModel, ConfigDict, Field


class MyGameConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    highest_card: int = Field(default=10, ge=5, le=100)
    hand_size: int = Field(default=3, ge=1, le=5)
