"""The weights of recollect-rerank-v1, as data: `model.onnx` beside this file."""
