"""The record of a completed hand, and its odds."""
