"""Compression of stored events and records: small JSON documents that resemble each other."""

from casino_compression.record_compressor import DamagedRecord, RecordCompressor

__all__ = ["DamagedRecord", "RecordCompressor"]
