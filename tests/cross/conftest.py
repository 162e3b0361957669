import os

os.environ["MPLBACKEND"] = "Agg"  # must precede the import of matplotlib
