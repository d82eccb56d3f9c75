"""Helpers of the tests of pages: a browser, a crawler, raw requests, event streams."""
