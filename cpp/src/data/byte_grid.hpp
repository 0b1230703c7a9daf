// Data whose features are bytes: every value is offset + step u with u in 0..255, as in images, counts and 0/1 data.
#pragma once

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "simd/bytes.hpp"

namespace dcsvm::data {

using simd::ByteGrid;

/// The grid that holds rows idx[0..n) of x (idx null: the first n rows). Step 0 when there is none, when this CPU has no byte
/// products, when products could overflow, or when x is too sparse for them. Reads x once (twice when the first 256 sampled rows
/// mislead), or up to the 257th distinct value; the same for any number of threads. Integers get step 1, multiples of 1/255 up to
/// 1 that step; else the largest of max / 1 .. max / 255. An offset drops out of differences, so only the rbf kernel may have
/// one. With two values only, and products of bits, these are the levels 0 and 1.
ByteGrid find_byte_grid(const DataView& x, const Index* idx, Index n, bool rbf, base::ThreadPool& pool);

/// Whether x has at most 256 distinct values (the zeros of CSR not counted). Reads x once, or up to the 257th.
bool has_few_levels(const DataView& x, base::ThreadPool& pool);

}  // namespace dcsvm::data
