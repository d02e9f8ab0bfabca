// A library of NVIDIA's driver (NVML) with two cards, of which the first does not count energy.
namespace {

unsigned long long millijoules = 77'000;
int cards[2];

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's
extern "C" {

[[gnu::visibility("default")]] int nvmlInit_v2() {
  return 0;
}
[[gnu::visibility("default")]] int nvmlShutdown() {
  return 0;
}
[[gnu::visibility("default")]] int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
[[gnu::visibility("default")]] int nvmlDeviceGetHandleByIndex_v2(unsigned number, void** card) {
  *card = &cards[number];
  return 0;
}
[[gnu::visibility("default")]] int nvmlDeviceGetTotalEnergyConsumption(void* card, unsigned long long* energy) {
  if (card == &cards[0]) return 3;
  *energy = millijoules;
  millijoules += 1'500;
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
