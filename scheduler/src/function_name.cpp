// SPDX-License-Identifier: Apache-2.0
//
// function_name: the dynamic linker's answer, else the symbols of the file that is mapped there.
#include <pinion/scheduler/function_name.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace pinion::scheduler::inline PINION_MODE {
namespace {

// A file, as long as it is looked into; of no bytes where it can't be read.
class mapped_file {
 public:
  explicit mapped_file(const char* path) noexcept {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about = {};
    if (::fstat(file, &about) == 0 && about.st_size > 0) {
      const auto size = static_cast<std::size_t>(about.st_size);
      void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(at), size};
    }
    ::close(file);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }

  // So many of them; none where the file does not reach so far, or they are not aligned.
  template <class T>
  [[nodiscard]] std::span<const T> at(std::size_t offset, std::size_t count) const noexcept {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) || offset % alignof(T) != 0)
      return {};
    return {reinterpret_cast<const T*>(bytes_.data() + offset), count};
  }

 private:
  std::span<const std::byte> bytes_;
};

// The symbol of the function there; an address as the file has it.
std::string symbol_of(const char* path, ElfW(Addr) address) {
  const mapped_file file{path};
  const auto header = file.at<ElfW(Ehdr)>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto sections = file.at<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
  for (const auto& each : sections) {
    if (each.sh_type != SHT_SYMTAB || each.sh_link >= sections.size()) continue;
    const auto names = file.at<char>(sections[each.sh_link].sh_offset, sections[each.sh_link].sh_size);
    for (const auto& symbol : file.at<ElfW(Sym)>(each.sh_offset, each.sh_size / sizeof(ElfW(Sym)))) {
      constexpr unsigned type_mask = 15;
      const bool is_function = (symbol.st_info & type_mask) == STT_FUNC;
      if (!is_function || address < symbol.st_value || address - symbol.st_value >= symbol.st_size) continue;
      if (symbol.st_name >= names.size()) continue;
      const char* const name = names.data() + symbol.st_name;
      return {name, ::strnlen(name, names.size() - symbol.st_name)};
    }
  }
  return {};
}

// Of a part of a coroutine the symbol of the function. clang adds what the part does (f.resume), g++ makes a
// function with the frame for an argument of it (f(f::f.Frame*).actor).
std::string of_coroutine(std::string symbol) {
  if (const std::size_t frame = symbol.find(".Frame."); frame != std::string::npos) {
    const std::size_t begins = symbol.rfind("_Z", frame);
    if (begins != std::string::npos) return symbol.substr(begins, frame - begins);
  }
  for (const std::string_view part : {".resume", ".destroy", ".cleanup"})
    if (symbol.ends_with(part)) symbol.resize(symbol.size() - part.size());
  return symbol;
}

std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name{
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free};
  return name != nullptr ? name.get() : symbol;
}

}  // namespace

std::string function_name(const void* address) {
  Dl_info found = {};
  link_map* of = nullptr;
  std::array<char, 32> number{};
  if (::dladdr1(address, &found, reinterpret_cast<void**>(&of), RTLD_DL_LINKMAP) == 0 || of == nullptr) {
    std::snprintf(number.data(), number.size(), "%p", address);
    return number.data();
  }
  if (found.dli_sname != nullptr) return readable(of_coroutine(found.dli_sname));
  const ElfW(Addr) in_file = reinterpret_cast<std::uintptr_t>(address) - of->l_addr;
  const bool is_program = of->l_name == nullptr || *of->l_name == '\0';
  const std::string symbol = symbol_of(is_program ? "/proc/self/exe" : of->l_name, in_file);
  if (!symbol.empty()) return readable(of_coroutine(symbol));
  std::snprintf(number.data(), number.size(), "+%#zx", static_cast<std::size_t>(in_file));
  return std::string{found.dli_fname} + number.data();
}

}  // namespace pinion::scheduler::inline PINION_MODE
