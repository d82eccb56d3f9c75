"""Tests of scaffold."""
