"""``patch_sklearn``: dcsvm's estimators in the place of scikit-learn's, for this process."""
