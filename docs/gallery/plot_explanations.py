"""
Explanations: what each feature adds
====================================

``explain`` says what each feature adds to a decision. Left: one tumour, from the decision without any feature to the decision
of the model; the numbers add up. Right: the same for 200 tumours, a point for each.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import dcsvm

data = load_breast_cancer()
# the means of ten measurements
columns = slice(0, 10)
X, names = scale(data.data[:, columns]), data.feature_names[columns]
y = np.where(data.target == 0, "malignant", "benign")
# positive decisions: malignant
model = dcsvm.train(X, y, C=1, gamma=0.03)
values, base = model.explain(X[:200])

row = 22
order = np.argsort(-np.abs(values[row]))
ends = base + np.cumsum(values[row][order])

figure, (one, many) = plt.subplots(1, 2, figsize=(10, 4.3), layout="constrained")
one.barh(
    range(10),
    values[row][order],
    left=ends - values[row][order],
    color=np.where(values[row][order] > 0, "#e45756", "#4c78a8"),
)
one.set_yticks(range(10), [f"{names[j]} = {X[row, j]:.1f}" for j in order])
one.invert_yaxis()
one.margins(x=0.08)
one.axvline(base, color="grey", lw=0.8, ls=":")
one.axvline(0, color="black", lw=0.8)
one.set(
    title=f"from {base:.2f} to {ends[-1]:.2f}: {model.predict(X[row : row + 1])[0]}",
    xlabel="decision",
)

rng = np.random.default_rng(0)
by_size = np.argsort(np.abs(values).mean(axis=0))
for place, j in enumerate(by_size):
    jitter = place + rng.uniform(-0.3, 0.3, len(values))
    dots = many.scatter(
        values[:, j], jitter, c=X[:200, j], cmap="coolwarm", vmin=-2, vmax=2, s=6
    )
many.set_yticks(range(10), names[by_size])
many.axvline(0, color="black", lw=0.8)
many.set(title="200 tumours", xlabel="added to the decision (positive: malignant)")
figure.colorbar(dots, ax=many, label="feature, in standard deviations")
plt.show()
