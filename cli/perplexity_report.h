// The results of a perplexity measurement, for people and for programs.
#pragma once

#include "json_output.h"
#include "perplexity_logits.h"
#include "perplexity_score.h"

#include <string>

namespace cli {

std::string scores_text(const Scores &scores, const Windows &windows);
Json scores_json(const Scores &scores, const Windows &windows);

// "perplexity 12.34 ± 0.56": what is known so far, in a few words and in a few members.
std::string brief_text(const Scores &scores);
Json brief_json(const Scores &scores);

}  // namespace cli
