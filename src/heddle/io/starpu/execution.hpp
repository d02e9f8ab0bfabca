#pragma once

#include <optional>
#include <span>

#include "heddle/io/execution.hpp"
#include "heddle/io/starpu/recording.hpp"
#include "heddle/io/starpu/transfers.hpp"

namespace heddle::io {

/// Makes the run of a recording. It begins when the first task is submitted or starts. Workers with a memory node of
/// their own are "gpu", the others "cpu", each class in StarPU's order; a number below the highest that no task names
/// is a worker of the class that follows. Without a machine, if several workers share the memory node of a device, each
/// device is a class: "gpuA", "gpuB", ..., whose workers share its memory and take as long as those of the others.
/// Where the engine says that a task ended after a successor or the next task of its worker had started, it ended then.
///
/// A task takes what it took on the class that ran it. On another class it takes what `machine` has measured for it;
/// without a machine, the mean of the tasks of its type that ran there, and where none did, it cannot run there. A
/// machine may have more workers than the recording, which then ran nothing.
///
/// `transfers` become those of the schedule. If there is a machine and several workers share the memory node of a
/// device, the first of them has it, as the machine does not tell which do.
///
/// Throws InputError when a task has no times, when several MPI ranks share the file, when the machine lacks a worker
/// or a duration, or as place().
[[nodiscard]] Execution execution_of(Recording recording, const std::optional<Machine>& machine,
                                     std::span<const RecordedTransfer> transfers = {});

}  // namespace heddle::io
