from .game import GAME as GAME
from .rules import Coup as Coup
from .rules import CoupPosition as CoupPosition
from .wire import CoupLines as CoupLines
