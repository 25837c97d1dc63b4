"""Implementation of `casino ask`: one question again."""
