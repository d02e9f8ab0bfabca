#include "heddle/runtime/models/links.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/threads/cores.hpp"
#include "heddle/runtime/threads/run_clock.hpp"

namespace heddle::runtime {
namespace {

constexpr std::size_t kRepetitions = 5;
constexpr std::size_t kSmall = 64;
constexpr std::size_t kLarge = std::size_t{4} << 20;
constexpr std::size_t kMebibyteBytes = std::size_t{1} << 20;

/// As links are called in the history.
const std::string kRam = "ram";

/// Memory of a device, for a while; as much as there is, at most `kLarge`.
class Room {
 public:
  explicit Room(Device& device) : device_(device), address_(device.allocate(bytes_)) {
    while (address_ == nullptr && bytes_ > kSmall) address_ = device.allocate(bytes_ /= 2);
    if (address_ == nullptr) throw InputError("a device has no memory to copy to");
  }
  ~Room() { device_.release(address_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] void* address() const { return address_; }

 private:
  Device& device_;
  std::size_t bytes_ = kLarge;
  void* address_;
};

/// As much memory of the program, where copies are as fast as they can be.
class PinnedRoom {
 public:
  PinnedRoom(Device& device, std::size_t bytes)
      : device_(device), bytes_(bytes), pinned_(device.pin(bytes_.data(), bytes)) {}
  ~PinnedRoom() {
    if (pinned_) device_.unpin(bytes_.data());
  }
  PinnedRoom(const PinnedRoom&) = delete;
  PinnedRoom& operator=(const PinnedRoom&) = delete;

  [[nodiscard]] void* address() { return bytes_.data(); }

 private:
  Device& device_;
  std::vector<std::byte> bytes_;
  bool pinned_;
};

/// Moves bytes over a link.
using Copy = std::function<void(std::size_t bytes, Device::Done done)>;

/// How long a copy takes, from asking to the report.
Time duration_of(const Copy& copy, std::size_t bytes) {
  const RunClock clock;
  auto done = std::make_shared<std::promise<Time>>();
  std::future<Time> ended = done->get_future();
  copy(bytes, [done, &clock](const std::exception_ptr& failure) {
    if (failure) {
      done->set_exception(failure);
    } else {
      done->set_value(std::max<Time>(clock.now(), 1));
    }
  });
  return ended.get();
}

/// What bytes take that move for so long, for a mebibyte.
Time per_mebibyte(std::size_t bytes, Time duration) {
  const double share = static_cast<double>(kMebibyteBytes) / static_cast<double>(bytes);
  return std::max<Time>(static_cast<Time>(static_cast<double>(duration) * share), 1);
}

/// The rest of a duration, of which a part is known but for noise.
Time without(Time part, Time duration) {
  return std::max(duration - part, (duration + 1) / 2);
}

MeasuredLink measure(const Copy& copy, std::size_t bytes, std::size_t repetitions) {
  MeasuredLink link;
  for (std::size_t i = 0; i < repetitions; ++i) link.latency.add(duration_of(copy, kSmall));
  for (std::size_t i = 0; i < repetitions; ++i) {
    link.mebibyte.add(per_mebibyte(bytes, without(link.latency.mean(), duration_of(copy, bytes))));
  }
  return link;
}

/// Between the program's memory and that of a device.
MeasuredLink measure(Device& device, bool in, std::size_t repetitions) {
  const Room there(device);
  PinnedRoom here(device, there.bytes());
  const auto copy = [&](std::size_t bytes, Device::Done done) {
    const Shape shape{bytes, 1, 1};
    const Piece piece{here.address(), bytes};
    if (in) {
      device.copy_in(shape, piece, there.address(), std::move(done));
    } else {
      device.copy_out(shape, there.address(), piece, std::move(done));
    }
  };
  return measure(copy, there.bytes(), repetitions);
}

MeasuredLink measure(Device& from, Device& to, std::size_t repetitions) {
  const Room there(from);
  const Room here(to);
  const auto copy = [&](std::size_t bytes, Device::Done done) {
    to.copy_from(from, bytes, there.address(), here.address(), std::move(done));
  };
  return measure(copy, std::min(there.bytes(), here.bytes()), repetitions);
}

using Pair = std::pair<MemoryId, MemoryId>;

/// Nothing when two devices cannot copy, though they are connected. Throws InputError when data cannot even come and
/// go.
std::optional<MeasuredLink> measure(std::span<const std::unique_ptr<Device>> devices, const Pair& pair,
                                    std::size_t repetitions) {
  const auto& [from, to] = pair;
  const auto device = [&](MemoryId memory) -> Device& { return *devices[index(memory) - 1]; };
  try {
    if (from == kHost) return measure(device(to), true, repetitions);
    if (to == kHost) return measure(device(from), false, repetitions);
    return measure(device(from), device(to), repetitions);
  } catch (const std::exception& failure) {
    if (from != kHost && to != kHost) return std::nullopt;
    throw InputError(std::string("a device cannot copy data: ") + failure.what());
  }
}

/// The program's memory and that of each device, both ways.
std::vector<Pair> host_pairs(std::size_t devices) {
  std::vector<Pair> pairs;
  for (const MemoryId device : ids<MemoryId>(devices + 1)) {
    if (device == kHost) continue;
    pairs.emplace_back(kHost, device);
    pairs.emplace_back(device, kHost);
  }
  return pairs;
}

/// Those of each two devices.
std::vector<Pair> device_pairs(std::size_t devices) {
  std::vector<Pair> pairs;
  for (const MemoryId from : ids<MemoryId>(devices + 1)) {
    for (const MemoryId to : ids<MemoryId>(devices + 1)) {
      if (from != kHost && to != kHost && from != to) pairs.emplace_back(from, to);
    }
  }
  return pairs;
}

/// All between which data moves at once.
std::vector<Pair> linked_pairs(std::span<const std::unique_ptr<Device>> devices) {
  std::vector<Pair> pairs = host_pairs(devices.size());
  for (const auto& [from, to] : device_pairs(devices.size())) {
    if (devices[index(to) - 1]->connect(*devices[index(from) - 1])) pairs.emplace_back(from, to);
  }
  return pairs;
}

const std::string& name_of(std::span<const DeviceChoice> chosen, MemoryId memory) {
  return memory == kHost ? kRam : chosen[index(memory) - 1].name;
}

const MeasuredLink* find(std::span<const MeasuredLink> links, const std::string& from, const std::string& to) {
  const auto found =
      std::ranges::find_if(links, [&](const MeasuredLink& link) { return link.from == from && link.to == to; });
  return found == links.end() ? nullptr : &*found;
}

}  // namespace

LinkSpeed speed_of(const MeasuredLink& link) {
  const Time mebibyte = std::max<Time>(link.mebibyte.mean(), 1);
  return {link.latency.mean(), static_cast<double>(kMebibyteBytes) / to_seconds(mebibyte)};
}

void observe(MeasuredLink& link, const LinkSpeed& believed, std::size_t bytes, Time duration) {
  const Time moving = believed.moving(bytes);
  if (moving <= believed.latency) {
    link.latency.add(without(moving, duration));
  } else {
    link.mebibyte.add(per_mebibyte(bytes, without(believed.latency, duration)));
  }
}

Links::Links(std::span<const DeviceChoice> chosen, std::span<const std::unique_ptr<Device>> devices,
             std::optional<History> history, History::Warn warn)
    : history_(std::move(history)), warn_(std::move(warn)) {
  if (devices.empty()) return;
  const std::vector<MeasuredLink> known = load();
  for (const Pair& pair : linked_pairs(devices)) {
    const auto& [from, to] = pair;
    MeasuredLink later{name_of(chosen, from), name_of(chosen, to), {}, {}};
    const MeasuredLink* link = find(known, later.from, later.to);
    if (link == nullptr) {
      const std::optional<MeasuredLink> now = measure(devices, pair, kRepetitions);
      if (!now) continue;
      later.latency = now->latency;
      later.mebibyte = now->mebibyte;
      link = &later;
    }
    links_.push_back({from, to, speed_of(*link)});
    later_.push_back(std::move(later));
  }
}

std::vector<MeasuredLink> Links::load() {
  if (!history_) return {};
  try {
    return history_->read_links();
  } catch (const InputError& error) {
    if (warn_) warn_(error.what());
    history_.reset();
    return {};
  }
}

void Links::observe(MemoryId from, MemoryId to, std::size_t bytes, Time duration) {
  const auto link =
      std::ranges::find_if(links_, [&](const MemoryLink& one) { return one.from == from && one.to == to; });
  runtime::observe(later_[static_cast<std::size_t>(link - links_.begin())], link->speed, bytes, duration);
}

void Links::save() {
  if (!history_) return;
  try {
    history_->add_links(later_);
  } catch (const InputError& error) {
    if (warn_) warn_(error.what());
  }
  for (MeasuredLink& link : later_) link.latency = link.mebibyte = {};
}

std::vector<MemoryLink> known_links(std::span<const DeviceChoice> chosen, std::span<const MeasuredLink> history) {
  std::vector<MemoryLink> known;
  const auto know = [&](const Pair& pair) {
    const auto& [from, to] = pair;
    const MeasuredLink* link = find(history, name_of(chosen, from), name_of(chosen, to));
    if (link != nullptr) known.push_back({from, to, speed_of(*link)});
    return link != nullptr;
  };
  if (!std::ranges::all_of(host_pairs(chosen.size()), know)) return {};
  for (const Pair& pair : device_pairs(chosen.size())) know(pair);
  return known;
}

void calibrate_links(std::string_view workers, const History& history) {
  const std::vector<DeviceChoice> chosen = choose_devices(parse_workers(workers, Cores().count()), {});
  const std::vector<std::unique_ptr<Device>> devices = open_devices(chosen);
  history.prepare();
  std::vector<MeasuredLink> links;
  for (const Pair& pair : linked_pairs(devices)) {
    std::optional<MeasuredLink> link = measure(devices, pair, Estimate::kRecent);
    if (!link) continue;
    link->from = name_of(chosen, pair.first);
    link->to = name_of(chosen, pair.second);
    links.push_back(std::move(*link));
  }
  history.add_links(links);
}

}  // namespace heddle::runtime
