"""Problems that several tests share, and the real data where it is present."""

import ctypes
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dcsvm

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # LIBSVM's threads, once loaded, would spin while others compute


@pytest.fixture(autouse=True)
def peers_random_numbers():
    """LIBSVM and LIBLINEAR draw from the C library's rand(), here from the same start in every test, in any order of tests."""
    if os.name == "posix":
        ctypes.CDLL(None).srand(1)


def data_dir() -> Path:
    return Path(os.environ.get("DCSVM_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.fixture(scope="session")
def real_data():
    """real_data("pendigits.npz") -> arrays; skips where the data sets are absent."""

    def load(name):
        path = data_dir() / name
        if not path.exists():
            pytest.skip(f"real data set {path} is absent (set DCSVM_DATA)")
        with np.load(path) as arrays:
            return dict(arrays)

    return load


@pytest.fixture(scope="session")
def seen_on_terminal():
    """seen_on_terminal(command, **options of Popen) -> what its stderr showed on a terminal; POSIX only."""

    def run(command, **options):
        import pty

        leader, follower = pty.openpty()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=follower, **options) as process:
            os.close(follower)
            seen = b""
            while True:
                try:
                    part = os.read(leader, 4096)
                except OSError:  # Linux: the other end is closed
                    break
                if not part:
                    break
                seen += part
        os.close(leader)
        assert process.returncode == 0
        return seen

    return run


@pytest.fixture(scope="session")
def board():
    """A noisy checkerboard: two classes, bounded and free support vectors."""
    return dcsvm.datasets.make_checkerboard(1500, noise=0.1, random_state=1)


@pytest.fixture(scope="session")
def blobs():
    """Four overlapping classes with labels 2, 3, 5, 8."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, 800)
    centres = np.array([[0.0, 0, 0], [2, 0, 0], [0, 2, 0], [1, 1, 2]])
    return centres[codes] + rng.standard_normal((800, 3)), np.array([2, 3, 5, 8])[codes]


@pytest.fixture(scope="session")
def model(board):
    return dcsvm.train(*board, C=10, gamma=4)


@pytest.fixture(scope="session")
def early_model():
    x, y = dcsvm.datasets.make_checkerboard(4000, random_state=2)
    return dcsvm.train(x, y, C=10, gamma=4, early_level=2, sample_size=400)


@pytest.fixture(scope="session")
def sample():
    """Three classes with labels 2, -1, 5 in this order of appearance, targets for regression, and a test set."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 3, 240)
    codes[:3] = 0, 1, 2
    x = rng.standard_normal((240, 5)) + 1.5 * np.eye(3, 5)[codes]
    x[rng.random(x.shape) < 0.2] = 0
    x[0, :] = rng.standard_normal(5)
    target = np.sin(x[:, 0]) + 0.3 * x[:, 1] + 0.05 * rng.standard_normal(240)
    return {"x": x[:160], "y": np.array([2, -1, 5])[codes[:160]], "t": target[:160], "xt": x[160:], "tt": target[160:],
            "yt": np.array([2, -1, 5])[codes[160:]]}  # fmt: skip


def pytest_terminal_summary(terminalreporter) -> None:
    """Lists the tests that took more than ten seconds and have no mark that says so."""
    seconds: dict[str, float] = {}
    marked = set()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid] = seconds.get(report.nodeid, 0) + report.duration
                if {"slow", "build"} & report.keywords.keys():
                    marked.add(report.nodeid)
    late = {test: spent for test, spent in seconds.items() if spent > 10 and test not in marked}
    if late:
        terminalreporter.section("more than ten seconds: mark these tests slow, or make them faster")
        for test, spent in sorted(late.items(), key=lambda item: -item[1]):
            terminalreporter.line(f"{spent:6.1f} s  {test}")


def pytest_xdist_auto_num_workers() -> int:
    """One process more than the CPUs that this one may use: tests of workers that die, and of commands, mostly wait."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS", cpus + 1))


LONGEST = ("test_cpp.py", "test_docs.py", "test_faults.py")  # from longer to shorter


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take minutes start first, so that none of them is alone at the end: one file is the work of one process."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (order.get(item.path.name, len(order)), item.path not in slow))


def pytest_configure() -> None:
    # A shell that starts pytest in the background has it ignore Ctrl-C, and programs started from here would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
