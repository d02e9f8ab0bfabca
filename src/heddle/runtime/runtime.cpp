#include "heddle/runtime/runtime.hpp"

#include <array>
#include <utility>
#include <vector>

#include "heddle/model/contexts.hpp"
#include "heddle/model/error.hpp"
#include "heddle/runtime/threads/engine.hpp"
#include "heddle/runtime/trace/energy_counters.hpp"

namespace heddle::runtime {

Runtime::Runtime(const Config& config) : engine_(new Engine(config)), traces_(config.trace) {}
Runtime::~Runtime() = default;
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;

void Runtime::CloseEngine::operator()(Engine* engine) const noexcept {
  if (engine->is_of_this_process()) delete engine;
}

const Platform& Runtime::platform() const {
  return engine_->platform();
}

Block* Runtime::add_block(const Shape& shape, const Piece& home, std::shared_ptr<const Reduction> sum) {
  return engine_->add_block(shape, home, std::move(sum));
}

Pinned Runtime::pin(std::span<std::byte> memory) {
  return engine_->pin(memory);
}

Task Runtime::submit_task(const std::shared_ptr<const KernelInfo>& kernel, std::span<Block* const> blocks,
                          std::span<const AccessMode> modes, std::span<const std::byte> values, TaskOptions& options) {
  constexpr std::size_t kFew = 8;
  std::array<BlockAccess, kFew> few;
  std::vector<BlockAccess> many;
  const std::size_t count = blocks.size() + options.also.size();
  if (count > kFew) many.resize(count);
  const std::span<BlockAccess> accesses = count > kFew ? std::span(many) : std::span(few).first(count);
  for (std::size_t i = 0; i < blocks.size(); ++i) accesses[i] = {blocks[i], modes[i]};
  for (std::size_t i = blocks.size(); i < count; ++i) {
    const AnyUse& use = options.also[i - blocks.size()];
    accesses[i] = {use.block, use.mode};
  }
  return engine_->submit(kernel, accesses, values, options);
}

SchedulingContext Runtime::context(const ContextConfig& config) {
  return engine_->add_context(request_context("a context", config.name, config.workers, config.policy));
}

std::vector<SchedulingContext> Runtime::contexts_by_socket(const std::string& policy) {
  return engine_->add_socket_contexts(policy);
}

SchedulingContext Runtime::enter(const SchedulingContext& context) {
  return engine_->enter(context);
}

void Runtime::begin_recording() {
  engine_->begin_recording();
}

Graph Runtime::end_recording(const Assign& assign) {
  return engine_->end_recording(assign);
}

void Runtime::abandon_recording() {
  engine_->abandon_recording();
}

Runtime::Described Runtime::describe(const Graph& graph) const {
  auto [instance, guessed] = engine_->describe(graph);
  return {std::move(instance), std::move(guessed)};
}

void Runtime::run(const Graph& graph) {
  engine_->run(graph);
}

void Runtime::wait() {
  engine_->wait(Engine::Watch());
}

void Runtime::wait(const std::function<void(std::uint64_t unfinished)>& watch) {
  engine_->wait(watch);
}

Energy Runtime::energy() {
  if (!energy_) energy_ = std::make_unique<EnergyCounters>();
  return energy_->read();
}

Trace Runtime::trace() const {
  return engine_->trace();
}

std::uint64_t Runtime::unfinished() const {
  return engine_->unfinished();
}

void Runtime::cancel() {
  engine_->cancel();
}

// What programs hold.

void set_reduction(Block* block, std::shared_ptr<const Reduction> reduction) {
  if (block == nullptr) throw InputError("reduce_with is for data that is registered");
  block->engine->set_reduction(*block, std::move(reduction));
}

void ReleaseBlock::operator()(Block* block) const noexcept {
  if (block->engine->is_of_this_process()) block->engine->release(block);
}

std::size_t Graph::size() const {
  return recording_ ? recording_->size() : 0;
}

namespace {

void check_not_recorded(std::uint64_t recording) {
  if (recording != 0) throw InputError("a recorded task may run many times; wait for the runtime instead");
}

}  // namespace

bool Task::done() const {
  check_not_recorded(recording_);
  return engine_ == nullptr || has_ended({node_, sequence_});
}

void Task::wait() const {
  check_not_recorded(recording_);
  if (engine_ != nullptr) engine_->wait(Ref{node_, sequence_});
}

}  // namespace heddle::runtime
