"""Errors of the REST API: RFC 9457 problem documents, their types and their pages."""
