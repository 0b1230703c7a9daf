"""Tumours: the votes of several models as the features of one more."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=42)
models = [
    ("forest", RandomForestClassifier(n_estimators=10, random_state=42)),
    ("svc", make_pipeline(StandardScaler(), SVC(gamma=0.05))),
    ("nu", make_pipeline(StandardScaler(), NuSVC(nu=0.1))),
    ("linear", make_pipeline(StandardScaler(), LinearSVC(random_state=42))),
]
stack = StackingClassifier(models, final_estimator=LogisticRegression())
print(f"{cross_val_score(stack, X_train, y_train).mean():.2f}")
stack.fit(X_train, y_train)
print(f"{stack.score(X_test, y_test):.2f}")
print(stack.predict(X_test).tolist())
