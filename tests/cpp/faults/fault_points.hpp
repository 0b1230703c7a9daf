// Makes one allocation, or one write to a file, of this program fail. The program's own operator new, aligned_alloc, write, fsync
// and fdatasync count while a fault is armed (fault_points.cpp); threads are counted too.
#pragma once

namespace dcsvm::test {

enum class Fault { allocation, write };

/// From now on the k-th call (from 1) of this kind fails, and calls of this kind are counted. k 0: none fails.
void arm(Fault kind, long k);
/// Nothing fails any more. Returns the calls since arm().
long disarm();
/// Blocks that operator new and aligned_alloc gave and that were not freed yet.
long live_blocks();

}  // namespace dcsvm::test
