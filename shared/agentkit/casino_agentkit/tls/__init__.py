"""TLS contexts and their settings."""
