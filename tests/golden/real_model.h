// A real model against a reference engine, and against the same weights in full precision (shared/golden/real). Each
// check is skipped when the model or the data is missing.
#pragma once

namespace llm::test {

struct RealModel {
    const char *path_variable;  // environment variable that names the model
    const char *golden_file;
};

// Prompts are tokenized as the reference does.
void check_prompt_ids(const RealModel &real);
// Greedy decoding chooses what the exact weights choose wherever their choice is clear.
void check_clear_choices(const RealModel &real);
// The likelihood of a text is as near to that of the exact weights as the reference's.
void check_likelihood(const RealModel &real);

}  // namespace llm::test
