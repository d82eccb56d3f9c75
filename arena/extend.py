"""What plugins may use beyond the faces for users: the plumbing of hosts, tournaments and pages.

The plugins that come with the arena import this module, the faces, and nothing else; import-linter
sees to it. Its names are loaded when they are used. It may change with any minor version.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("arena", __file__)
