"""Digits: the pixels that a linear machine can do without, one after another, and how many it needs."""

from sklearn.datasets import load_digits, make_classification
from sklearn.feature_selection import RFE, RFECV
from sklearn.svm import SVC, SVR

X, y = load_digits(return_X_y=True)
rfe = RFE(estimator=SVC(kernel="linear", C=1), n_features_to_select=1, step=1)
rfe.fit(X, y)
print(rfe.ranking_.reshape(8, 8))
X, y = make_classification(n_samples=500, n_features=15, n_informative=3, n_redundant=2, n_classes=8, n_clusters_per_class=1,
                           class_sep=0.8, random_state=0)  # fmt: skip
chosen = RFECV(SVC(kernel="linear"), min_features_to_select=1, cv=5).fit(X, y)
print(chosen.n_features_, chosen.support_.tolist())
print(chosen.predict(X).tolist())
print(RFE(SVR(kernel="linear"), n_features_to_select=3).fit(X, y).support_.tolist())
