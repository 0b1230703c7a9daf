"""python setup.py build_ext --inplace"""

from Cython.Build import cythonize
from setuptools import Extension, setup

import dcsvm

extension = Extension(
    "fast",
    ["fast.pyx"],
    language="c++",
    include_dirs=[dcsvm.get_include()],
    library_dirs=[dcsvm.get_library_dir()],
    libraries=["dcsvm"],
    extra_compile_args=["-std=c++17"],
    extra_link_args=["-pthread"],
)
setup(name="fast", ext_modules=cythonize([extension]))
