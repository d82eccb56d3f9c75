"""Tests of wires."""
