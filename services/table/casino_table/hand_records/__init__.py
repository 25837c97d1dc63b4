"""The full record of a completed hand, with odds."""
