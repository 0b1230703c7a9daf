"""Programs for developers that are installed with the package: ``bench`` of the checkout."""
