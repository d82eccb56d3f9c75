from .game import GAME as GAME
from .rules import Bid as Bid
from .rules import Bids as Bids
from .rules import Gops as Gops
from .rules import GopsPosition as GopsPosition
from .rules import Prize as Prize
from .scoreboard import Scoreboard as Scoreboard
from .wire import RubyQuiz116 as RubyQuiz116
