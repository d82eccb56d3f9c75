from .bot import new_bot as new_bot
from .bot import pick_opponent as pick_opponent
from .game import new_game as new_game
from .languages import LANGUAGES as LANGUAGES
