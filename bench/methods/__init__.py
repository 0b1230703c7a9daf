"""Reference versions of methods that the papers compare with and that no installed package has: one short file each, in NumPy.

Each has train(X, y, C, gamma, ...) -> decide: X is (n, d) float64, y is +1 or -1, and decide gives the decision values of rows.
They are written to be read and to be a fair row of a table, not for speed.
"""

METHODS = {
    "ltpu": "LTPU",
    "cvm": "Core Vector Machine",
    "aesvm": "AESVM",
    "amm": "AMM",
    "bsgd": "BSGD",
    "psvm": "PSVM",
    "svmperf": "SVMperf",
    "falkon": "Falkon",
    "eigenpro": "EigenPro",
    "ldkl": "LDKL",
}
