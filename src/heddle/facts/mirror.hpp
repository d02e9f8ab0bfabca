#pragma once

#include "heddle/facts/event.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::facts {

/// A view that is kept equal to another one by what changes in it. Policies that are recorded or called again see such
/// views, so that whatever they see is in the record.
class Mirror {
 public:
  explicit Mirror(const Instance& instance) : view_(instance) {}

  /// What is to be done to be equal to the view, which is of the same instance.
  [[nodiscard]] Change difference(const policy::View& view) const;
  /// Does it. Its ids must be those of the instance.
  void apply(const Change& change);

  [[nodiscard]] policy::HostView& view() { return view_; }

 private:
  policy::HostView view_;
};

}  // namespace heddle::facts
