// What one core of this machine can do, measured when first asked: the two lines of a roofline.
#pragma once

namespace dcsvm::bench {

struct Machine {
  double flops;  ///< float multiply-adds in registers, counted as two operations, per second, with the instruction set in use
  double bytes;  ///< bytes per second that one core reads from memory (256 MB, larger than the caches)
};

const Machine& machine();

}  // namespace dcsvm::bench
