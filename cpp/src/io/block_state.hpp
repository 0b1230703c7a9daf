// Where a training in blocks stands, beside its blocks: a training that was killed goes on from there.
#pragma once

#include <cstdint>
#include <string>

#include "approx/low_rank_solver.hpp"

namespace dcsvm::io {

/// Replaces the folder's checkpoint, atomically. fingerprint: of everything that the state depends on. Throws FileError.
void save_state(const std::string& folder, std::uint32_t fingerprint, const approx::BlockState& state);

/// Fills `state`, whose problems have the sizes to be expected, and returns true; false when there is no checkpoint, or a damaged
/// one, or one with another fingerprint: training starts anew then.
bool load_state(const std::string& folder, std::uint32_t fingerprint, approx::BlockState& state);

void remove_state(const std::string& folder) noexcept;

}  // namespace dcsvm::io
