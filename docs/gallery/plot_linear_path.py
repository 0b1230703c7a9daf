"""
A path of sparse linear models
==============================

With an L1 penalty, small values of C leave most weights at 0. Here 10 of 300 features determine the classes.
``dcsvm.linear_path`` scores values of C by cross-validation, one after the other on each fold.
"""

import matplotlib.pyplot as plt
import numpy as np

import dcsvm

rng = np.random.default_rng(0)
weights = np.zeros(300)
weights[:10] = rng.choice([-1.0, 1.0], 10)
X = rng.standard_normal((4_000, 300))
y = np.where(X @ weights + rng.standard_normal(4_000) > 0, 1, -1)

values = np.geomspace(3e-3, 1, 8)
found = dcsvm.linear_path(X, y, solver="l1_logistic", C=values, cv=5)
models = [dcsvm.train_linear(X, y, solver="l1_logistic", C=C) for C in values]
kept = [np.count_nonzero(model.coef_) for model in models]

# %%
# Accuracy is best near the C that keeps the ten features; larger values keep features that carry
# noise. The black line is at ten features.
figure, left = plt.subplots(figsize=(7, 4), layout="constrained")
left.semilogx(values, found.mean_scores, "o-", color="#4c78a8")
left.set(xlabel="C", ylabel="accuracy, mean of five folds")
right = left.twinx()
right.semilogx(values, kept, "s--", color="#f58518")
right.axhline(10, color="black", lw=0.8)
right.set(ylabel="features with a weight", yscale="log")
plt.show()
