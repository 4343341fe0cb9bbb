"""What is measured, and how: `recollect bench …`. Each benchmark is one file with a `run` that returns plain values."""
