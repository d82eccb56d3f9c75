from .report import Figure as Figure
from .report import FigureReport as FigureReport
from .report import Study as Study
from .run import study_game as study_game
