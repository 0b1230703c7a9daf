"""Sets of LIBSVM's data page, from a server on this machine."""

import bz2
import functools
import hashlib
import http.server
import lzma
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import dcsvm
from dcsvm._datasets import download

TRAIN = b"+1 1:0.5 3:2\n-1 2:1\n" * 500
TEST = b"-1 1:0.25\n" * 20


class Page(http.server.BaseHTTPRequestHandler):
    """The page's folders, with ranges as web servers have them. ``server.break_after`` bytes end an answer."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server
        server.asked.append((self.path, self.headers.get("Range")))
        content = server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        tag = f'"{hashlib.md5(content).hexdigest()}"'
        begin = 0
        if (given := self.headers.get("Range")) and self.headers.get("If-Range") == tag:
            begin = int(given.removeprefix("bytes=").rstrip("-"))
            if begin >= len(content):
                self.send_error(416)
                return
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(content) - begin))
        self.send_header("ETag", tag)
        self.end_headers()
        self.wfile.write(content[begin : begin + server.break_after])


@pytest.fixture
def page(tmp_path, monkeypatch):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.files = {
        "/binary/ijcnn1.bz2": bz2.compress(TRAIN),
        "/binary/ijcnn1.t.bz2": bz2.compress(TEST),
        "/binary/SUSY.xz": lzma.compress(TRAIN),
        "/binary/heart_scale": TRAIN,
    }
    server.asked, server.break_after = [], 1 << 30
    thread = threading.Thread(target=functools.partial(server.serve_forever, poll_interval=0.01))
    thread.start()
    monkeypatch.setenv("DCSVM_DATASETS_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("DCSVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.filterwarnings("ignore:.* rows; the data page states:UserWarning")
@pytest.mark.parametrize("name", ["ijcnn1", "SUSY", "heart_scale"])
def test_fetched_once_unpacked_and_as_wide_as_the_page_says(page, name):
    X, y = dcsvm.datasets.fetch(name)
    assert X.shape == (1000, dcsvm.datasets.catalogue()[name].n_features)
    assert y[:2].tolist() == [1, -1]
    assert (X[0, 0], X[0, 2], X[1, 1]) == (0.5, 2, 1)
    dense, _ = dcsvm.datasets.fetch(name, dense=True, download=False)
    np.testing.assert_array_equal(dense, X.toarray())
    assert len(page.asked) == 1


def test_another_number_of_rows_than_the_page_states_is_a_warning(page):
    with pytest.warns(UserWarning, match="has 20 rows; the data page states 91,701"):
        dcsvm.datasets.fetch("ijcnn1", part="test")


@pytest.mark.parametrize("name", ["heart_scale", "ijcnn1"])
def test_a_broken_download_goes_on_where_it_ended(page, name):
    page.break_after = 50
    with pytest.raises(OSError, match=r"after 50 of [\d,]+ bytes; call again|connection broke .*; call again"):
        dcsvm.datasets.fetch_file(name)
    page.break_after = 1 << 30
    path = dcsvm.datasets.fetch_file(name)
    assert path.read_bytes() == TRAIN
    assert page.asked[1][1] == "bytes=50-"
    assert sorted(p.name for p in path.parent.iterdir()) == [name, f"{name}.sha256"], "no lock is left"


def test_a_file_that_changed_meanwhile_is_read_from_its_begin(page):
    page.break_after = 50
    with pytest.raises(OSError, match="call again"):
        dcsvm.datasets.fetch_file("heart_scale")
    page.break_after, page.files["/binary/heart_scale"] = 1 << 30, TEST
    assert dcsvm.datasets.fetch_file("heart_scale").read_bytes() == TEST


def test_checksums(page):
    right = hashlib.sha256(page.files["/binary/ijcnn1.bz2"]).hexdigest()
    with pytest.raises(OSError, match="expected a file with the SHA-256 0000"):
        dcsvm.datasets.fetch_file("ijcnn1", sha256="0" * 64)
    path = dcsvm.datasets.fetch_file("ijcnn1", sha256=right)
    assert dcsvm.datasets.fetch_file("ijcnn1", sha256=right.upper()) == path
    with pytest.raises(OSError, match=f"expected the SHA-256 0000.*found {right}"):
        dcsvm.datasets.fetch_file("ijcnn1", sha256="0" * 64)
    path.write_bytes(TRAIN + b"\n")
    with pytest.raises(OSError, match="changed or damaged since it was downloaded; delete it"):
        dcsvm.datasets.fetch_file("ijcnn1")
    path.unlink()
    assert dcsvm.datasets.fetch_file("ijcnn1").read_bytes() == TRAIN


def test_what_cannot_be_fetched(page, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"no set 'ijcn1' \(did you mean 'ijcnn1'\?\)"):
        dcsvm.datasets.fetch("ijcn1")
    with pytest.raises(ValueError, match="part must be one of 'train' for 'heart_scale', got 'test'"):
        dcsvm.datasets.fetch("heart_scale", part="test")
    with pytest.raises(FileNotFoundError):
        dcsvm.datasets.fetch("heart_scale", download=False, folder=tmp_path / "empty")
    with pytest.raises(OSError, match="/binary/a1a: the server answered 404"):
        dcsvm.datasets.fetch("a1a")
    page.files["/binary/ijcnn1.bz2"] = b"no bz2 file"
    with pytest.raises(OSError, match="cannot be unpacked"):
        dcsvm.datasets.fetch("ijcnn1")
    monkeypatch.setenv("DCSVM_DATASETS_URL", "http://127.0.0.1:1")
    with pytest.raises(OSError, match="cannot be reached"):
        dcsvm.datasets.fetch("heart_scale")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match=r"cannot write here.*DCSVM_CACHE") as caught:
        dcsvm.datasets.fetch_file("a1a", folder=tmp_path / "file" / "folder")
    assert caught.value.filename == str(tmp_path / "file" / "folder")


def test_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("DCSVM_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert download.cache_folder() == tmp_path / "dcsvm"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert download.cache_folder() == tmp_path / ".cache" / "dcsvm"


def test_the_catalogue_is_consistent():
    sets = dcsvm.datasets.catalogue()
    assert {s.task for s in sets.values()} == {"binary", "multiclass", "regression"}
    for name, known in sets.items():
        assert known.name == name
        assert list(known.parts) in (["train"], ["train", "test"]), name
        assert known.address("train").startswith("https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/")
    files = [download.unpacked_name(part.file) for known in sets.values() for part in known.parts.values()]
    assert len(files) == len(set(files)), "two sets would share a file of the cache"


@pytest.mark.parametrize("name", ["a9a", "ijcnn1", "pendigits", "svmguide1", "usps"])
def test_sizes_of_sets_that_are_here(name):
    folder = Path(os.environ.get("DCSVM_DATA") or Path(__file__).parents[4] / "shared" / "data")
    if not (folder / f"{name}.npz").exists():
        pytest.skip(f"{folder / name}.npz is absent: set DCSVM_DATA")
    known = dcsvm.datasets.catalogue()[name]
    with np.load(folder / f"{name}.npz") as arrays:
        for part, stated in known.parts.items():
            assert (arrays[f"y_{part}"].shape, arrays[f"X_{part}"].shape[1]) == ((stated.rows,), known.n_features), part


def command(*args):
    return subprocess.run(
        [sys.executable, "-m", "dcsvm", "datasets", *args], capture_output=True, text=True, timeout=60, env=os.environ
    )


def test_command(page, tmp_path):
    done = command("ijcnn1")
    assert done.returncode == 0, done.stderr
    train, test = done.stdout.split()
    assert Path(train).read_bytes() == TRAIN
    assert Path(test).read_bytes() == TEST
    listed = command().stdout
    assert [line.split() for line in listed.splitlines() if line.startswith("ijcnn1 ")] == [
        ["ijcnn1", "binary", "22", "49,990", "91,701", "train", "test"]
    ]
    there = command("heart_scale", "--part", "train", "--folder", str(tmp_path / "here"))
    assert there.stdout.strip() == str(tmp_path / "here" / "heart_scale")
    wrong = command("nothing")
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("dcsvm: error: there is no set 'nothing'")
