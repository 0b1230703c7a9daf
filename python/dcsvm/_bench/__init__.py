"""Trainings of dcsvm and of its peers on the same problem, and the judge of their solutions."""
