// llm-cli version: versions of program and library, and what the library sees of the machine.
#include "options.h"
#include "text_io.h"

namespace cli {
namespace {

Options make_options() {
    Options options("version [options]", "Shows version and processor.");
    options.add_flag("json", "the library's facts as one JSON object");
    return options;
}

int run(const Options &options) {
    if (options.has("json")) {
        write(fill<std::string>(llm_system_info) + "\n");
        return exit_ok;
    }
    const char *tier = nullptr;
    check(llm_cpu_tier(&tier));
    write(std::string("llm-cli " LLM_VERSION_STRING "\nlibllm  ") + llm_version_string() + ", ABI " +
          std::to_string(llm_abi_version()) + ", kernels " + tier + "\n");
    return exit_ok;
}

}  // namespace

const Command cmd_version = {"version", "show version and processor", make_options, run};

}  // namespace cli
