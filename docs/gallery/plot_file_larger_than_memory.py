"""
Rows that do not fit into memory
================================

``train_low_rank_file`` reads a text file of any length, block by block; ``memory_mb`` limits the memory that it takes.
When a training was interrupted or killed, the same call goes on after the last block.
"""

import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt

import dcsvm

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "train.txt"
dcsvm.save_svmlight(path, *dcsvm.datasets.make_checkerboard(30_000, random_state=0))
X_test, y_test = dcsvm.datasets.make_checkerboard(5_000, random_state=1)

# A training in blocks ends with its last pass, and warns when tol was not reached.
warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
limits, accuracies, seconds = [2, 8, 64], [], []
for megabytes in limits:
    model = dcsvm.train_low_rank_file(
        path, memory_mb=megabytes, C=10, gamma=4, n_landmarks=200
    )
    accuracies.append((model.predict(X_test) == y_test).mean())
    seconds.append(sum(model.report.seconds.values()))

# %%
# A smaller limit costs time and a little accuracy: the rows are visited in blocks, ``n_passes`` times.
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
labels = [f"{m} MB" for m in limits]
left.bar(labels, accuracies, color="#4c78a8")
left.set(ylim=(0.5, 1), ylabel="accuracy on 5,000 other rows", xlabel="memory_mb")
right.bar(labels, seconds, color="#f58518")
right.set(ylabel="seconds", xlabel="memory_mb")
plt.show()
folder.cleanup()
