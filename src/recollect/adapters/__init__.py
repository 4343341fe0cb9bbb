"""Recollect in the words of other libraries, one file for each; what a file needs is an extra of its own."""
