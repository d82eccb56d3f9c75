"""Tests of the processes of workers, and of the scripts that they import."""
