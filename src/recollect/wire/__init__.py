"""The verbs as they travel: one table of them, how arguments and answers are written as JSON, and how errors are.

The server and its client both read it, so that neither can know a verb that the other does not.
"""
