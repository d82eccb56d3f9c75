from .game import GAME as GAME
from .rules import Bs as Bs
from .rules import BsPosition as BsPosition
from .wire import BsLines as BsLines
