"""`python -m recollect`: the command line."""

from recollect.cli import main

main()
