#include "heddle/analysis/transfer_ends.hpp"

#include "heddle/analysis/data_uses.hpp"

namespace heddle::analysis {

std::vector<TransferEnds> transfer_ends(const Instance& instance, const Schedule& schedule) {
  const DataUses uses(instance, schedule);
  std::vector<TransferEnds> ends;
  for (const Transfer& transfer : schedule.transfers) {
    TransferEnds& found = ends.emplace_back();
    const DataUse* writer = uses.last_writer(transfer.data, transfer.start);
    if (writer != nullptr) found.writer = writer->attempt;
    const DataUse* reader = uses.first_reader(transfer.data, transfer.to, transfer.end);
    // Where the datum was written meanwhile, the reader reads that.
    if (reader != nullptr && uses.last_writer(transfer.data, reader->time) == writer) found.reader = reader->attempt;
  }
  return ends;
}

}  // namespace heddle::analysis
