"""Helpers of the tests of sandboxes: innocent programs, crowds of matches, small disks, other users."""
