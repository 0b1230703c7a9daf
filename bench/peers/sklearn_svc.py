"""scikit-learn's SVC (and SVR and so on), and its reader of LIBSVM text."""

from sklearn.datasets import load_svmlight_file as load

from dcsvm._bench.peers import sklearn_svc as fit

__all__ = ["fit", "load"]
