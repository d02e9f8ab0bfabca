#include "heddle/facts/log.hpp"

#include <optional>

#include "heddle/facts/event.hpp"
#include "heddle/facts/format.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/json_write.hpp"
#include "heddle/model/error.hpp"

namespace heddle::facts {

struct Log::Inside {
  explicit Inside(const std::string& path) : file(path) {}

  void flush() {
    file.append({text.data(), text.size()});
    text.clear();
  }

  io::NewFile file;
  io::Buffer text;  ///< that is not in the file yet
  std::optional<io::Block> events;
  std::optional<InputError> failure;
  bool is_finished = false;
};

Log::Log(const std::string& path, std::string_view policy) : inside_(std::make_unique<Inside>(path)) {
  append_head(inside_->text, policy);
  inside_->events.emplace(inside_->text, 4);
}

Log::~Log() = default;

void Log::add(const Event& event) {
  constexpr std::size_t kFlush = std::size_t{1} << 20;
  const std::lock_guard lock(mutex_);
  if (inside_->is_finished || inside_->failure) return;
  inside_->events->next();
  append_event(inside_->text, event);
  if (inside_->text.size() < kFlush) return;
  try {
    inside_->flush();
  } catch (const InputError& error) {
    inside_->failure = error;
  }
}

void Log::finish() {
  const std::lock_guard lock(mutex_);
  inside_->is_finished = true;
  if (inside_->failure) throw InputError(*inside_->failure);
  inside_->events->close();
  append_tail(inside_->text);
  inside_->flush();
  inside_->file.finish();
}

}  // namespace heddle::facts
