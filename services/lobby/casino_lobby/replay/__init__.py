"""A lobby in memory that shows the hands of a file on the page."""
