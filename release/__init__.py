"""What makes a release: the version of all packages, and their files."""
