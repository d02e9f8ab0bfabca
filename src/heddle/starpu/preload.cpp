// Makes StarPU 1.3, which opens no schedulers, take the plug-in: with STARPU_SCHED=heddle, the program's starpu_init
// and starpu_initialize get a configuration that names it.
#include <dlfcn.h>
#include <starpu.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

[[noreturn]] void fail(const std::string& reason) {
  std::fprintf(stderr, "heddle: %s\n", reason.c_str());
  std::_Exit(2);
}

template <class Function>
Function* find(void* where, const char* name) {
  void* const found = dlsym(where, name);
  if (found == nullptr) fail(std::string("there is no ") + name + ": " + dlerror());
  return reinterpret_cast<Function*>(found);
}

/// Also when the program initialises StarPU again, after the variable was unset.
bool is_wanted() {
  static const bool kWanted = [] {
    const char* const scheduler = std::getenv("STARPU_SCHED");
    return scheduler != nullptr && std::strcmp(scheduler, "heddle") == 0;
  }();
  return kWanted;
}

/// The plug-in lies beside this library. What it brings along, a BLAS for example, stays out of the program's sight.
void* open_plugin() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&is_wanted), &self) == 0) fail("the folder of the plug-in is not known");
  std::string path(self.dli_fname);
  path.erase(path.rfind('/') + 1);
  path += "libheddle_starpu.so";
  void* const plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) fail(dlerror());
  return plugin;
}

starpu_conf configuration(const starpu_conf* given) {
  starpu_conf made{};
  if (given != nullptr) {
    made = *given;
  } else {
    find<int(starpu_conf*)>(RTLD_DEFAULT, "starpu_conf_init")(&made);
  }
  made.sched_policy = find<starpu_sched_policy*(const char*)>(open_plugin(), "starpu_get_sched_lib_policy")("heddle");
  made.sched_policy_name = nullptr;
  // StarPU would look for the name, which it does not know, first.
  unsetenv("STARPU_SCHED");
  return made;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int starpu_init(starpu_conf* conf) {
  auto* const real = find<int(starpu_conf*)>(RTLD_NEXT, "starpu_init");
  if (!is_wanted()) return real(conf);
  starpu_conf ours = configuration(conf);
  return real(&ours);
}

[[gnu::visibility("default")]] int starpu_initialize(starpu_conf* conf, int* argc, char*** argv) {
  auto* const real = find<int(starpu_conf*, int*, char***)>(RTLD_NEXT, "starpu_initialize");
  if (!is_wanted()) return real(conf, argc, argv);
  starpu_conf ours = configuration(conf);
  return real(&ours, argc, argv);
}
}
