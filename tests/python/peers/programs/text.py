"""Which package of Python's library is a piece of source from? Words, weighted by their rarity, and linear models."""

import sysconfig
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

PACKAGES = ("asyncio", "email", "encodings", "json", "logging", "unittest", "xml", "multiprocessing", "importlib", "tkinter")
texts, labels = [], []
for package in PACKAGES:
    for file in sorted((Path(sysconfig.get_path("stdlib")) / package).rglob("*.py")):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()[:1000]
        pieces = ["\n".join(lines[at : at + 25]) for at in range(0, len(lines), 25)]
        texts += pieces
        labels += [package] * len(pieces)
train, test, y_train, y_test = train_test_split(texts, labels, random_state=0)
for model in (LinearSVC(random_state=0), LogisticRegression(C=10, max_iter=1000)):
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True, min_df=2), model).fit(train, y_train)
    predicted = pipeline.predict(test)
    print(type(model).__name__, f"{accuracy_score(y_test, predicted):.2f}")
    print(predicted.tolist())
search = GridSearchCV(make_pipeline(TfidfVectorizer(), LinearSVC(random_state=0)), {"linearsvc__C": [0.1, 1, 10]}, cv=3)
print(search.fit(train, y_train).best_params_)
