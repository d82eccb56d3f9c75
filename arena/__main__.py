"""`python -m arena`: the command, where its script is not on the path."""

from arena_command import main

if __name__ == "__main__":
    main()
