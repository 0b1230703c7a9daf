// Part of ops_impl.hpp (inside its unnamed namespace): the functions of factors.hpp.

void exp_minus_one(double* z, Index n) {
  for (Index t = 0; t < n; t += kD) {
    const ExpParts x = exp_parts(load(z + t));
    store<double>(z + t, x.rest * x.scale + (x.scale - 1.0));
  }
}

// kNodes nodes at once, so that no product waits for the one before: products of the features before k go to scratch, then those
// behind k are multiplied on the way back.
template <int kNodes>
inline void add_nodes(const double* e, Index m, const double* nodes, const double* weights, double* scratch, double* out) {
  for (Index l = 0; l < kProducts; l += kD) {
    V<double> product[kNodes];
#pragma GCC unroll 4
    for (int q = 0; q < kNodes; ++q) product[q] = broadcast(1.0);
    for (Index k = 0; k < m; ++k) {
      const V<double> factor = load(e + k * kProducts + l);
#pragma GCC unroll 4
      for (int q = 0; q < kNodes; ++q) {
        store<double>(scratch + (k * kNodes + q) * kD, product[q]);
        product[q] *= factor * nodes[q] + 1.0;
      }
    }
#pragma GCC unroll 4
    for (int q = 0; q < kNodes; ++q) product[q] = broadcast(weights[q]);
    for (Index k = m - 1; k >= 0; --k) {
      const V<double> factor = load(e + k * kProducts + l);
      V<double> sum = load(out + k * kProducts + l);
#pragma GCC unroll 4
      for (int q = 0; q < kNodes; ++q) {
        sum += load(scratch + (k * kNodes + q) * kD) * product[q];
        product[q] *= factor * nodes[q] + 1.0;
      }
      store<double>(out + k * kProducts + l, sum);
    }
  }
}

void quadrature(const double* e, Index m, const double* nodes, const double* weights, Index n_nodes, double* scratch,
                double* out) {
  for (Index t = 0; t < m * kProducts; t += kD) store<double>(out + t, V<double>{});
  Index q = 0;
  for (; q + 4 <= n_nodes; q += 4) add_nodes<4>(e, m, nodes + q, weights + q, scratch, out);
  for (; q + 2 <= n_nodes; q += 2) add_nodes<2>(e, m, nodes + q, weights + q, scratch, out);
  for (; q < n_nodes; ++q) add_nodes<1>(e, m, nodes + q, weights + q, scratch, out);
  for (Index t = 0; t < m * kProducts; t += kD) store<double>(out + t, load(out + t) * load(e + t));
}
