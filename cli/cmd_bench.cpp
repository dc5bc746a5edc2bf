// llm-cli bench: speed of the evaluation of prompts and of single tokens, and how much of the machine's limits that is.
#include "bench_bound.h"
#include "bench_report.h"
#include "interrupt.h"
#include "json_output.h"
#include "options.h"
#include "roofline/roofline.h"
#include "text_io.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace cli {
namespace {

constexpr long most_tokens = 1L << 30;
constexpr long most_sequences = 1024;

struct Plan {
    std::vector<BenchTest> tests;               // measured in each context
    std::vector<llm_context_options> contexts;  // one for each number of threads and batch size
    std::size_t longest;                        // tokens that a sequence needs, those of its depth included
    std::size_t repetitions;
};

std::vector<BenchTest> read_tests(const Options &options) {
    std::vector<BenchTest> tests;
    const std::vector<long> prompts = options.list("n-prompt", 512, 0, most_tokens);
    const std::vector<long> generations = options.list("n-gen", 64, 0, most_tokens);
    const auto add = [&](BenchTest::Kind kind, const std::vector<long> &counts, long depth, long sequences) {
        for (const long count : counts)
            if (count > 0) tests.push_back({kind, std::size_t(count), std::size_t(depth), std::size_t(sequences)});
    };
    for (const long depth : options.list("n-depth", 0, 0, most_tokens)) {
        for (const long sequences : options.list("sequences", 1, 1, most_sequences)) {
            add(BenchTest::Kind::prompt, prompts, depth, sequences);
            add(BenchTest::Kind::generation, generations, depth, sequences);
        }
    }
    if (tests.empty()) throw UsageError("there is nothing to measure");
    return tests;
}

void set(llm_context_options &options, const char *name, long value) {
    if (set_option(options, name, std::to_string(value).c_str()) < 0) throw UsageError(last_error());
}

// Threads that a context has when nothing is said of them.
long default_threads() {
    const std::string facts = fill<std::string>(
        [](char *out, std::size_t capacity, std::size_t *length) { return llm_system_info(out, capacity, length); });
    return nlohmann::json::parse(facts).at("threads").get<long>();
}

Plan read_plan(const Options &options) {
    Plan plan{};
    plan.tests = read_tests(options);
    for (const BenchTest &test : plan.tests) plan.longest = std::max(plan.longest, test.depth + test.count);
    plan.repetitions = std::size_t(options.integer("repetitions", 3, 1, 1000));

    llm_context_options context = LLM_CONTEXT_OPTIONS_INIT;
    set(context, "context_length", long(plan.longest));
    std::size_t sequences = 1;
    for (const BenchTest &test : plan.tests) sequences = std::max(sequences, test.sequences);
    set(context, "max_sequences", long(sequences));
    options.apply(context);
    for (const long threads : options.list("threads", 0, 0, most_tokens)) {
        for (const long batch_size : options.list("batch-size", 0, 0, most_tokens)) {
            set(context, "threads", threads > 0 ? threads : default_threads());
            set(context, "batch_size", batch_size);
            plan.contexts.push_back(context);
        }
    }
    return plan;
}

// Measures in one context.
class Stopwatch {
public:
    Stopwatch(llm_context *context, const std::vector<llm_token> &ids) : context_(context), ids_(ids) {
        evaluate(1, 0, std::min<std::size_t>(ids.size(), 512), 512);  // touches all memory once
    }

    // Tokens per second.
    double rate(const BenchTest &test) {
        for (std::size_t sequence = 0; sequence < test.sequences; sequence++) go_to(int(sequence), test.depth);
        const auto begin = std::chrono::steady_clock::now();
        evaluate(test.sequences, test.depth, test.count, test.kind == BenchTest::Kind::prompt ? test.count : 1);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        return double(test.sequences * test.count) / seconds.count();
    }

private:
    // Brings a sequence to this length.
    void go_to(int sequence, std::size_t depth) {
        std::size_t length = 0;
        check(llm_sequence_reuse_prefix(&length, context_, sequence, ids_.data(), depth + 1));
        check(llm_eval(context_, sequence, &ids_[length], depth - length, LLM_EVAL_LOGITS_NONE));
    }

    // Appends the tokens from `first` on to each sequence, so many at once.
    void evaluate(std::size_t sequences, std::size_t first, std::size_t count, std::size_t step) {
        for (std::size_t i = 0; i < count; i += step) {
            check(llm_batch_clear(batch_.get()));
            for (std::size_t sequence = 0; sequence < sequences; sequence++)
                check(llm_batch_add(nullptr, batch_.get(), int(sequence), &ids_[first + i], std::min(step, count - i),
                                    0));
            check(llm_eval_batch(context_, batch_.get()));
        }
    }

    llm_context *context_;
    const std::vector<llm_token> &ids_;
    const Batch batch_ = new_batch();
};

class Bench {
public:
    Bench(llm_model *model, const Plan &plan, MakeBenchReport make_report)
        : model_(model), plan_(plan), work_(model), ids_(plan.longest) {
        BenchSubject subject{model_info(model), nullptr};
        check(llm_cpu_tier(&subject.tier));
        report_ = make_report(subject);
        for (std::size_t i = 0; i < ids_.size(); i++)
            ids_[i] = llm_token((i * 7919 + 11) % subject.model.vocabulary_size);
    }

    ~Bench() { show_status(""); }
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    void measure_machine() {
        for (const llm_context_options &options : plan_.contexts) {
            const auto threads = unsigned(options.threads);
            if (machine_.count(threads) != 0) continue;
            show_status("measuring the roofline of " + std::to_string(threads) + " threads");
            const double bytes = roofline::read_rate(threads, std::size_t(work_.bytes_for_token()));
            machine_[threads] = {bytes, roofline::int8_rate(threads)};
            print(report_->machine(threads, machine_[threads]));
        }
    }

    void run() {
        for (const llm_context_options &options : plan_.contexts) {
            const Context context = new_context(model_, options);
            const CancelOnInterrupt cancel(context.get());
            run_tests(context.get());
        }
        print(report_->end());
    }

private:
    void run_tests(llm_context *context) {
        llm_context_info info = LLM_CONTEXT_INFO_INIT;
        check(llm_context_get_info(&info, context));
        Stopwatch stopwatch(context, ids_);
        for (const BenchTest &test : plan_.tests) {
            BenchResult result{test, info, {}, {}};
            for (std::size_t i = 0; i < plan_.repetitions; i++) {
                show_status(test.name() + ", depth " + std::to_string(test.depth) + ", " +
                            std::to_string(info.threads) + " threads: " + std::to_string(i + 1) + " of " +
                            std::to_string(plan_.repetitions));
                result.rates.push_back(stopwatch.rate(test));
            }
            if (const auto machine = machine_.find(info.threads); machine != machine_.end())
                result.bound = work_.bound(test, info, machine->second);
            print(report_->result(result));
        }
    }

    static void print(const std::string &text) {
        show_status("");
        write(text);
    }

    llm_model *model_;
    const Plan &plan_;
    ModelWork work_;
    std::vector<llm_token> ids_;
    std::unique_ptr<BenchReport> report_;
    std::map<unsigned, MachineRates> machine_;  // by the number of threads
};

MakeBenchReport read_format(const Options &options) {
    if (options.has("json") && options.has("format")) throw UsageError("--json and --format exclude each other");
    const std::string format = options.has("json") ? "json" : options.value("format").value_or("table");
    if (format == "json" || format == "jsonl") set_json_errors();
    const MakeBenchReport make = bench_report(format);
    if (make == nullptr) throw UsageError("--format: '" + format + "' is none of " + bench_formats());
    return make;
}

const char *const summary =
    "Measures how many tokens are evaluated in a second: those of a prompt (pp), at once, and those of a "
    "generation (tg), one by one. A LIST is numbers and ranges, as in 16,128,512 or 1-4; all combinations "
    "are measured.\n"
    "The roofline is the speed that the machine allows; the last column says how many percent of it were "
    "reached, and what sets the limit. It is measured first, with as many threads as the tests have: how "
    "fast a block of memory of the weights' size is read, and how fast int8 numbers are multiplied and "
    "added. For each token of a generation, and for each batch of a prompt, the weights and the key-value "
    "cache are read once; for each token there is a multiplication with each weight. The longer of both "
    "times is 100 %. Other work, as that of attention, is not counted.";

void add_options(Options &options) {
    options.add_model();
    options.add_list("n-prompt,p", "tokens of the prompt, 0 leaves this test out (default 512)");
    options.add_list("n-gen,n", "tokens of the generation, 0 leaves this test out (default 64)");
    options.add_list("n-depth,d", "tokens that are in the context before (default 0)");
    options.add_list("sequences,-np", "sequences that are evaluated together (default 1)");
    options.add_list("threads,t", "threads that compute; 0 = the machine's default (default 0)");
    options.add_list("batch-size,b", "tokens computed at once; 0 = 512 (default 0)");
    options.add_value("repetitions,r", "N", "how often each test is measured (default 3)");
    options.add_weights();
    options.add_value("format", bench_formats(), "of the results (default table)");
    options.add_flag("json", "the same as --format json");
    options.add_flag("no-roofline", "do not measure what the machine allows");
}

Options make_options() {
    Options options("bench MODEL [options]", summary);
    add_options(options);
    return options;
}

int run(const Options &options) {
    const MakeBenchReport make_report = read_format(options);
    const Plan plan = read_plan(options);

    catch_interrupts();
    const Model model = options.open_model(LLM_MODEL_OPTIONS_INIT);
    Bench bench(model.get(), plan, make_report);
    if (!options.has("no-roofline")) bench.measure_machine();
    bench.run();
    return exit_ok;
}

}  // namespace

const Command cmd_bench = {"bench", "measure the speed of prompt and generation", make_options, run};

}  // namespace cli
