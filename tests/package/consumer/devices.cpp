// Why kinds of devices are missing, a line each kind.
#include <heddle/runtime/device.hpp>
#include <iostream>

int main() {
  for (const heddle::runtime::DeviceKind& kind : heddle::runtime::devices())
    std::cout << kind.name << ": " << kind.missing << '\n';
}
