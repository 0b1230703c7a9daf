"""
Ten classes: handwritten digits three ways
==========================================

An exact SVM (one problem for each pair of classes), a least-squares SVM (one linear system for all classes), and a
model that predicts in the time of a few inner products (DC-Pred++).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from dcsvm import LSSVC, SVC, DCPredSVC

X, y = load_digits(return_X_y=True)
X = X / 16
X, X_test, y, y_test = train_test_split(X, y, random_state=0)
models = {
    "SVC": SVC(C=10, gamma=0.5),
    "LSSVC": LSSVC(gamma_ls=100, gamma=0.5, method="exact"),
    "DCPredSVC": DCPredSVC(C=10, gamma=0.5, n_leaves=1, n_landmarks=40),
}
for name, model in models.items():
    print(f"{name:10} {model.fit(X, y).score(X_test, y_test):.2%} right")

# %%
# The images that the exact model is wrong about are hard for people too.
predicted = models["SVC"].predict(X_test)
wrong = (predicted != y_test).nonzero()[0][:6]
figure, axes = plt.subplots(
    1, len(wrong), figsize=(1.5 * len(wrong), 1.9), layout="constrained", squeeze=False
)
for ax, i in zip(axes[0], wrong, strict=True):
    ax.imshow(X_test[i].reshape(8, 8), cmap="gray_r")
    ax.set(title=f"{y_test[i]}, not {predicted[i]}", xticks=[], yticks=[])
plt.show()
