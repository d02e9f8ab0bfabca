#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::io {

/// The whole content of a file; one that is packed with gzip is unpacked, and a UTF-8 byte order mark left out. Throws
/// InputError when the file does not exist, is a folder, cannot be read, or has more than 8 GiB; and when unpacking it
/// would take a quarter of the memory (memory_limit()), or more than 64 MiB and 200 times its packed size.
/// `stop` is asked ten times a second while nothing comes out of a pipe; when it says so, that is an InputError, too.
[[nodiscard]] std::string read_file(const std::string& path, const std::function<bool()>& stop = {});

/// What a path leads to, through symbolic links. `unknown`: a folder on the way may not be searched, or links go in
/// circles; opening the path tells which.
enum class PathKind : std::uint8_t { nothing, file, folder, other, unknown };
[[nodiscard]] PathKind kind_of(const std::string& path);

/// The open descriptor of this program that a path names: 1 of /dev/stdout, 5 of /dev/fd/5 and /proc/self/fd/5.
[[nodiscard]] std::optional<int> descriptor_of(const std::string& path);

/// Replaces a file at once: a reader of `path` finds the old content or the whole new one, even after a crash. The
/// text goes to a temporary file in the same folder, to the disk, and takes the name only then. A symbolic link stays
/// one, and a file that is write-protected is not replaced. What is not a plain file (a pipe), and what the program has
/// open already (descriptor_of()), is written to directly. Throws InputError when that fails, and leaves nothing
/// behind.
class NewFile {
 public:
  explicit NewFile(std::string path);
  /// Nothing is left of a file that was not finished.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(std::string_view text);
  /// All is written: it takes the name.
  void finish();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

/// Removes the temporary files of all NewFiles, for a program that ends at once. May be called by a signal handler.
void remove_unfinished_files();

/// The same for a text that is there already.
void write_file(const std::string& path, std::string_view text);

/// Throws InputError when a NewFile could not be made: what takes long finds out before. Touches nothing.
void check_writable(const std::string& path);

/// Where a chain of symbolic links ends, as an absolute path: what tells whether two names are of one file.
[[nodiscard]] std::string resolve(const std::string& path);

/// Makes the folder that `path` is in, and those above it; other users may not enter the folders that it makes. Throws
/// InputError when that fails.
void make_folder_of(const std::string& path);

}  // namespace heddle::io
