"""What LLSVM and LLSVM^2 refuse, and how they say it."""

import re

import numpy as np
import pytest

import dcsvm

BAD = [
    ({"C": 0}, "C must"),
    ({"kernel": "rbg"}, "kernel must"),
    ({"gamma": -1}, "gamma must"),
    ({"n_landmarks": 0}, "n_landmarks must"),
    ({"n_landmarks": 1501}, "only 1500 rows"),
    ({"landmarks": "kmean"}, "did you mean 'kmeans'"),
    ({"landmarks": "greedy", "features": "rks"}, "landmarks: greedy chooses rows"),
    ({"landmarks": "greedy", "kernel": "precomputed", "landmark_kernel": np.eye(2)}, "landmarks: greedy chooses rows"),
    ({"budget": 0}, "budget must"),
    ({"budget": "12y"}, "budget must be a number > 0 or a text such as '12x'"),
    ({"budget": "0x"}, "budget must be a number > 0 or a text such as '12x', got '0x'"),
    ({"budget": 10}, "budget must allow two landmarks: at least 13, got 10"),
    ({"budget": 50, "landmarks": np.eye(2)}, "budget chooses how many landmarks"),
    ({"landmarks": np.zeros((3, 5))}, "landmarks have 5 features"),
    ({"landmarks": [[0.0, np.nan]]}, "landmarks"),
    ({"landmark_sample": 0}, "landmark_sample must"),
    ({"landmark_iterations": -1}, "landmark_iterations must"),
    ({"landmark_kernel": np.eye(3)}, "landmark_kernel is for"),
    ({"kernel": "precomputed"}, "landmark_kernel is missing"),
    ({"kernel": "precomputed", "landmark_kernel": np.eye(3)}, "landmark_kernel must be k x k"),
    ({"features": "fourier"}, "features must"),
    ({"features": "rks", "kernel": "linear"}, "rbf kernel only"),
    ({"supervised": 1}, "supervised must"),
    ({"n_labelled": 1}, "n_labelled must"),
    ({"balance": -1}, "balance must"),
    ({"lambda_": 0}, "lambda_ must"),
    ({"lambda_": "best"}, "lambda_ must"),
    ({"unlabelled": "x"}, "unlabelled must"),
    ({"loss": "logistic"}, "loss must"),
    ({"fit_intercept": None}, "fit_intercept must"),
    ({"multi_class": "ava"}, "multi_class must"),
    ({"tol": 0}, "tol must"),
    ({"max_iter": 0}, "max_iter must"),
    ({"cache_size": 0}, "cache_size must"),
    ({"n_passes": 0}, "n_passes must"),
    ({"class_weight": {7: 1}}, "class_weight names label 7"),
    ({"sample_weight": [1]}, "sample_weight must"),
    ({"random_state": -1}, "random_state must"),
    ({"callback": 3}, "callback must"),
    ({"kernel": "poly", "degree": 1, "gamma": 1, "coef0": -50}, "not positive semi-definite"),
]


@pytest.mark.parametrize(("options", "text"), BAD, ids=[next(iter(o)) + str(i) for i, (o, _) in enumerate(BAD)])
def test_bad_parameters(board, options, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        dcsvm.train_low_rank(*board, **options)


def test_bad_data(board):
    x, y = board
    low_rank = dcsvm.train_low_rank(x, y, C=10, gamma=4, n_landmarks=150)
    with pytest.raises(TypeError, match="did you mean 'landmarks'"):
        dcsvm.train_low_rank(x, y, landmark=5)
    broken = x.copy()
    broken[7, 1] = np.nan
    with pytest.raises(ValueError, match="row 7, column 1"):
        dcsvm.train_low_rank(broken, y)
    with pytest.raises(ValueError, match="row 7, column 1"):
        low_rank.predict(broken)
    with pytest.raises(ValueError, match="one class only"):
        dcsvm.train_low_rank(x, np.ones(len(y)))
    with pytest.raises(ValueError, match="X has 3 features"):
        low_rank.predict(np.zeros((2, 3)))
    repeated = np.repeat(x[:30], 50, axis=0)
    for how in ("kmeans", "kmeans++"):
        with pytest.raises(ValueError, match="only 30 distinct rows"):
            dcsvm.train_low_rank(repeated, y, landmarks=how, n_landmarks=40)
    with pytest.raises(MemoryError, match="must hold the map"):
        dcsvm.train_low_rank(x, y, cache_size=0.01)
    with pytest.raises(TypeError, match="train_low_rank"):
        dcsvm.LowRankModel(None)
