"""What we measure ourselves against, side by side in one run: `./run bench`."""
