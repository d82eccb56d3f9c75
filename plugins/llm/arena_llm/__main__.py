"""Runs a language model as a bot: `python -m arena_llm --model NAME`."""

from arena_llm.command import main

if __name__ == "__main__":
    main()
