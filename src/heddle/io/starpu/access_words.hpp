#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/io/starpu/task_record.hpp"
#include "heddle/model/task_graph.hpp"

namespace heddle::io {

/// The accesses of one record, word by word from its Handles, Modes and Sizes; scratch data are left out.
class AccessWords {
 public:
  struct Item {
    std::string_view handle;
    AccessMode mode;
    std::int64_t bytes;  ///< 0 when the record does not tell
  };

  /// None when the record has no Modes. Throws InputError when the fields do not have as many words as each other, or
  /// hold something unreadable.
  void read(const TaskRecord& record, const RecordReader& reader);
  [[nodiscard]] std::span<const Item> items() const { return items_; }

 private:
  std::vector<Item> items_;
  std::vector<std::string_view> handles_;
  std::vector<std::string_view> modes_;
  std::vector<std::string_view> sizes_;
};

}  // namespace heddle::io
