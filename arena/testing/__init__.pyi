from .cases import Case as Case
from .contract import Contract as Contract
from .laws import LAWS as LAWS
from .laws import hold as hold
from .secrets import Secret as Secret
