"""Low-rank training from files and batches: blocks, bad files, full disks, kills."""

import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest

import dcsvm


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """About 5 MB of text; the cap of the tests below is a tenth of it and less."""
    path = tmp_path_factory.mktemp("text") / "twonorm.txt"
    x, y = dcsvm.datasets.make_twonorm(12000, random_state=4)
    dcsvm.save_svmlight(path, x, y)
    return path


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dcsvm.ConvergenceWarning)
        return function(*args, **kwargs)


OPTIONS = {"C": 1, "gamma": 0.05, "n_landmarks": 30, "landmark_sample": 500}


def test_a_file_larger_than_memory(text, tmp_path):
    before = text.read_bytes()
    folder = tmp_path / "blocks"
    model = quiet(dcsvm.train_low_rank_file, text, memory_mb=1.5, cache_dir=folder, n_passes=2, **OPTIONS)
    assert model.report.n_blocks > 10
    assert text.read_bytes() == before
    assert model.report.peak_cache_bytes < 1.5 * 2**20
    x, y = dcsvm.datasets.make_twonorm(3000, random_state=5)
    assert (model.predict(x) == y).mean() > 0.96
    stored = sorted(p.name for p in folder.iterdir())
    assert "state" not in stored
    assert "index" in stored
    again = quiet(dcsvm.train_low_rank_file, text, memory_mb=1.5, cache_dir=folder, n_passes=2, keep_cache=False, **OPTIONS)
    assert np.array_equal(again.coef_, model.coef_)
    assert not folder.exists()
    whole = dcsvm.train_low_rank_file(text, memory_mb=200, keep_cache=False, **OPTIONS)  # all features fit: to tol
    assert whole.report.n_blocks == 1
    assert whole.report.stop_reason == "converged"
    assert not text.with_name(text.name + ".dcsvm-blocks").exists()


def test_batches(tmp_path):
    parts = [dcsvm.datasets.make_twonorm(2000, random_state=i) for i in range(3)]
    a = dcsvm.train_low_rank_batches((p for p in parts), **OPTIONS)
    b = dcsvm.train_low_rank_batches(parts, cache_dir=tmp_path / "b", keep_cache=True, **OPTIONS)
    assert np.array_equal(a.coef_, b.coef_)
    assert (tmp_path / "b" / "index").exists()
    with pytest.raises(ValueError, match="finished block cache"):
        dcsvm.train_low_rank_batches(parts, cache_dir=tmp_path / "b", **OPTIONS)
    for bad, message in (
        ([], "no batches"),
        ([3], "batch 0 must be a pair"),
        ([parts[0], (parts[1][0][:, :5], parts[1][1])], "batch 1 is not of the same"),
        ([parts[0], (np.full((2, 20), np.nan), [1, -1])], "batch 1"),
    ):
        with pytest.raises(ValueError, match=message):
            dcsvm.train_low_rank_batches(bad, cache_dir=tmp_path / "c", **OPTIONS)
        assert not (tmp_path / "c").exists()
    with pytest.raises(ValueError, match="keep_cache needs cache_dir"):
        dcsvm.train_low_rank_batches(parts, keep_cache=True)

    def fails():
        yield parts[0]
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        dcsvm.train_low_rank_batches(fails(), cache_dir=tmp_path / "d", **OPTIONS)
    assert not (tmp_path / "d").exists()


def test_bad_files(text, tmp_path):
    folder = tmp_path / "blocks"
    for content, message in (
        (b"", "no samples"),
        (b"1 1:2\n1 2:x\n", "bad.txt:2:5"),
        (b"1 1:1\n1 1:2\n", "one class only"),
    ):
        (tmp_path / "bad.txt").write_bytes(content)
        with pytest.raises(ValueError, match=message):
            dcsvm.train_low_rank_file(tmp_path / "bad.txt", cache_dir=folder, **OPTIONS)
        if "class" not in message:
            assert not folder.exists()
    with pytest.raises(FileNotFoundError):
        dcsvm.train_low_rank_file(tmp_path / "absent", **OPTIONS)
    copy = tmp_path / "copy.txt"
    copy.write_bytes(text.read_bytes()[:200000].rsplit(b"\n", 1)[0] + b"\n")
    blocks = tmp_path / "copy.txt.dcsvm-blocks"
    quiet(dcsvm.train_low_rank_file, copy, **OPTIONS)
    with copy.open("a") as file:
        file.write("1 1:1\n")
    with pytest.raises(ValueError, match="another state of"):
        dcsvm.train_low_rank_file(copy, **OPTIONS)
    block = blocks / "block-00000000"
    damaged = bytearray(block.read_bytes())
    damaged[2000] ^= 1
    block.write_bytes(damaged)
    with pytest.raises(ValueError, match="delete the folder"):
        dcsvm.train_low_rank_file(copy, **OPTIONS)
    for name, value in (
        ("memory_mb", 0),
        ("keep_cache", 1),
        ("n_features", 0),
        ("zero_based", 1),
        ("landmarks", np.ones((2, 2))),
    ):
        with pytest.raises(ValueError, match=name):
            dcsvm.train_low_rank_file(copy, **{name: value})
    with pytest.raises(TypeError, match="cache_size"):
        dcsvm.train_low_rank_file(copy, cache_size=3)


LIMITED = """
import resource, signal, sys, warnings, dcsvm
warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    dcsvm.train_low_rank_file(sys.argv[1], memory_mb=1.5, cache_dir=sys.argv[2], n_passes=1, gamma=0.05, n_landmarks=30,
                              landmark_sample=500)
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize(("most", "file"), [(20_000, "block-00000000"), (60_000, "state")])
def test_a_disk_without_room(text, tmp_path, most, file):
    """A limit on the size of files stands for a disk that is full while a block, or a checkpoint, is written."""
    pytest.importorskip("resource", reason="this system has no limits on files")
    folder = tmp_path / "blocks"
    done = subprocess.run([sys.executable, "-c", LIMITED, str(text), str(folder), str(most)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"{file}: cannot write: File too large" in done.stdout
    if file == "state":  # the blocks are whole and stay, and so do the checkpoints before
        assert not list(folder.glob(".*"))
        assert 0 < (folder / "state").stat().st_size <= most
        stored = (folder / "index").stat().st_mtime_ns
    else:
        assert not folder.exists()
    model = quiet(dcsvm.train_low_rank_file, text, memory_mb=1.5, cache_dir=folder, n_passes=1, **OPTIONS)
    whole = quiet(dcsvm.train_low_rank_file, text, memory_mb=1.5, cache_dir=tmp_path / "w", n_passes=1, **OPTIONS)
    x, y = dcsvm.datasets.make_twonorm(1000, random_state=5)
    assert (model.predict(x) == y).mean() > 0.95
    assert (model.report.n_iter < whole.report.n_iter) == (file == "state")  # the blocks after the last checkpoint only
    if file == "state":
        assert (folder / "index").stat().st_mtime_ns == stored


KILLED = """
import sys, warnings, dcsvm
warnings.simplefilter("ignore")
seen = 0
def stop(p):
    global seen
    if p.phase == "solve":
        seen += 1
        print(p.done, p.total, flush=True)
model = dcsvm.train_low_rank_file(sys.argv[1], memory_mb=1.5, cache_dir=sys.argv[2], n_passes=40, tol=1e-9, callback=stop,
                                  C=100, gamma=0.05, n_landmarks=30, landmark_sample=500)
"""


def test_killed_and_started_again(text, tmp_path):
    """The state after a kill is a whole one, and the second run begins after it, not at the first block."""
    folder = tmp_path / "blocks"
    command = [sys.executable, "-c", KILLED, str(text), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        for line in first.stdout:
            if int(line.split()[0]) >= 30:
                break
        first.send_signal(signal.SIGKILL)
    assert (folder / "state").exists()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as second:
        begin = int(second.stdout.readline().split()[0])
        second.send_signal(signal.SIGKILL)
    assert begin >= 29


KILLS_ITSELF = """
import os, signal, sys, warnings, dcsvm
warnings.simplefilter("ignore")
def stop(p):
    if p.phase == "solve" and p.done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
dcsvm.train_low_rank_file(sys.argv[1], memory_mb=1.5, cache_dir=sys.argv[2], n_passes=15, tol=1e-9, n_jobs=1, callback=stop,
                          C=100, gamma=0.05, n_landmarks=30, landmark_sample=500)
"""


def test_killed_and_resumed_training_ends_at_the_same_bits(text, tmp_path):
    """Rows that stay in memory between blocks decide the result, too."""
    folder = tmp_path / "blocks"
    options = {**OPTIONS, "C": 100, "n_passes": 15, "tol": 1e-9, "memory_mb": 1.5, "n_jobs": 1}
    whole = quiet(dcsvm.train_low_rank_file, text, cache_dir=tmp_path / "whole", **options)
    for block in (1, 3, 20, 60, 100):
        done = subprocess.run([sys.executable, "-c", KILLS_ITSELF, str(text), str(folder), str(block)])
        assert done.returncode == -signal.SIGKILL
        assert (folder / "state").exists()
    resumed = quiet(dcsvm.train_low_rank_file, text, cache_dir=folder, **options)
    assert np.array_equal(resumed.coef_, whole.coef_)
    assert resumed.report.violation == whole.report.violation


def test_the_cap_holds(text, tmp_path):
    """Peak memory of a process that trains on a file ten times larger than memory_mb, against one that trains on a small one."""
    code = """
import resource, sys, warnings, dcsvm
warnings.simplefilter("ignore")
dcsvm.train_low_rank_file(sys.argv[1], memory_mb=float(sys.argv[3]), cache_dir=sys.argv[2], n_passes=1, C=1, gamma=0.05,
                          n_landmarks=30, landmark_sample=500)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
    small = tmp_path / "small.txt"
    small.write_bytes(b"".join(text.read_bytes().splitlines(keepends=True)[:200]))
    peak = {}
    for name, path, cap in (("base", small, 1.5), ("large", text, 1.5)):
        done = subprocess.run(
            [sys.executable, "-c", code, str(path), str(tmp_path / name), str(cap)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        peak[name] = float(done.stdout)
    assert peak["large"] - peak["base"] < 1.5 + 4  # MB; 4: what malloc keeps of freed buffers
