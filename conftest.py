"""What is collected: examples in modules that need torch run only where it is installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["src/fairgroups/faces/network.py"]
