"""
From a data frame to a saved model
==================================

A table with missing values and text columns, as they come from a database: impute, encode, scale, search, evaluate,
save. Everything is one scikit-learn pipeline, so that the saved file holds every step.
"""

import pickle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from dcsvm import SVC

rng = np.random.default_rng(0)
n = 3000
table = pd.DataFrame(
    {"age": rng.integers(18, 80, n).astype(float), "income": rng.lognormal(10, 0.6, n)}
)
table["region"] = rng.choice(["north", "south", "west"], n)
wants = (table.age > 45) ^ (np.log(table.income) > 10) ^ (table.region == "west")
answer = np.where(wants ^ (rng.random(n) < 0.05), "buys", "leaves")
# one tenth of the incomes is not known
table.loc[rng.random(n) < 0.1, "income"] = np.nan

# %%
# An SVM compares rows by distances, so features need similar ranges: this is the step that matters most.
columns = make_column_transformer(
    (
        make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
        ["age", "income"],
    ),
    (OneHotEncoder(), ["region"]),
)
search = GridSearchCV(
    make_pipeline(columns, SVC()),
    {"svc__C": [1, 10, 100], "svc__gamma": [0.1, 1, 10]},
    cv=5,
)
train_rows, test_rows, train_answer, test_answer = train_test_split(
    table, answer, random_state=0
)
search.fit(train_rows, train_answer)
print(search.best_params_, f"accuracy in cross-validation {search.best_score_:.3f}")

# %%
# The test rows were not used so far; they tell what to expect.
ConfusionMatrixDisplay.from_estimator(search, test_rows, test_answer, cmap="Blues")
plt.show()

# %%
# The whole pipeline is saved and loaded with pickle (or joblib, or skops).
same = pickle.loads(pickle.dumps(search.best_estimator_))
assert (same.predict(test_rows) == search.predict(test_rows)).all()
