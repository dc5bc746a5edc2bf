// llm-cli bench: speed of the evaluation of a prompt and of single tokens.
#include "interrupt.h"
#include "options.h"
#include "text_io.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace cli {
namespace {

struct Plan {
    std::size_t prompt, generation, depth, repetitions;
};

struct Row {
    std::string test;
    std::vector<double> rates;  // tokens per second, one for each repetition

    double mean() const {
        double sum = 0;
        for (const double rate : rates) sum += rate;
        return sum / double(rates.size());
    }
    double deviation() const {
        if (rates.size() < 2) return 0;
        double sum = 0;
        for (const double rate : rates) sum += (rate - mean()) * (rate - mean());
        return std::sqrt(sum / double(rates.size() - 1));
    }
};

class Bench {
public:
    Bench(llm_context *context, const Plan &plan, std::uint32_t vocabulary_size) : context_(context), plan_(plan) {
        ids_.resize(std::max({plan.prompt, plan.generation, plan.depth}));
        for (std::size_t i = 0; i < ids_.size(); i++) ids_[i] = llm_token((i * 7919 + 11) % vocabulary_size);
    }

    std::vector<Row> run() {
        warm_up();
        check(llm_eval(context_, 0, ids_.data(), plan_.depth, LLM_EVAL_LOGITS_NONE));
        std::vector<Row> rows;
        if (plan_.prompt > 0) rows.push_back(measure("pp", plan_.prompt, plan_.prompt));
        if (plan_.generation > 0) rows.push_back(measure("tg", plan_.generation, 1));
        return rows;
    }

private:
    // Touches all memory once.
    void warm_up() {
        check(llm_eval(context_, 0, ids_.data(), std::min<std::size_t>(ids_.size(), 512), 0));
        check(llm_sequence_truncate(context_, 0, 0));
    }

    // Evaluates `count` tokens after those of the depth, `step` at once.
    Row measure(const char *kind, std::size_t count, std::size_t step) {
        Row row{kind + std::to_string(count), {}};
        for (std::size_t repetition = 0; repetition < plan_.repetitions; repetition++) {
            check(llm_sequence_truncate(context_, 0, plan_.depth));
            const auto begin = std::chrono::steady_clock::now();
            for (std::size_t i = 0; i < count; i += step) check(llm_eval(context_, 0, &ids_[i], step, 0));
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
            row.rates.push_back(double(count) / seconds.count());
        }
        return row;
    }

    llm_context *context_;
    Plan plan_;
    std::vector<llm_token> ids_;
};

struct Setting {
    llm_model_info model;
    llm_context_info context;
    const char *tier;
    std::size_t depth;
};

std::string rows_json(const std::vector<Row> &rows, const Setting &setting) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const Row &row : rows)
        array.push_back({{"test", row.test},
                         {"tokens_per_second", row.mean()},
                         {"standard_deviation", row.deviation()},
                         {"samples", row.rates},
                         {"depth", setting.depth},
                         {"threads", setting.context.threads},
                         {"batch_size", setting.context.batch_size},
                         {"tier", setting.tier},
                         {"model", setting.model.name},
                         {"architecture", setting.model.architecture},
                         {"type", setting.model.type},
                         {"parameters", setting.model.parameter_count},
                         {"tensor_bytes", setting.model.tensor_bytes},
                         {"version", llm_version_string()}});
    return array.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string rows_table(const std::vector<Row> &rows, const Setting &setting) {
    std::string text =
        "| model | size | threads | kernels | test | tokens/s |\n| --- | ---: | ---: | --- | --- | ---: |\n";
    for (const Row &row : rows) {
        const std::string test = row.test + (setting.depth > 0 ? " @ " + std::to_string(setting.depth) : "");
        char cells[160];
        std::snprintf(cells, sizeof cells, " | %.1f MiB | %u | %s | %s | %.2f +- %.2f |\n",
                      double(setting.model.tensor_bytes) / (1024 * 1024), unsigned(setting.context.threads),
                      setting.tier, test.c_str(), row.mean(), row.deviation());
        text += "| " + printable(setting.model.name) + " " + setting.model.type + cells;
    }
    return text;
}

constexpr long most_tokens = 1L << 30;

Plan read_plan(const Options &options) {
    Plan plan{};
    plan.prompt = std::size_t(options.integer("n-prompt", 512, 0, most_tokens));
    plan.generation = std::size_t(options.integer("n-gen", 64, 0, most_tokens));
    plan.depth = std::size_t(options.integer("n-depth", 0, 0, most_tokens));
    plan.repetitions = std::size_t(options.integer("repetitions", 3, 1, 1000));
    if (plan.prompt + plan.generation == 0) throw UsageError("there is nothing to measure");
    return plan;
}

llm_context_options read_context_options(const Options &options, const Plan &plan) {
    llm_context_options context_options = LLM_CONTEXT_OPTIONS_INIT;
    context_options.context_length = std::int32_t(plan.depth + std::max(plan.prompt, plan.generation));
    options.apply(context_options);
    return context_options;
}

}  // namespace

int cmd_bench(const Arguments &arguments) {
    Options options("bench MODEL [options]",
                    "Measures how many tokens are evaluated in a second: those of a prompt (pp), at once, and those of "
                    "a generation (tg), one by one.");
    options.add_model();
    options.add_value("n-prompt,p", "N", "tokens of the prompt, 0 leaves this test out (default 512)");
    options.add_value("n-gen,n", "N", "tokens of the generation, 0 leaves this test out (default 64)");
    options.add_value("n-depth,d", "N", "tokens that are in the context before (default 0)");
    options.add_value("repetitions,r", "N", "how often each test is measured (default 3)");
    options.add_weights();
    options.add_flag("json", "a JSON array with an object for each test");
    if (!options.parse(arguments)) return exit_ok;
    const Plan plan = read_plan(options);
    const llm_context_options context_options = read_context_options(options, plan);

    catch_interrupts();
    const Model model = options.open_model(interruptible_model_options());
    const Context context = new_context(model.get(), context_options);
    const CancelOnInterrupt cancel(context.get());
    Setting setting{model_info(model.get()), LLM_CONTEXT_INFO_INIT, nullptr, plan.depth};
    check(llm_context_get_info(&setting.context, context.get()));
    check(llm_cpu_tier(&setting.tier));

    const std::vector<Row> rows = Bench(context.get(), plan, setting.model.vocabulary_size).run();
    write(options.has("json") ? rows_json(rows, setting) : rows_table(rows, setting));
    return exit_ok;
}

}  // namespace cli
