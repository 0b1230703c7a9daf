"""Two clouds with noise between them: which points are outliers?"""

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

rng = np.random.RandomState(42)
inliers, _ = make_blobs(centers=[[2, 2], [-2, -2]], cluster_std=[1.5, 0.3], n_samples=5000, random_state=0)
X = StandardScaler().fit_transform(np.concatenate([inliers, rng.uniform(low=-6, high=6, size=(500, 2))]))
model = OneClassSVM(nu=0.1, kernel="rbf", gamma=0.5)
found = model.fit_predict(X)
print(found.tolist())
xx, yy = np.meshgrid(np.linspace(-3, 3, 50), np.linspace(-3, 3, 50))
print(model.predict(np.c_[xx.ravel(), yy.ravel()]).tolist())
