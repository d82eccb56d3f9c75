"""Sources of pages, and who may see what of them."""
