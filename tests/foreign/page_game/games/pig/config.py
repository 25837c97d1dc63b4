"""Configuration of the Pig game."""

from pydantic import BaseModel, Field


class PigConfig(BaseModel):
    target: int = Field(
        default=50,
        ge=10,
        le=200,
        description="Points (banked points plus secret bonus) needed to win.",
    )

    class Config:
        extra = "forbid"
