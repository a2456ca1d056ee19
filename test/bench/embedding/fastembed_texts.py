"""Embeds texts with fastembed and prints what rate.ts reads.

Arguments: folder of the model, JSON file of texts, and optionally texts of one batch and threads.
"""

import json
import sys
import time

from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType

folder, file, *settings = sys.argv[1:]
batch, threads = [int(setting) for setting in settings] or [256, None]
compared_texts = 8

TextEmbedding.add_custom_model(
    model="lectern/local",
    pooling=PoolingType.MEAN,
    normalization=True,
    sources=ModelSource(hf="lectern/local"),
    dim=384,
    model_file="model.onnx",
)
model = TextEmbedding("lectern/local", specific_model_path=folder, threads=threads, cuda=False)
with open(file) as stream:
    texts = json.load(stream)

list(model.embed(texts[:batch], batch_size=batch))
start, before = time.perf_counter(), time.process_time()
vectors = list(model.embed(texts, batch_size=batch))
seconds, cpu = time.perf_counter() - start, time.process_time() - before
compared = [[float(value) for value in vector] for vector in vectors[:compared_texts]]
json.dump({"seconds": seconds, "cpu": cpu, "vectors": compared}, sys.stdout)
