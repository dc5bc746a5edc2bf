// Runs the conformance cases in C++. README.md in this folder says how, and what the environment has to name.
#include "kinds.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace llm::conformance {

namespace {

// Whether what was expected is there: members of objects may be more, fractions differ by the tolerance.
bool agrees(const Json &expected, const Json &found, double tolerance) {
    if (expected.is_object()) {
        if (!found.is_object()) return false;
        for (const auto &[name, value] : expected.items())
            if (!found.contains(name) || !agrees(value, found[name], tolerance)) return false;
        return true;
    }
    if (expected.is_array()) {
        if (!found.is_array() || found.size() != expected.size()) return false;
        for (size_t i = 0; i < expected.size(); ++i)
            if (!agrees(expected[i], found[i], tolerance)) return false;
        return true;
    }
    if (expected.is_number_float() && found.is_number())
        return std::abs(expected.get<double>() - found.get<double>()) <= tolerance;
    return expected == found;
}

std::string environment(const char *name) {
    const char *value = std::getenv(name);
    if (value == nullptr) throw std::runtime_error(std::string("the environment has no ") + name);
    return value;
}

bool has_chat_templates() { return Json::parse(system_info()).at("chat_templates"); }

int run_all() {
    const Json cases = Json::parse(std::ifstream(environment("LLM_CONFORMANCE_CASES"))).at("cases");
    Models models(environment("LLM_CONFORMANCE_MODELS"));
    const bool with_chat = has_chat_templates();
    Json results = Json::object();
    int run_count = 0, failed = 0;
    for (const Json &test : cases) {
        const std::string name = test.at("name"), kind = test.at("kind");
        if (!with_chat && kind.starts_with("chat_")) continue;
        const Json result = run(test, models);
        ++run_count;
        results[name] = result;
        if (!test.contains("expect") || agrees(test["expect"], result, test.value("tolerance", 1e-4))) continue;
        ++failed;
        std::cout << name << ":\n  expected " << test["expect"] << "\n  found    "
                  << result.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    }
    if (const char *file = std::getenv("LLM_CONFORMANCE_RESULTS"))
        std::ofstream(file) << Json{{"language", "cpp"}, {"results", results}} << '\n';
    std::cout << run_count << " cases, " << failed << " failed\n";
    return failed == 0 && run_count > 0 ? 0 : 1;
}

}  // namespace

}  // namespace llm::conformance

int main() try { return llm::conformance::run_all(); } catch (const std::exception &error) {
    std::cerr << "conformance: " << error.what() << '\n';
    return 1;
}
