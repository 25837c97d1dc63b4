"""Server of the environment."""
