"""The script of a fork server: `python run.py DESCRIPTOR`, which is a socket of its launcher.

A bot's script is run here, in the true `__main__`, below this single frame. By then all names that
were not there before are gone from this module. The packages of the arena are entered without their
own modules, which import what this interpreter may not have.
"""

import sys

if __name__ == "__main__":
    before = {*sys.modules}, {*sys.path_importer_cache}  # what is not imported for the fork server
    here = __file__.rpartition("/fork_server/")[0]  # arena/sandbox
    arena = here.rpartition("/")[0]
    for name, folder in (("arena", arena), ("arena.sandbox", here)):
        package = sys.modules[name] = type(sys)(name)
        package.__path__ = [folder]
    server = __import__("arena.sandbox.fork_server.server", fromlist=["ForkServer"])
    with server.ForkServer(int(sys.argv[1]), globals(), *before) as forked:
        exec(forked.take_script(), globals())
