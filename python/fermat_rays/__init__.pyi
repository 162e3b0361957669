from fermat import *
from fermat import __version__ as __version__
