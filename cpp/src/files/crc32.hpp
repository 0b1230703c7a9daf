// CRC-32 (ISO 3309, polynomial 0xEDB88320 reflected: the one of zip and PNG).
#pragma once

#include <cstdint>
#include <string_view>

namespace dcsvm::files {

/// crc32("123456789") is 0xCBF43926. before: the checksum of what comes in front of these bytes.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace dcsvm::files
