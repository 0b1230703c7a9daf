"""Another thread rewrites X and y while calls read them: a wrong answer or a ValueError, never a crash or an endless call."""

import subprocess
import sys
import textwrap

CODE = textwrap.dedent("""
    import threading, warnings
    import numpy as np
    import dcsvm

    warnings.simplefilter("ignore")
    good_x, good_y = dcsvm.datasets.make_checkerboard(400)
    x, y = good_x.copy(), good_y.astype(float)
    model = dcsvm.train(x, y, C=10, gamma=4)
    calls = [
        lambda: dcsvm.train(x, y, C=10, gamma=4, n_jobs=2, max_iter=9999),
        lambda: dcsvm.train(x, y, C=10, gamma=4, early_level=1, max_iter=9999),
        lambda: dcsvm.train(x, y, formulation="epsilon_svr", kernel="linear", max_iter=9999),
        lambda: dcsvm.cross_validate(x, y, C=[1, 10], gamma=4, cv=3, max_iter=9999),
        lambda: dcsvm.train_low_rank(x, y, n_landmarks=20, gamma=4),
        lambda: dcsvm.train_dc_pred(x, y, n_leaves=4, gamma=4),
        lambda: dcsvm.train_dc_pred_ridge(x, y, n_leaves=4, gamma=4),
        lambda: dcsvm.train_ls_svm(x, y, gamma=4),
        lambda: dcsvm.train_ridge(x, y, gamma=4),
        lambda: dcsvm.train_linear(x, y),
        lambda: dcsvm.train_ldkl(x, y, depth=3, n_passes=10),
        lambda: model.decision_function(x),
    ]
    done = threading.Event()

    def rewrite():
        random = np.random.default_rng(0)
        while not done.is_set():
            kind = random.integers(20)
            if kind == 0:
                x[random.integers(len(x))] = np.nan
            elif kind == 1:
                x[:] = random.choice([1e300, np.inf, 1e-320, 1e20])
            elif kind == 2:
                x[:] = random.normal(size=x.shape) * 10.0 ** random.integers(-300, 300)
            elif kind == 3:
                y[:] = random.choice([np.nan, np.inf, 1e308])
            elif kind == 4:
                y[:] = random.integers(-9, 9, len(y))
            else:
                x[:], y[:] = good_x, good_y

    writer = threading.Thread(target=rewrite)
    writer.start()
    refused = 0
    try:
        for call in calls:
            for _ in range(6):
                try:
                    call()
                except ValueError:
                    refused += 1
    finally:
        done.set()
        writer.join()
    x[:], y[:] = good_x, good_y
    assert (model.predict(x) == dcsvm.train(x, y, C=10, gamma=4).predict(x)).all()
    print("refused", refused)
""")


def test_arrays_that_change_during_a_call():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refused ")
