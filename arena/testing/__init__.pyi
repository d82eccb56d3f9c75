from .contract import Contract as Contract
from .harness.cases import Case as Case
from .laws.registry import LAWS as LAWS
from .laws.registry import check_law as check_law
from .laws.secret_answers import SecretAlternatives as SecretAlternatives
