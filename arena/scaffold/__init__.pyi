from .new_bot import new_bot as new_bot
from .new_bot import pick_opponents as pick_opponents
from .new_game import new_game as new_game
from .template_files import LANGUAGES as LANGUAGES
from .template_files import copy_examples as copy_examples
