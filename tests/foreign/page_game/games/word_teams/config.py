from pydantic import BaseModel, Field


class Board(BaseModel):
    words: int = Field(default=12, ge=6, le=20)


class WordTeamsConfig(BaseModel):
    board: Board = Board()
    rounds: int = Field(default=3, ge=1, le=9)

    class Config:
        extra = "forbid"
