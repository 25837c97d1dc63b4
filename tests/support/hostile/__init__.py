"""Files and texts as somebody writes them who wants to harm whoever reads them."""
