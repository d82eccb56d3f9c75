"""What the laws, the fuzzer and the golden files build on: cases, replays, bad inputs, limits."""
