"""snapml's SVM with the rbf kernel, which it approximates by random features."""

from snapml import SupportVectorMachine

from . import _estimator


def fit(problem, settings):
    features = settings.options.get("n_components", 1000)
    model = SupportVectorMachine(
        kernel="rbf",
        gamma=problem.gamma,
        n_components=features,
        regularizer=1 / problem.C,
        n_jobs=settings.threads,
        random_state=0,
    )
    return _estimator.fit(model, problem)
