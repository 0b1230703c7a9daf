"""The time of one row, decided alone: small programs in C++, C and Cython, compiled against the installed package, and Python."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import numpy as np

import dcsvm

LOOP = """
  double best = 1e300, sum = 0;
  for (int run = 0; run < 5; ++run) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < n; ++i) sum += PREDICT(x + i * d);
    clock_gettime(CLOCK_MONOTONIC, &b);
    const double s = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    if (s < best) best = s;
  }
  printf("%.17g %.17g\\n", best / (double)n, sum);
"""
READ = """
  const long n = atol(argv[3]);
  float* x = (float*)malloc((size_t)(n * d) * sizeof(float));
  FILE* file = fopen(argv[2], "rb");
  if (argc != 4 || file == NULL || fread(x, sizeof(float), (size_t)(n * d), file) != (size_t)(n * d)) return 1;
"""
HEAD = "#define _POSIX_C_SOURCE 200809L\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n"
CPP = f"""{HEAD}#include <dcsvm/dcsvm.hpp>
int main(int argc, char** argv) {{
  const dcsvm::DcPredModel model = dcsvm::load_as<dcsvm::DcPredModel>(argv[1]);
  dcsvm::DcPredRow row(model);
  const long d = (long)model.n_features();
  {READ}
#define PREDICT row.predict
  {LOOP}
}}
"""
C = f"""{HEAD}#include <dcsvm/dc_pred.h>
int main(int argc, char** argv) {{
  dcsvm_predictor* model = dcsvm_predictor_load(argv[1], NULL, 0);
  const long d = (long)dcsvm_predictor_features(model);
  {READ}
#define PREDICT(row) dcsvm_predictor_predict(model, row)
  {LOOP}
}}
"""
CYTHON = """# cython: language_level=3, boundscheck=False
cimport dcsvm
from time import perf_counter

def run(bytes model_bytes, const float[:, ::1] x):
    cdef dcsvm.DcPredModel model = dcsvm.dc_pred_model_from_bytes(model_bytes)
    cdef dcsvm.DcPredRow* row = new dcsvm.DcPredRow(model)
    cdef Py_ssize_t i
    cdef double total = 0
    best = 1e300
    for _ in range(5):
        start = perf_counter()
        with nogil:
            for i in range(x.shape[0]):
                total += row.predict(&x[i, 0])
        best = min(best, perf_counter() - start)
    del row
    return best / x.shape[0], total
"""


def _compile(source: Path, to: Path, *more: str) -> None:
    """`more` comes last: libraries follow what needs them."""
    cpp = source.suffix == ".cpp"
    compiler = (sysconfig.get_config_var("CXX" if cpp else "CC") or ("c++" if cpp else "cc")).split()
    standard = "-std=c++17" if cpp else "-std=c99"
    command = [*compiler, standard, "-O2", "-I", dcsvm.get_include(), str(source), "-o", str(to), *more]
    subprocess.run(command, check=True)


def print_table(model: dcsvm.DCPredModel, x: np.ndarray) -> None:
    """Prints ns a row of each door; x: float32 rows."""
    library = str(Path(dcsvm.get_cmake_dir()).parents[1] / "libdcsvm.a")
    linker = (sysconfig.get_config_var("CXX") or "c++").split()
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model.save(folder / "model")
        x.tofile(folder / "x")
        for what, source, suffix in (("C++", CPP, ".cpp"), ("C", C, ".c")):
            file = folder / f"run{suffix}"
            file.write_text(source)
            _compile(file, folder / "run.o", "-c")
            subprocess.run([*linker, str(folder / "run.o"), library, "-pthread", "-o", str(folder / "run")], check=True)
            out = subprocess.run([folder / "run", folder / "model", folder / "x", str(len(x))], check=True, capture_output=True)
            results[what] = tuple(map(float, out.stdout.split()))
        (folder / "door.pyx").write_text(CYTHON)
        subprocess.run([sys.executable, "-m", "cython", "-3", "--cplus", "door.pyx", "-o", "door.cpp"], check=True, cwd=folder)
        module = folder / ("door" + sysconfig.get_config_var("EXT_SUFFIX"))
        _compile(folder / "door.cpp", module, "-shared", "-fPIC", "-I", sysconfig.get_path("include"), library, "-pthread")
        spec = importlib.util.spec_from_file_location("door", module)
        assert spec is not None
        assert spec.loader is not None
        door = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(door)
        results["Cython"] = door.run(model.to_bytes(), x)
    rows = [row[None] for row in x[:2000]]
    start = time.perf_counter()
    total = sum(float(model.predict(row, n_jobs=1)[0]) for row in rows)
    results["Python, predict of one row"] = ((time.perf_counter() - start) / len(rows), total)
    print(f"{model!r}\n\n| door | ns a row |\n|---|---|")
    for what, (seconds, _) in results.items():
        print(f"| {what} | {1e9 * seconds:,.0f} |")
    sums = {round(total / 5) for what, (_, total) in results.items() if not what.startswith("Python")}
    assert len(sums) == 1, f"the doors disagree: {results}"
