"""Run with python -m fairgroups.cli."""

from fairgroups.cli import main

main()
