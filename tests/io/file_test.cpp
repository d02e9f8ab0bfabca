#include "heddle/io/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "heddle/io/cache.hpp"
#include "heddle/model/random.hpp"
#include "tests/io/toy.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class Files : public testing::Test {
 protected:
  Files() : folder_(fs::temp_directory_path() / ("heddle-file-test-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(std::string_view name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  fs::path folder_;
};

std::string packed(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

TEST_F(Files, ComeBackAsTheyWereWritten) {
  const std::string text("a\0b\r\n", 5);
  io::write_file(path("f"), text);
  EXPECT_EQ(io::read_file(path("f")), text);
  io::write_file(path("f"), "");
  EXPECT_EQ(io::read_file(path("f")), "");
  const std::string large(3'000'000, 'x');
  io::write_file(path("f"), large);
  EXPECT_EQ(io::read_file(path("f")), large);
  EXPECT_EQ(count(), 1u) << "no temporary file is left";
}

TEST_F(Files, AreThereWhenTheyAreFinished) {
  io::write_file(path("f"), "old");
  {
    io::NewFile file(path("f"));
    file.append("never ");
    file.append("finished");
  }
  EXPECT_EQ(io::read_file(path("f")), "old");
  io::NewFile file(path("f"));
  file.append("new ");
  EXPECT_EQ(io::read_file(path("f")), "old");
  file.append("content");
  file.finish();
  EXPECT_EQ(io::read_file(path("f")), "new content");
  EXPECT_EQ(count(), 1u) << "no temporary file is left";
}

TEST_F(Files, KeepTheOldContentForThoseWhoHaveItOpen) {
  io::write_file(path("f"), "old");
  struct stat before{};
  struct stat after{};
  ASSERT_EQ(::stat(path("f").c_str(), &before), 0);
  io::write_file(path("f"), "new");
  ASSERT_EQ(::stat(path("f").c_str(), &after), 0);
  EXPECT_NE(before.st_ino, after.st_ino) << "a new file has taken the name";
}

TEST_F(Files, AreWrittenThroughSymbolicLinks) {
  io::write_file(path("real"), "old");
  fs::create_symlink("real", path("link"));
  io::write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(io::read_file(path("real")), "new");
}

TEST_F(Files, ThatAreNoneAreWrittenDirectly) {
  io::write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, ThatAreOpenAlreadyAreWrittenThrough) {
  io::write_file(path("f"), "old ");
  const int descriptor = ::open(path("f").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(descriptor, 0);
  const std::string number = std::to_string(descriptor);
  io::write_file("/dev/fd/" + number, "and ");
  io::write_file("/proc/self/fd/" + number, "new");
  EXPECT_EQ(io::read_file(path("f")), "old and new");
  ::close(descriptor);
  EXPECT_EQ(error_of([&] { io::write_file("/dev/fd/" + number, "x"); }),
            "cannot write '/dev/fd/" + number + "': Bad file descriptor");
  const int reader = ::open(path("f").c_str(), O_RDONLY);
  ASSERT_EQ(reader, descriptor);
  EXPECT_EQ(error_of([&] { io::check_writable("/dev/fd/" + number); }),
            "cannot write '/dev/fd/" + number + "': it is open for reading only");
  ::close(reader);
}

TEST(Descriptors, HaveNames) {
  EXPECT_EQ(io::descriptor_of("/dev/stdin"), 0);
  EXPECT_EQ(io::descriptor_of("/dev/stdout"), 1);
  EXPECT_EQ(io::descriptor_of("/dev/stderr"), 2);
  EXPECT_EQ(io::descriptor_of("/dev/fd/12"), 12);
  for (const char* other : {"", "-", "/dev/fd", "/dev/fd/", "/dev/fd/-1", "/dev/fd/1x", "/dev/fd/99999999999", "fd/1"})
    EXPECT_EQ(io::descriptor_of(other), std::nullopt) << other;
}

/// A check in a process that may not do everything, as root may.
template <class Check>
bool holds_for_a_user(Check&& check) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    const bool is_user = ::geteuid() != 0 || ::setuid(kNobody) == 0;
    ::_exit(is_user && check() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

TEST_F(Files, ThatAreWriteProtectedAreNotReplaced) {
  io::write_file(path("f"), "old");
  fs::permissions(path(""), fs::perms::all);
  const auto refusal = [&] { return error_of([&] { io::write_file(path("f"), "new"); }); };
  fs::permissions(path("f"), fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  EXPECT_TRUE(holds_for_a_user([&] { return refusal() == "cannot write '" + path("f") + "': Permission denied"; }));
  EXPECT_EQ(io::read_file(path("f")), "old");
}

/// What replaces a program of another user must not be run as that user.
TEST_F(Files, KeepThePermissionsOfTheOldOneButNoSpecialBits) {
  io::write_file(path("f"), "old");
  ASSERT_EQ(::chmod(path("f").c_str(), 07751), 0);
  io::write_file(path("f"), "new");
  struct stat status{};
  ASSERT_EQ(::stat(path("f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0751U);
}

TEST_F(Files, MayHaveNamesAsLongAsThereAre) {
  const std::string name(255, 'x');
  io::write_file(path(name), "text");
  EXPECT_EQ(io::read_file(path(name)), "text");
  EXPECT_EQ(error_of([&] { io::check_writable(path(name + 'x')); }),
            "cannot write '" + path(name + 'x') + "': File name too long");
}

TEST_F(Files, AreToldFromFoldersAndNothing) {
  io::write_file(path("f"), "");
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(io::kind_of(path("f")), io::PathKind::file);
  EXPECT_EQ(io::kind_of(path("")), io::PathKind::folder);
  EXPECT_EQ(io::kind_of("/dev/null"), io::PathKind::other);
  for (const std::string& name : {std::string("g"), std::string("f/g"), std::string(300, 'x')}) {
    EXPECT_EQ(io::kind_of(path(name)), io::PathKind::nothing) << name;
  }
  EXPECT_EQ(io::kind_of(path("loop")), io::PathKind::unknown);
}

TEST_F(Files, CanBeCheckedWithoutTouchingThem) {
  const auto objection = [](const std::string& path) { return error_of([&] { io::check_writable(path); }); };
  EXPECT_EQ(objection(path("new")), "");
  EXPECT_EQ(objection("/dev/null"), "");
  EXPECT_EQ(objection(path("")), "cannot write '" + path("") + "': Is a directory");
  EXPECT_EQ(objection(path("no/x")), "cannot write '" + path("no/x") + "': No such file or directory");
  EXPECT_EQ(count(), 0u);
}

/// The first question finds the pipe without its other end, the second one silent.
TEST_F(Files, ThatAreSilentPipesAreReadUntilToldToStop) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  int other_end = -1;
  int questions = 0;
  const auto stop = [&] {
    if (other_end < 0) other_end = ::open(path("pipe").c_str(), O_WRONLY);
    return ++questions == 3;
  };
  EXPECT_EQ(error_of([&] { static_cast<void>(io::read_file(path("pipe"), stop)); }),
            "cannot read '" + path("pipe") + "': Interrupted system call");
  ::close(other_end);
  const auto say = [&] {
    if (other_end = ::open(path("pipe").c_str(), O_WRONLY); ::write(other_end, "text", 4) != 4) return true;
    return ::close(other_end) != 0;
  };
  EXPECT_EQ(io::read_file(path("pipe"), say), "text");
}

TEST_F(Files, AreReadWithoutAByteOrderMark) {
  const std::string marked = "\xEF\xBB\xBF{}";
  io::write_file(path("f"), marked);
  EXPECT_EQ(io::read_file(path("f")), "{}");
  io::write_file(path("f.gz"), packed(marked));
  EXPECT_EQ(io::read_file(path("f.gz")), "{}");
}

TEST_F(Files, AreUnpacked) {
  const std::string large(3'000'000, 'x');
  io::write_file(path("f.gz"), packed("hello "));
  EXPECT_EQ(io::read_file(path("f.gz")), "hello ");
  io::write_file(path("f.gz"), packed("hello ") + packed(large));
  EXPECT_EQ(io::read_file(path("f.gz")), "hello " + large) << "members of one file follow each other";
}

TEST_F(Files, AreUnpackedWithoutRoomToSpare) {
  const std::string large(3'000'000, 'x');
  io::write_file(path("f.gz"), packed(large));
  EXPECT_LT(io::read_file(path("f.gz")).capacity(), large.size() + 1000) << "it grew by doubling";
}

std::string refusal_to_unpack(const std::string& path) {
  return error_of([&] { static_cast<void>(io::read_file(path)); });
}

TEST_F(Files, ThatUnpackToMoreThanWasPackedOnPurposeAreRefused) {
  const std::string zeros(std::size_t{16} << 20, '\0');
  std::string bomb;
  for (int i = 0; i < 4; ++i) bomb += packed(zeros);
  io::write_file(path("f.gz"), bomb);
  EXPECT_EQ(io::read_file(path("f.gz")).size(), std::size_t{64} << 20) << "so much is always allowed";
  io::write_file(path("f.gz"), bomb + packed("!"));
  EXPECT_EQ(refusal_to_unpack(path("f.gz")),
            "cannot unpack '" + path("f.gz") +
                "': it has more than 64 MiB unpacked; expected no more than 200 times its size and a quarter of the "
                "memory; if it is meant to be so large, unpack it with gunzip");
}

/// A recording packs to a tenth: it may be as large as it likes.
TEST_F(Files, OfWhichATenthIsLeftAreUnpacked) {
  std::string piece;
  Random random(1);
  while (piece.size() < std::size_t{1} << 20) piece += "JobId: " + std::to_string(random.below(1'000'000)) + "\n\n\n\n";
  const std::string one = packed(piece);
  std::string all;
  for (int i = 0; i < 70; ++i) all += one;
  io::write_file(path("f.gz"), all);
  EXPECT_EQ(io::read_file(path("f.gz")).size(), 70 * piece.size());
}

#ifndef HEDDLE_SANITIZED  // which need more memory than that
TEST_F(Files, ThatUnpackToAQuarterOfTheMemoryAreRefused) {
  io::write_file(path("f.gz"), packed(std::string(std::size_t{33} << 20, 'x')));
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit little{std::uint64_t{128} << 20, std::uint64_t{128} << 20};
    ::setrlimit(RLIMIT_AS, &little);
    ::_exit(refusal_to_unpack(path("f.gz")).find("it has more than 32 MiB unpacked") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif

TEST_F(Files, AreInFoldersThatOtherUsersMayNotEnter) {
  const mode_t before = ::umask(0);
  io::make_folder_of(path("a/b/f"));
  io::make_folder_of(path("a/b/f"));
  ::umask(before);
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(path("a/b")).permissions(), fs::perms::owner_all);
  io::write_file(path("file"), "");
  EXPECT_EQ(error_of([&] { io::make_folder_of(path("file/b/f")); }),
            "the folder '" + path("file") + "' cannot be made: File exists");
}

/// The cache folder of the user is `folder`, for a while.
class CacheFolder {
 public:
  explicit CacheFolder(const std::string& folder) { ::setenv("XDG_CACHE_HOME", folder.c_str(), 1); }
  ~CacheFolder() { ::setenv("XDG_CACHE_HOME", before_.c_str(), 1); }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

 private:
  std::string before_ = std::getenv("XDG_CACHE_HOME");
};

constexpr fs::perms kOpen = fs::perms::all & ~fs::perms::others_write;

TEST_F(Files, InHeddlesOwnFolderAreTheUsersAlone) {
  const CacheFolder cache(path("cache"));
  const std::string file = *io::cache_file("sub/f");
  io::keep_private(file);
  EXPECT_EQ(count(), 0u) << "what is not there is not made";
  io::make_folder_of(file);
  io::write_file(file, "");
  for (const char* name : {"cache", "cache/heddle", "cache/heddle/sub/f"}) fs::permissions(path(name), kOpen);
  io::keep_private(file);
  EXPECT_EQ(fs::status(path("cache")).permissions(), kOpen) << "the cache folder is not Heddle's";
  EXPECT_EQ(fs::status(path("cache/heddle")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_all);
}

TEST_F(Files, ElsewhereKeepTheirPermissions) {
  const CacheFolder cache(path("cache"));
  io::write_file(path("f"), "");
  io::make_folder_of(path("cache/other/g"));
  fs::create_directory_symlink("other", path("cache/heddle"));
  io::write_file(path("cache/heddle/g"), "");
  const std::vector<std::string> paths{path("f"), path("cache/heddle/g"), path("cache/heddle/../../f")};
  for (const std::string& one : paths) fs::permissions(one, kOpen);
  for (const std::string& one : paths) io::keep_private(one);
  for (const std::string& one : paths) EXPECT_EQ(fs::status(one).permissions(), kOpen) << one;
}

TEST_F(Files, ThatCannotBeUsedGetAClearSentence) {
  EXPECT_EQ(error_of([&] { static_cast<void>(io::read_file("/no/such")); }),
            "cannot read '/no/such': No such file or directory");
  EXPECT_EQ(error_of([&] { static_cast<void>(io::read_file("/")); }), "cannot read '/': Is a directory");
  EXPECT_EQ(error_of([&] { io::write_file("/no/such", ""); }), "cannot write '/no/such': No such file or directory");
  EXPECT_EQ(error_of([&] { io::write_file("/", ""); }), "cannot write '/': Is a directory");
  io::write_file(path("f.gz"), packed("hello").substr(0, 12));
  EXPECT_EQ(error_of([&] { static_cast<void>(io::read_file(path("f.gz"))); }),
            "cannot unpack '" + path("f.gz") + "': the gzip data is damaged or breaks off");
  io::write_file(path("f.gz"), packed("hello") + "!");
  EXPECT_EQ(error_of([&] { static_cast<void>(io::read_file(path("f.gz"))); }),
            "cannot unpack '" + path("f.gz") + "': there is something behind the gzip data");
}

}  // namespace
}  // namespace heddle::test
