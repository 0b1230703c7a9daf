"""Probabilities of classifiers that have none, or bad ones: calibrated by a sigmoid and by isotonic regression."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC, LinearSVC

X, y = make_classification(n_samples=6000, n_features=20, n_informative=5, n_redundant=5, random_state=42)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=0.5, random_state=42)
models = {
    "logistic": LogisticRegression(C=1.0),
    "linear, sigmoid": CalibratedClassifierCV(LinearSVC(random_state=0), cv=5, method="sigmoid"),
    "linear, isotonic": CalibratedClassifierCV(LinearSVC(random_state=0), cv=5, method="isotonic"),
    "kernel, sigmoid": CalibratedClassifierCV(SVC(), cv=5, ensemble=False),
}
for name, model in models.items():
    probability = model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    print(name, f"{brier_score_loss(y_test, probability):.3f}")
    print(model.predict(X_test).tolist())
