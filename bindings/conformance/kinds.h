// What each kind of conformance case does, through llm.hpp.
#pragma once

#include <llm/llm.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace llm::conformance {

using Json = nlohmann::json;

// The models of a folder, each opened when it is first named.
class Models {
public:
    explicit Models(std::string folder) : folder_(std::move(folder)) {}

    const Model &get(const std::string &name);
    std::string path(const std::string &file) const { return folder_ + "/" + file; }

private:
    std::string folder_;
    std::map<std::string, Model> open_;
};

// The result of a case; {"error": STATUS} when a call failed. Throws std::out_of_range for an unknown kind.
Json run(const Json &test, Models &models);

}  // namespace llm::conformance
