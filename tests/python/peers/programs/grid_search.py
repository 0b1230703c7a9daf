"""Digits: a support vector machine whose C and gamma a grid search chooses."""

from sklearn.datasets import load_digits
from sklearn.metrics import classification_report
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
grid = {"svc__C": [0.1, 1, 10, 100], "svc__gamma": [0.001, 0.01, 0.1]}
search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5)
search.fit(X_train, y_train)
print(search.best_params_)
predicted = search.predict(X_test)
print(classification_report(y_test, predicted))
print(predicted.tolist())
