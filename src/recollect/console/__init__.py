"""The web console: a person looks at what is remembered, decides what waits, and mends what is wrong.

Pages are rendered here and read through the memory of whoever asks; a browser needs nothing from elsewhere.
"""

from recollect.console.app import app
from recollect.console.asking import IsAdmin, Whose

__all__ = ["IsAdmin", "Whose", "app"]
