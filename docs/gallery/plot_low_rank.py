"""
Low rank: accuracy against landmarks
====================================

A low-rank model replaces the kernel by inner products with a few landmark points, and trains a linear SVM on them (Lan
et al., 2019). Time and memory grow with rows times landmarks; landmarks by k-means need fewer than landmarks at random.
"""

import matplotlib.pyplot as plt

import dcsvm

X, y = dcsvm.datasets.make_checkerboard(20_000, random_state=0)
X_test, y_test = dcsvm.datasets.make_checkerboard(5_000, random_state=1)
counts = [25, 50, 100, 200, 400]

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for landmarks, name in (("kmeans", "centres of k-means"), ("uniform", "random rows")):
    accuracies = []
    for k in counts:
        model = dcsvm.train_low_rank(
            X, y, C=10, gamma=4, n_landmarks=k, landmarks=landmarks
        )
        accuracies.append((model.predict(X_test) == y_test).mean())
    ax.plot(counts, accuracies, "o-", label=name)
exact = dcsvm.train(X, y, C=10, gamma=4)
ax.axhline(
    (exact.predict(X_test) == y_test).mean(),
    color="black",
    lw=0.8,
    ls="--",
    label="exact model",
)
ax.set_xscale("log")
ax.set(xlabel="landmarks", ylabel="accuracy on 5,000 other rows")
ax.set_xticks(counts, counts)
ax.set_xticks([], minor=True)
ax.legend()
plt.show()
