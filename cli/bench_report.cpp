// Formats for people (table, md), which share their cells, and for programs (csv, json, jsonl), which share their
// fields.
#include "bench_report.h"

#include "text_io.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

template <class... Values>
std::string formatted(const char *format, Values... values) {
    char text[160];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

// Adds to a list with separators.
void append(std::string &list, std::string_view separator, std::string_view item) {
    if (!list.empty()) list += separator;
    list += item;
}

std::string dump(const Json &json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

Json fields(const BenchSubject &subject, const BenchResult &result) {
    Json object = {{"test", result.test.name()},
                   {"tokens_per_second", result.mean()},
                   {"standard_deviation", result.deviation()},
                   {"samples", result.rates},
                   {"depth", result.test.depth},
                   {"sequences", result.test.sequences},
                   {"threads", result.context.threads},
                   {"batch_size", result.context.batch_size},
                   {"tier", subject.tier}};
    if (result.bound) {
        object["roofline_percent"] = result.percent_of_bound();
        object["roofline_tokens_per_second"] = result.bound->tokens_per_second;
        object["roofline_limit"] = result.bound->limit;
        object["read_gigabytes_per_second"] = result.bound->machine.bytes_read / 1e9;
        object["int8_gigaproducts_per_second"] = result.bound->machine.int8_products / 1e9;
    }
    object.update({{"model", subject.model.name},
                   {"architecture", subject.model.architecture},
                   {"type", subject.model.type},
                   {"parameters", subject.model.parameter_count},
                   {"tensor_bytes", subject.model.tensor_bytes},
                   {"version", llm_version_string()}});
    return object;
}

class Report : public BenchReport {
public:
    explicit Report(const BenchSubject &subject) : subject_(subject) {}

protected:
    const BenchSubject &subject() const { return subject_; }
    // Whether it is called for the first time.
    bool is_first() { return std::exchange(first_, false); }

private:
    BenchSubject subject_;
    bool first_ = true;
};

class JsonReport : public Report {
public:
    using Report::Report;

    std::string result(const BenchResult &result) override {
        return (is_first() ? "[\n" : ",\n") + dump(fields(subject(), result), 2);
    }
    std::string end() override { return is_first() ? "[]\n" : "\n]\n"; }
};

class JsonLinesReport : public Report {
public:
    using Report::Report;

    std::string result(const BenchResult &result) override { return dump(fields(subject(), result), -1) + "\n"; }
};

// As RFC 4180 describes it, but for the line ends; lists are numbers with spaces between them.
class CsvReport : public Report {
public:
    using Report::Report;

    std::string result(const BenchResult &result) override {
        const Json object = fields(subject(), result);
        std::string head, row;
        for (const auto &[key, value] : object.items()) {
            append(head, ",", key);
            append(row, ",", quoted(text(value)));
        }
        return (is_first() ? head + "\n" : "") + row + "\n";
    }

private:
    static std::string text(const Json &value) {
        if (value.is_string()) return printable(value.get<std::string>());
        if (!value.is_array()) return value.dump();
        std::string list;
        for (const Json &element : value) append(list, " ", element.dump());
        return list;
    }

    static std::string quoted(const std::string &text) {
        if (text.find_first_of(",\"") == std::string::npos) return text;
        std::string out = "\"";
        for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
        return out + "\"";
    }
};

struct Cell {
    const char *heading;
    std::string text;
    std::size_t width;  // that is enough as a rule
    bool right;         // aligned
};

// Of UTF-8: all bytes but those that continue a character.
std::size_t character_count(std::string_view text) {
    return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<Cell> cells(const BenchSubject &subject, const BenchResult &result) {
    const std::string model = printable(subject.model.name) + " " + subject.model.type;
    const std::string test =
        result.test.name() + (result.test.depth > 0 ? " @ " + std::to_string(result.test.depth) : "");
    std::vector<Cell> row = {{"model", model, character_count(model), false},
                             {"threads", std::to_string(result.context.threads), 7, true},
                             {"batch", std::to_string(result.context.batch_size), 5, true},
                             {"kernels", subject.tier, 7, false},
                             {"test", test, 12, false},
                             {"tokens/s", formatted("%.2f +- %.2f", result.mean(), result.deviation()), 18, true}};
    if (result.bound)
        row.push_back(
            {"roofline", formatted("%.1f %% of %s", result.percent_of_bound(), result.bound->limit), 18, true});
    return row;
}

std::string machine_line(unsigned threads, const MachineRates &rates) {
    return formatted("roofline of %u thread%s: %.1f GB/s read, %.1f G/s int8 multiply-adds\n", threads,
                     threads == 1 ? "" : "s", rates.bytes_read / 1e9, rates.int8_products / 1e9);
}

class TableReport : public Report {
public:
    using Report::Report;

    std::string machine(unsigned threads, const MachineRates &rates) override { return machine_line(threads, rates); }

    std::string result(const BenchResult &result) override {
        std::string head, row;
        for (const Cell &cell : cells(subject(), result)) {
            head += aligned(cell, cell.heading);
            row += aligned(cell, cell.text);
        }
        return (is_first() ? line(head) : "") + line(row);
    }

private:
    static std::string aligned(const Cell &cell, const std::string &text) {
        const std::string padding(cell.width - std::min(cell.width, character_count(text)), ' ');
        return "  " + (cell.right ? padding + text : text + padding);
    }
    static std::string line(const std::string &cells) {
        return cells.substr(2, cells.find_last_not_of(' ') - 1) + "\n";
    }
};

class MarkdownReport : public Report {
public:
    using Report::Report;

    std::string machine(unsigned threads, const MachineRates &rates) override {
        return machine_line(threads, rates) + "\n";
    }

    std::string result(const BenchResult &result) override {
        std::string head = "|", rule = "|", row = "|";
        for (const Cell &cell : cells(subject(), result)) {
            head.append(" ").append(cell.heading).append(" |");
            rule.append(cell.right ? " ---: |" : " --- |");
            row.append(" ").append(escaped(cell.text)).append(" |");
        }
        return (is_first() ? head + "\n" + rule + "\n" : "") + row + "\n";
    }

private:
    static std::string escaped(const std::string &text) {
        std::string out;
        for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
        return out;
    }
};

template <class Kind>
std::unique_ptr<BenchReport> make(const BenchSubject &subject) {
    return std::make_unique<Kind>(subject);
}

struct Format {
    const char *name;
    MakeBenchReport make;
};

const Format formats[] = {{"table", make<TableReport>},
                          {"md", make<MarkdownReport>},
                          {"csv", make<CsvReport>},
                          {"json", make<JsonReport>},
                          {"jsonl", make<JsonLinesReport>}};

}  // namespace

std::string bench_formats() {
    std::string names;
    for (const Format &format : formats) append(names, "|", format.name);
    return names;
}

MakeBenchReport bench_report(const std::string &format) {
    for (const Format &known : formats)
        if (known.name == format) return known.make;
    return nullptr;
}

}  // namespace cli
