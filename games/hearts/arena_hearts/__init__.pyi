from .game import GAME as GAME
from .rules import Hearts as Hearts
from .rules import HeartsPosition as HeartsPosition
from .wire import HeartsLines as HeartsLines
