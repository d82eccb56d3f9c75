"""The languages in which a bot can be begun."""

LANGUAGES = {
    "python": "bot.py",
    "bash": "bot.sh",
    "perl": "bot.pl",
    "node": "bot.js",
    "ruby": "bot.rb",
    "c": "bot.c",
}
"""The file with the program, by the language."""
