"""Games with and without faults, for the tests of the laws."""
