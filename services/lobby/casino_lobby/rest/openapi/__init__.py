"""The OpenAPI document, built from the operations."""
