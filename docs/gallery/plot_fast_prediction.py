"""
Accuracy against the cost of a prediction
=========================================

An exact model computes a kernel value for each of its support vectors. DC-Pred++ (Hsieh, Si, Dhillon, 2014) predicts
within a budget of inner products: ``dcsvm.cost_curve`` trains a model for each of several budgets. Here they tell the
handwritten digits 0 to 4 from 5 to 9.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dcsvm

X, digits = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(
    X / 16, digits >= 5, test_size=0.4, random_state=0
)
params = {"C": 10, "gamma": 0.5}
curve = dcsvm.cost_curve(X, y, X_test, y_test, **params)
exact = dcsvm.train(X, y, **params)

# %%
# The cost is counted in predictions of a linear model; the exact model's is about its number of support vectors.
display = dcsvm.plotting.cost(curve)
accuracy = (exact.predict(X_test) == y_test).mean()
display.ax_.axhline(
    accuracy,
    color="black",
    lw=0.8,
    ls="--",
    label=f"exact model, {exact.report.n_support} support vectors",
)
display.ax_.legend()
plt.show()
