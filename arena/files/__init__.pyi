from .durable import write_durably as write_durably
from .locks import lock_open_file as lock_open_file
from .opening import open_private as open_private
from .opening import open_without_waiting as open_without_waiting
from .opening import read_text as read_text
from .toml_files import read_toml as read_toml
