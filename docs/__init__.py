"""The book, and what draws and reads its pages."""
