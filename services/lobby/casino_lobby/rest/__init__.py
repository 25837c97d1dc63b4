"""The REST API: operations, parameters, handlers."""
