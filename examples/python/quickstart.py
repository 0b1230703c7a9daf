"""Train a model, judge it, search better parameters, save it."""

import dcsvm

X, y = dcsvm.datasets.make_checkerboard(3000, noise=0.05, random_state=0)
X_test, y_test = dcsvm.datasets.make_checkerboard(1000, random_state=1)

found = dcsvm.cross_validate(X, y, C=[1, 10, 100], gamma=[1, 4, 16], cv=3)
print(found)

model = dcsvm.train(X, y, **found.best_params)
print(model.report)
accuracy = (model.predict(X_test) == y_test).mean()
print(f"{accuracy:.1%} of the test rows are right")

model.save("board.model")
assert (dcsvm.load_model("board.model").predict(X_test) == model.predict(X_test)).all()
