#include "heddle/runtime/submission/socket_contexts.hpp"

#include <map>
#include <utility>

namespace heddle::runtime {

std::vector<ContextRequest> socket_contexts(const Platform& platform, const Table<WorkerId, Place>& places,
                                            const std::string& policy) {
  std::map<std::size_t, ContextRequest> sockets;
  for (const auto& [socket, is_device] : places) {
    if (socket && !is_device) sockets.try_emplace(*socket);
  }
  if (sockets.empty()) sockets.try_emplace(0);
  auto next = sockets.begin();
  for (const WorkerId worker : platform.workers()) {
    auto own = places[worker].socket ? sockets.find(*places[worker].socket) : sockets.end();
    if (own == sockets.end()) {
      own = next++;
      if (next == sockets.end()) next = sockets.begin();
    }
    own->second.named.push_back(platform.worker_name(worker));
  }
  std::vector<ContextRequest> requests;
  for (auto& [number, request] : sockets) {
    request.name = "socket" + std::to_string(number);
    request.policy = policy;
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace heddle::runtime
