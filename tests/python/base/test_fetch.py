"""Sets of LIBSVM's data page, from a server on this machine."""

import bz2
import contextlib
import functools
import gzip
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
        server.tags.append(self.headers.get("If-Range"))
        if server.answer is not None:
            status, headers, body = server.answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # the client may have enough of it
                self.wfile.write(body)
            return
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
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
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
    server.asked, server.tags, server.break_after, server.answer = [], [], 1 << 30, None
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


PLANTED = [
    ".ijcnn1.lock",
    "ijcnn1.bz2.part",
    "ijcnn1.bz2.part.tag",
    ".ijcnn1.unpacked",
    "ijcnn1",
    "ijcnn1.sha256",
    "ijcnn1.bz2.part ijcnn1.bz2.part.tag",
]


@pytest.mark.skipif(os.name == "nt", reason="links need rights that few users have on Windows")
@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("names", PLANTED)
def test_nothing_is_written_through_a_name_that_can_be_foreseen(page, tmp_path, names, link):
    """Whoever may write into the folder plants links to a file of the user's."""
    folder, kept = tmp_path / "shared", tmp_path / "kept"
    folder.mkdir()
    kept.write_bytes(b"what must stay")
    for name in names.split():
        link(kept, folder / name)
    if names == ".ijcnn1.lock":  # not replaced: another process might hold it
        with pytest.raises(OSError, match="delete it"):
            dcsvm.datasets.fetch_file("ijcnn1", folder=folder)
        (folder / names).unlink()
    assert dcsvm.datasets.fetch_file("ijcnn1", folder=folder).read_bytes() == TRAIN
    assert kept.read_bytes() == b"what must stay"
    made = {"ijcnn1", "ijcnn1.sha256"}
    assert not any((folder / name).is_symlink() for name in made)
    assert {p.name for p in folder.iterdir()} - set(names.split()) <= made


@pytest.mark.skipif(os.name == "nt", reason="links need rights that few users have on Windows")
def test_no_file_behind_a_link_is_sent(page, tmp_path):
    folder, secret = tmp_path / "shared", tmp_path / "secret"
    folder.mkdir()
    secret.write_text("a password")
    (folder / "heart_scale.part").write_bytes(TRAIN[:40])
    (folder / "heart_scale.part.tag").symlink_to(secret)
    assert dcsvm.datasets.fetch_file("heart_scale", folder=folder).read_bytes() == TRAIN
    assert page.tags == [None]


def test_a_lock_that_is_a_pipe(page, tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    os.mkfifo(tmp_path / ".heart_scale.lock")
    with pytest.raises(OSError, match=r"is no file.*delete it"):
        dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path)


@pytest.mark.parametrize(("name", "compress"), [("ijcnn1.bz2", bz2.compress), ("SUSY.xz", lzma.compress)])
def test_a_file_that_unpacks_to_more_than_a_set_can_have(page, tmp_path, name, compress):
    page.files[f"/binary/{name}"] = compress(bytes(24_000_000))
    with pytest.raises(OSError, match=r"cannot be unpacked \(it holds more than [\d,]+ bytes"):
        dcsvm.datasets.fetch_file(name.split(".")[0], folder=tmp_path / "here")
    assert list((tmp_path / "here").iterdir()) == []


def test_a_gzip_file_is_bounded_by_its_size_where_the_set_is_not_known(tmp_path, page):
    page.files["/a.gz"] = gzip.compress(bytes(24_000_000))
    home = os.environ["DCSVM_DATASETS_URL"]
    with pytest.raises(OSError, match="it holds more than"):
        download.local_file(f"{home}/a.gz", tmp_path)
    page.files["/a.gz"] = gzip.compress(TRAIN)
    assert download.local_file(f"{home}/a.gz", tmp_path).read_bytes() == TRAIN


def test_a_file_that_does_not_end(page, tmp_path):
    most = dcsvm.datasets.catalogue()["heart_scale"].most_bytes("train")
    for headers in ({}, {"Content-Length": str(most + 1)}):
        page.answer = (200, headers, b"1" * (most + 1))
        with pytest.raises(OSError, match=f"more than the {most:,} (bytes )?that this set can have"):
            dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path)
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) == 0
    page.answer = None
    assert dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path).read_bytes() == TRAIN


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (206, {"Content-Range": "bytes 0-9/20"}, "expected the whole file, the server answered 206 with bytes 0-9/20"),
        (206, {}, "expected the whole file, the server answered 206"),
        (204, {}, "expected the whole file, the server answered 204"),
        (416, {}, "the server answered 416"),
        (200, {"Content-Length": "many"}, "Content-Length must be a whole number, got 'many'"),
        (200, {"Content-Length": "-5"}, "Content-Length must be a whole number, got '-5'"),
        (200, {"Content-Length": "1_0"}, "Content-Length must be a whole number, got '1_0'"),
        (200, {"Content-Length": ""}, "Content-Length must be a whole number, got ''"),
        (200, {"Content-Length": "9" * 5000}, "Content-Length must be a whole number, got '9999"),
    ],
)
def test_answers_that_make_no_sense(page, tmp_path, status, headers, message):
    page.answer = (status, headers, TRAIN[:10] if status != 204 else b"")
    with pytest.raises(OSError, match=message):
        dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path)
    page.answer = None
    assert dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path).read_bytes() == TRAIN


def test_another_part_than_was_asked_for(page, tmp_path):
    page.break_after = 50
    with pytest.raises(OSError, match="call again"):
        dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path)
    page.answer = (206, {"Content-Range": "bytes 0-9/20", "Content-Length": "10"}, b"1 1:1\n1 1:")
    with pytest.raises(OSError, match="expected the file from byte 50 on, the server answered 206 with bytes 0-9/20"):
        dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path)
    page.answer, page.break_after = None, 1 << 30
    assert dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path).read_bytes() == TRAIN
    assert page.asked[-1][1] == "bytes=50-"


def test_a_tag_that_is_no_header(page, tmp_path):
    """It may have been damaged; the file is then read from its begin."""
    (tmp_path / "heart_scale.part").write_bytes(TRAIN[:40])
    for tag in (b"a\nRange: bytes=0-", b"\xff\xfe", b"", b'W/"weak"'):
        (tmp_path / "heart_scale.part.tag").write_bytes(tag)
        path = dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path)
        assert path.read_bytes() == TRAIN
        path.unlink()
    assert page.tags == [None] * 4


@pytest.mark.parametrize("note", [b"", b"one line\n", b"\xff\xfe\n\n", b"0\n1\n"])
def test_a_damaged_note(page, tmp_path, note):
    path = dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path)
    (tmp_path / "heart_scale.sha256").write_bytes(note)
    with pytest.raises(OSError, match=r"heart_scale\.sha256: expected two lines .*; delete it"):
        dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path)
    (tmp_path / "heart_scale.sha256").unlink()
    assert dcsvm.datasets.fetch_file("heart_scale", folder=tmp_path) == path


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
    monkeypatch.setenv("DCSVM_DATASETS_URL", "no address")
    with pytest.raises(OSError, match="no address/binary/heart_scale: unknown url type"):
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
