"""Understanding without a language model: rules that take only what a speaker plainly says."""

from recollect.understanding.keyless.reading import understand

__all__ = ["understand"]
