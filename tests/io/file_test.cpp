#include "heddle/io/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>

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

TEST_F(Files, CanBeCheckedWithoutTouchingThem) {
  const auto objection = [](const std::string& path) { return error_of([&] { io::check_writable(path); }); };
  EXPECT_EQ(objection(path("new")), "");
  EXPECT_EQ(objection("/dev/null"), "");
  EXPECT_EQ(objection(path("")), "cannot write '" + path("") + "': Is a directory");
  EXPECT_EQ(objection(path("no/x")), "cannot write '" + path("no/x") + "': No such file or directory");
  EXPECT_EQ(count(), 0u);
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
