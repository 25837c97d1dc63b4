"""Keys, signatures and canonical JSON of signed agent cards."""
