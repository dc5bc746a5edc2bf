// llm-cli compare: whether all kernel tiers and numbers of threads compute the same bits.
#include "child_process.h"
#include "compare_rows.h"
#include "json_output.h"
#include "text_io.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace cli {
namespace {

const char *const summary =
    "Computes the same text with each kernel tier that this machine has, and with each number of threads of "
    "--threads, "
    "and compares all logits, bit by bit. Shows for each whether they are equal, or the first difference.\n"
    "Exit status: 0 all are equal, 1 there is a difference.";

struct Difference {
    std::size_t row, token;
    float expected, value;
};

struct Facts {
    std::vector<std::string> tiers;
    long threads;
};

// To ask for them chooses the kernel tier of a process.
Facts machine_facts() {
    const Json facts = Json::parse(run_in_child([] { return fill<std::string>(llm_system_info); }));
    return {split(facts.at("tiers").get<std::string>(), ' '), facts.at("threads").get<long>()};
}

std::vector<std::string> chosen_tiers(const Options &options, const std::vector<std::string> &available) {
    const auto words = options.value("tiers");
    if (!words) return available;
    std::vector<std::string> chosen = split(*words, ',');
    for (const std::string &word : chosen)
        if (std::find(available.begin(), available.end(), word) == available.end())
            throw UsageError("--tiers: this machine has no '" + word + "'");
    return chosen;
}

std::vector<Variant> variants_of(const Options &options) {
    const Facts facts = machine_facts();
    std::vector<Variant> variants;
    for (const std::string &tier : chosen_tiers(options, facts.tiers))
        for (const long threads : options.list("threads", facts.threads, 1, 4096)) variants.push_back({tier, threads});
    return variants;
}

// The first row whose numbers differ and, in it, the first value.
std::optional<Difference> find_difference(const Comparison &comparison, const Variant &reference,
                                          const std::vector<std::uint64_t> &expected, const Variant &variant) {
    const std::vector<std::uint64_t> digests = row_digests(comparison, variant);
    const auto row = std::size_t(std::mismatch(digests.begin(), digests.end(), expected.begin(), expected.end()).first -
                                 digests.begin());
    if (row == digests.size() && row == expected.size()) return std::nullopt;
    const std::vector<float> right = row_values(comparison, reference, row);
    const std::vector<float> wrong = row_values(comparison, variant, row);
    for (std::size_t token = 0; token < std::min(right.size(), wrong.size()); token++)
        if (std::memcmp(&right[token], &wrong[token], sizeof(float)) != 0)
            return Difference{row, token, right[token], wrong[token]};
    throw std::runtime_error("row " + std::to_string(row) + " differs with " + variant.tier +
                             " kernels, but not when it is computed again");
}

class Report {
public:
    Report(bool as_json, std::size_t rows) : as_json_(as_json), rows_(rows) {}

    void add_reference(const Variant &variant) {
        json_["rows"] = rows_;
        json_["reference"] = {{"tier", variant.tier}, {"threads", variant.threads}};
        json_["variants"] = Json::array();
        show(variant, "reference, " + std::to_string(rows_) + " rows");
    }

    void add(const Variant &variant, const std::optional<Difference> &difference) {
        equal_ = equal_ && !difference;
        Json entry = {{"tier", variant.tier}, {"threads", variant.threads}, {"equal", !difference}};
        if (difference)
            entry["difference"] = {{"row", difference->row},
                                   {"token", difference->token},
                                   {"expected", difference->expected},
                                   {"value", difference->value}};
        json_["variants"].push_back(entry);
        show(variant, difference ? text_of(*difference) : "equal");
    }

    int finish() {
        json_["equal"] = equal_;
        if (as_json_) write_json(json_);
        return equal_ ? exit_ok : exit_error;
    }

private:
    std::string text_of(const Difference &difference) const {
        char text[160];
        std::snprintf(text, sizeof text, "differs: row %zu, token %zu: %.9g instead of %.9g", difference.row,
                      difference.token, double(difference.value), double(difference.expected));
        return text;
    }

    void show(const Variant &variant, const std::string &result) const {
        if (as_json_) return;
        char start[64];
        std::snprintf(start, sizeof start, "%-8s %4ld thread%s  ", variant.tier.c_str(), variant.threads,
                      variant.threads == 1 ? " " : "s");
        show_status("");
        write(start + result + "\n");
    }

    bool as_json_, equal_ = true;
    std::size_t rows_;
    Json json_;
};

void announce(const Variant &variant) {
    show_status("computing with " + variant.tier + " kernels and " + std::to_string(variant.threads) + " threads");
}

Options make_options() {
    Options options("compare MODEL [TEXT] [options]", summary);
    options.add_model();
    options.add_input_text();
    options.add_value("n-predict,n", "N", "continue the text by so many tokens, one by one (default 16)");
    options.add_list("threads,t", "numbers of threads (default: the machine's)");
    options.add_value("tiers", "LIST", "only these kernel tiers; the first is the reference");
    options.add_flag("json", "one JSON object");
    options.add_weights();
    return options;
}

int run(const Options &options) {
    if (options.has("cpu")) throw UsageError("--cpu is not for this command; --tiers chooses");
    if (!options.has("model")) throw UsageError("no model file was named");
    llm_context_options context = LLM_CONTEXT_OPTIONS_INIT;
    options.apply(context);  // wrong values show before anything is computed
    const std::vector<Variant> variants = variants_of(options);
    const auto predicted = std::size_t(options.integer("n-predict", 16, 0, 1 << 20));
    const Comparison comparison{options, options.input_text(), predicted};

    const Variant &reference = variants.front();
    announce(reference);
    const std::vector<std::uint64_t> expected = row_digests(comparison, reference);
    Report report(options.has("json"), expected.size());
    report.add_reference(reference);
    for (std::size_t i = 1; i < variants.size(); i++) {
        announce(variants[i]);
        report.add(variants[i], find_difference(comparison, reference, expected, variants[i]));
    }
    show_status("");
    return report.finish();
}

}  // namespace

const Command cmd_compare = {"compare", "check that all kernel tiers and numbers of threads compute the same bits",
                             make_options, run};

}  // namespace cli
