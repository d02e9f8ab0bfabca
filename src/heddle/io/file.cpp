#include "heddle/io/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "heddle/io/memory.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

[[noreturn]] void fail(std::string_view action, const std::string& path, std::string_view why) {
  throw InputError("cannot " + std::string(action) + " '" + path + "': " + std::string(why));
}

/// Longer files are no instances, but devices and bombs.
constexpr std::size_t kMostBytes = std::size_t{8} << 30;

/// An open file, closed at the end.
class File {
 public:
  File(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  /// What the program has open already; that stays open.
  explicit File(int descriptor) : descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (is_open()) ::close(descriptor_);
  }

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// Whether there is something to read, or the end, within a tenth of a second.
  [[nodiscard]] bool is_readable() const {
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 100) > 0;
  }
  /// The bytes read, 0 at the end, or -1 with errno.
  [[nodiscard]] ssize_t read(char* bytes, std::size_t count) const {
    ssize_t got = 0;
    do got = ::read(descriptor_, bytes, count);
    while (got < 0 && errno == EINTR);
    return got;
  }
  /// Whether everything was written; errno otherwise.
  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  /// Gives it the permissions of the file it replaces, where that is allowed.
  void set_mode(mode_t mode) const { static_cast<void>(::fchmod(descriptor_, mode)); }
  [[nodiscard]] bool sync() const { return ::fsync(descriptor_) == 0; }
  /// Some file systems report a full disk only here.
  [[nodiscard]] bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

std::string read_raw(const std::string& path, const std::function<bool()>& stop) {
  // A pipe that is opened so waits for its other end when it is read.
  const File file(path, stop ? O_RDONLY | O_NONBLOCK : O_RDONLY);
  if (!file.is_open()) fail("read", path, std::strerror(errno));
  std::string content;
  std::string chunk(std::size_t{1} << 18, '\0');
  while (true) {
    while (stop && !file.is_readable()) {
      if (stop()) fail("read", path, std::strerror(EINTR));
    }
    const ssize_t got = file.read(chunk.data(), chunk.size());
    if (got < 0 && errno == EAGAIN) continue;
    if (got < 0) fail("read", path, std::strerror(errno));
    if (got == 0) return content;
    content.append(chunk, 0, static_cast<std::size_t>(got));
    if (content.size() > kMostBytes) fail("read", path, "it is larger than 8 GiB");
  }
}

bool is_packed(std::string_view content) {
  return content.starts_with("\x1F\x8B");
}

/// zlib's state, freed at the end.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzip = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzip) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

/// How many bytes a file may unpack to. Recordings pack to a tenth, long runs of one byte to a thousandth.
std::size_t most_unpacked(std::size_t packed) {
  constexpr std::size_t kAlwaysAllowed = std::size_t{64} << 20;
  constexpr std::size_t kRatio = 200;
  return std::min<std::size_t>({kMostBytes, memory_limit() / 4, std::max(kAlwaysAllowed, kRatio * packed)});
}

/// The size that the last four bytes of a gzip file promise, so that the text need not grow by doubling.
std::size_t promised_size(std::string_view packed) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4 && i < packed.size(); ++i) {
    size = size << 8 | static_cast<unsigned char>(packed[packed.size() - 1 - i]);
  }
  return size;
}

/// Unpacks one member of a gzip file, a piece at a time, and removes it from `packed`.
void unpack_member(std::string_view& packed, std::string& content, std::size_t most, const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::string piece(kPiece, '\0');
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    const std::size_t given = std::min(packed.size(), kPiece);
    // zlib only reads what it is given, but its type does not say so.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(kPiece);
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) fail("unpack", path, "the gzip data is damaged or breaks off");
    packed.remove_prefix(given - stream.avail_in);
    const std::size_t produced = kPiece - stream.avail_out;
    if (produced > most - content.size()) {
      fail("unpack", path,
           "it has more than " + std::to_string(most >> 20) +
               " MiB unpacked; expected no more than 200 times its size and a quarter of the memory; if it is meant to "
               "be so large, unpack it with gunzip");
    }
    content.append(piece, 0, produced);
  }
}

std::string unpack(std::string_view packed, const std::string& path) {
  const std::size_t most = most_unpacked(packed.size());
  std::string content;
  content.reserve(std::min(promised_size(packed), most));
  while (is_packed(packed)) unpack_member(packed, content, most, path);
  if (!packed.empty()) fail("unpack", path, "there is something behind the gzip data");
  return content;
}

/// The names of the temporary files that there are, for remove_unfinished_files(); null: a free place. What finds no
/// place is not removed there.
std::array<std::atomic<const char*>, 64> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads them");

/// Removes the temporary file unless it became the real one.
class Temporary {
 public:
  explicit Temporary(std::string path) : path_(std::move(path)) { exchange_name(nullptr, path_.c_str()); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (path_.empty()) return;
    ::unlink(path_.c_str());
    exchange_name(path_.c_str(), nullptr);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool become(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) return false;
    exchange_name(path_.c_str(), nullptr);
    path_.clear();
    return true;
  }

 private:
  static void exchange_name(const char* old, const char* name) {
    for (std::atomic<const char*>& place : unfinished) {
      const char* expected = old;
      if (place.compare_exchange_strong(expected, name)) return;
    }
  }

  std::string path_;
};

/// A free name in the folder of `path`.
std::string temporary_name(const std::string& path) {
  constexpr std::size_t kLongest = 200;  // the name of a file has up to 255 bytes
  const std::string begin = path.substr(0, path.rfind('/') + 1 + kLongest);
  for (unsigned number = 0;; ++number) {
    std::string name = begin + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(number);
    struct stat status{};
    if (::lstat(name.c_str(), &status) != 0) return name;
  }
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// After a rename the folder must reach the disk too. Not every file system can do that; the content is safe anyway.
void sync_folder(const std::string& path) {
  const File file(folder_of(path), O_RDONLY | O_DIRECTORY);
  if (file.is_open()) static_cast<void>(file.sync());
}

/// Makes the folder and those above it.
void make_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  make_folder(folder.parent_path());
  if (::mkdir(folder.c_str(), S_IRWXU) == 0) return;
  const int error = errno;
  if (std::filesystem::is_directory(folder, ignored)) return;  // another program was faster
  throw InputError("the folder '" + folder.string() + "' cannot be made: " + std::strerror(error));
}

}  // namespace

std::string read_file(const std::string& path, const std::function<bool()>& stop) {
  std::string content = read_raw(path, stop);
  if (is_packed(content)) content = unpack(content, path);
  if (content.starts_with("\xEF\xBB\xBF")) content.erase(0, 3);
  return content;
}

PathKind kind_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISREG(status.st_mode)) return PathKind::file;
    return S_ISDIR(status.st_mode) ? PathKind::folder : PathKind::other;
  }
  const bool leads_nowhere = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
  return leads_nowhere ? PathKind::nothing : PathKind::unknown;
}

std::optional<int> descriptor_of(const std::string& path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int descriptor = -1;
    const char* end = path.data() + path.size();
    const auto [rest, error] = std::from_chars(path.data() + folder.size(), end, descriptor);
    if (error == std::errc() && rest == end && descriptor >= 0) return descriptor;
  }
  return std::nullopt;
}

struct NewFile::Inside {
  std::string path;                    ///< as it was given
  std::string target;                  ///< where its symbolic links end
  std::optional<Temporary> temporary;  ///< none where the file is written to directly
  std::optional<File> file;
};

NewFile::NewFile(std::string path) : inside_(std::make_unique<Inside>()) {
  inside_->path = std::move(path);
  check_writable(inside_->path);
  struct stat status{};
  const bool exists = ::stat(inside_->path.c_str(), &status) == 0;
  if (const std::optional<int> descriptor = descriptor_of(inside_->path)) {
    inside_->file.emplace(*descriptor);
  } else if (exists && !S_ISREG(status.st_mode)) {
    inside_->file.emplace(inside_->path, O_WRONLY);
  } else {
    inside_->target = resolve(inside_->path);
    inside_->temporary.emplace(temporary_name(inside_->target));
    inside_->file.emplace(inside_->temporary->path(), O_WRONLY | O_CREAT | O_EXCL);
    constexpr mode_t kPermissions = 0777;  // but not the set-user-ID bit: the new content was not given that
    if (inside_->file->is_open() && exists) inside_->file->set_mode(status.st_mode & kPermissions);
  }
  if (!inside_->file->is_open()) fail("write", inside_->path, std::strerror(errno));
}

NewFile::~NewFile() = default;

void NewFile::append(std::string_view text) {
  if (!inside_->file->write(text)) fail("write", inside_->path, std::strerror(errno));
}

void NewFile::finish() {
  const bool replaces = inside_->temporary.has_value();
  if ((replaces && !inside_->file->sync()) || !inside_->file->close() ||
      (replaces && !inside_->temporary->become(inside_->target))) {
    fail("write", inside_->path, std::strerror(errno));
  }
  if (replaces) sync_folder(inside_->target);
}

void remove_unfinished_files() {
  for (const std::atomic<const char*>& place : unfinished) {
    if (const char* name = place.load()) ::unlink(name);
  }
}

void write_file(const std::string& path, std::string_view text) {
  NewFile file(path);
  file.append(text);
  file.finish();
}

void check_writable(const std::string& path) {
  if (const std::optional<int> descriptor = descriptor_of(path)) {
    const int flags = ::fcntl(*descriptor, F_GETFL);
    if (flags < 0) fail("write", path, std::strerror(errno));
    if ((flags & O_ACCMODE) == O_RDONLY) fail("write", path, "it is open for reading only");
    return;
  }
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("write", path, std::strerror(errno));
  if (exists && S_ISDIR(status.st_mode)) fail("write", path, std::strerror(EISDIR));
  if (exists && ::access(path.c_str(), W_OK) != 0) fail("write", path, std::strerror(errno));
  const bool replaces = !exists || S_ISREG(status.st_mode);
  const std::string folder = folder_of(resolve(path)) + "/.";  // a file is none
  if (replaces && ::access(folder.c_str(), W_OK | X_OK) != 0) fail("write", path, std::strerror(errno));
}

std::string resolve(const std::string& path) {
  std::error_code error;
  // What does not exist keeps a relative name otherwise.
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(absolute, error);
  return error ? path : target.string();
}

void make_folder_of(const std::string& path) {
  make_folder(std::filesystem::path(path).parent_path());
}

}  // namespace heddle::io
