from .bot import new_bot as new_bot
from .bot import opponent as opponent
from .game import new_game as new_game
from .languages import LANGUAGES as LANGUAGES
