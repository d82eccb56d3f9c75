"""The script of the starter: `python run.py DESCRIPTOR`, which is a socket of the host.

A warm script is run here, in the true `__main__`, below this single frame. By then all names that
were not there before are gone from this module.
"""

import sys

if __name__ == "__main__":
    before = {*sys.modules}, {*sys.path_importer_cache}  # what the starter itself has not imported
    with __import__("starter_server").Starter(int(sys.argv[1]), globals(), *before) as starter:
        starter.take_script()()
