// SPDX-License-Identifier: Apache-2.0
//
// scratch_file: a file without a name, of blocks whose content is known, in the page cache.
//
//   if (!scratch_folder().refusal.empty()) …            // there is no ext4 to have it on
//   const scratch_file file{8'192};                     // so many blocks of 4 KB
//   file.word(17)                                       // what block 17 begins with
//   const scratch_file other{8'192, reached::on_device};  // reads of whole blocks, into memory that is aligned as blocks are
//
// It lies in /var/tmp, or where PINION_BENCH_FOLDER says, and that has to be ext4: a tmpfs has no page cache
// to read from, and would be measured instead.
#pragma once

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bench/program/random_numbers.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "engine.hpp"

namespace pinion::iosubmit::bench {

inline constexpr std::size_t block_bytes = 4'096;

struct folder_for_files {
  std::string path;
  std::string refusal;  ///< why nothing can be measured there
};

/// Where files are made.
inline const folder_for_files& scratch_folder() {
  static const folder_for_files found = [] {
    const char* const said = std::getenv("PINION_BENCH_FOLDER");
    folder_for_files folder{.path = said != nullptr && *said != '\0' ? said : "/var/tmp", .refusal = {}};
    struct statfs facts{};
    constexpr long ext4 = 0xef53;
    const std::string remedy = ": PINION_BENCH_FOLDER=FOLDER names one that is on ext4";
    if (::statfs(folder.path.c_str(), &facts) != 0) {
      folder.refusal =
          folder.path + " can't be asked for its file system (" + std::strerror(errno) + ")" + remedy;
    } else if (facts.f_type != ext4) {
      folder.refusal = folder.path + " is not on ext4" + remedy;
    }
    return folder;
  }();
  return found;
}

/// Where a read finds its bytes.
enum class reached : std::uint8_t { in_cache, on_device };

class scratch_file {
 public:
  /// Writes all of it, so that all is cached.
  explicit scratch_file(std::size_t blocks, reached where = reached::in_cache)
      : blocks_(blocks),
        descriptor_(sure("opening a file without a name",
                         ::open(scratch_folder().path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600))) {
    constexpr std::size_t at_once = 256;
    std::vector<std::uint64_t> some(at_once * words_each);
    for (std::size_t first = 0; first < blocks; first += at_once) {
      const std::size_t count = blocks - first < at_once ? blocks - first : at_once;
      for (std::size_t k = 0; k < count * words_each; ++k) {
        some[k] = content(first + k / words_each, k % words_each);
      }
      const std::size_t bytes = count * block_bytes;
      const auto place = static_cast<off_t>(first * block_bytes);
      if (::pwrite(descriptor_, some.data(), bytes, place) != static_cast<ssize_t>(bytes)) {
        give_up("writing a file of /var/tmp or PINION_BENCH_FOLDER", errno);
      }
    }
    if (where == reached::on_device) {
      sure("bringing a file to its device", ::fsync(descriptor_));
      sure("opening a file past the page cache", ::fcntl(descriptor_, F_SETFL, O_DIRECT));
    }
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() { ::close(descriptor_); }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  static constexpr std::size_t words_each = block_bytes / sizeof(std::uint64_t);

  /// What stands there.
  [[nodiscard]] static std::uint64_t content(std::size_t block, std::size_t word) noexcept {
    return (block * words_each + word + 1) * 0x9e37'79b9'7f4a'7c15;
  }

 private:
  std::size_t blocks_;
  int descriptor_;
};

}  // namespace pinion::iosubmit::bench
