"""
Regression: the tube, its support vectors, and nu
=================================================

Support vector regression does not care about errors smaller than epsilon: rows inside the tube are no support vectors.
nu-SVR takes the share of support vectors and finds the tube's width by itself.
"""

import matplotlib.pyplot as plt
import numpy as np

import dcsvm

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-3, 3, 300))
y = np.sinc(x) + rng.normal(0, 0.08, x.size)
epsilon_svr = dcsvm.train(
    x[:, None], y, formulation="epsilon_svr", C=10, gamma=1, epsilon=0.15
)
nu_svr = dcsvm.train(x[:, None], y, formulation="nu_svr", C=10, gamma=1, nu=0.3)
width = -nu_svr.report.problems[0]["r"]

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
models = [
    (epsilon_svr, 0.15, "epsilon = 0.15"),
    (nu_svr, width, f"nu = 0.3 gives epsilon = {width:.3f}"),
]
for ax, (model, epsilon, name) in zip(axes, models, strict=True):
    predicted = model.predict(x[:, None])
    ax.plot(x, y, ".", color="#9aa5b1", label="rows")
    ax.plot(
        x[model.support_],
        y[model.support_],
        "o",
        mfc="none",
        mec="#e45756",
        label="support vectors",
    )
    ax.plot(x, predicted, color="black")
    ax.fill_between(
        x,
        predicted - epsilon,
        predicted + epsilon,
        color="#4c78a8",
        alpha=0.2,
        label="tube",
    )
    ax.set(title=f"{name}: {len(model.support_)} support vectors", xlabel="x")
axes[0].legend()
plt.show()
