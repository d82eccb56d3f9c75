"""The pages of tables, a module for each page."""
