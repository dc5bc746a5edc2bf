#include "perplexity_report.h"

#include "inspect_memory.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace cli {
namespace {

struct Quantile {
    double part;
    const char *key, *label;
};
constexpr std::array<Quantile, 9> quantiles = {{{0, "minimum", "least"},
                                                {0.01, "p1", "1 %"},
                                                {0.05, "p5", "5 %"},
                                                {0.5, "median", "median"},
                                                {0.9, "p90", "90 %"},
                                                {0.95, "p95", "95 %"},
                                                {0.99, "p99", "99 %"},
                                                {0.999, "p99.9", "99.9 %"},
                                                {1, "maximum", "greatest"}}};

std::string number(double value, const char *format = "%.6f") {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string with_error(double value, double error, const char *format = "%.6f") {
    return number(value, format) + " ± " + number(error, format);
}

std::string with_error(const Mean &mean) { return with_error(mean.value(), mean.error()); }
std::string percent(const Mean &mean) { return with_error(100 * mean.value(), 100 * mean.error(), "%.3f") + " %"; }

double perplexity(const Mean &loss) { return std::exp(loss.value()); }

// That of a function is the error of its argument times its slope, and the slope of exp is exp.
double perplexity_error(const Mean &loss) { return perplexity(loss) * loss.error(); }

std::string perplexity_text(const Mean &loss) { return with_error(perplexity(loss), perplexity_error(loss), "%.4f"); }

double root_mean_square(const Mean &squares) { return std::sqrt(squares.value()); }

Json mean_json(const Mean &mean) { return {{"mean", mean.value()}, {"error", mean.error()}}; }

Json divergence_json(const Scores &scores) {
    Json object = mean_json(scores.divergence());
    const std::vector<float> sorted = scores.sorted_divergences();
    for (const Quantile &entry : quantiles) object[entry.key] = quantile(sorted, entry.part);
    return object;
}

std::string base_text(const Scores &scores) {
    std::string text = line("perplexity of base", perplexity_text(scores.base_loss())) +
                       line("ln of their ratio", with_error(scores.loss_change())) +
                       line("divergence", with_error(scores.divergence()));
    const std::vector<float> sorted = scores.sorted_divergences();
    for (const Quantile &entry : quantiles)
        text += line(std::string("  ") + entry.label, number(quantile(sorted, entry.part)));
    return text + line("same first choice", percent(scores.same_top())) +
           line("probability change", percent(scores.probability_change()) + ", root mean square " +
                                          number(100 * root_mean_square(scores.squared_probability_change()), "%.3f") +
                                          " %");
}

}  // namespace

std::string scores_text(const Scores &scores, const Windows &windows) {
    return line("tokens scored", std::to_string(scores.count()) + ", in " + std::to_string(windows.count()) +
                                     (windows.count() == 1 ? " window of " : " windows of ") +
                                     std::to_string(windows.length)) +
           line("perplexity", perplexity_text(scores.loss())) + (scores.has_base() ? base_text(scores) : "");
}

Json brief_json(const Scores &scores) {
    Json object = {{"tokens_scored", scores.count()},
                   {"loss", mean_json(scores.loss())},
                   {"perplexity", perplexity(scores.loss())},
                   {"perplexity_error", perplexity_error(scores.loss())}};
    if (scores.has_base()) object["divergence"] = mean_json(scores.divergence());
    return object;
}

Json scores_json(const Scores &scores, const Windows &windows) {
    Json object = brief_json(scores);
    object["windows"] = windows.count();
    object["window_length"] = windows.length;
    if (!scores.has_base()) return object;
    object["base_loss"] = mean_json(scores.base_loss());
    object["base_perplexity"] = perplexity(scores.base_loss());
    object["base_perplexity_error"] = perplexity_error(scores.base_loss());
    object["loss_change"] = mean_json(scores.loss_change());
    object["divergence"] = divergence_json(scores);
    object["same_top"] = mean_json(scores.same_top());
    object["probability_change"] = mean_json(scores.probability_change());
    object["probability_change"]["root_mean_square"] = root_mean_square(scores.squared_probability_change());
    return object;
}

std::string brief_text(const Scores &scores) {
    const std::string text = "perplexity " + perplexity_text(scores.loss());
    return scores.has_base() ? text + ", divergence " + with_error(scores.divergence()) : text;
}

}  // namespace cli
