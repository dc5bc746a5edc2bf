// Samplers through the C API: with contexts and generations, and what is refused.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace llm::test {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

using Tokens = std::vector<llm_token>;

SamplerPointer make_sampler(const llm_sampler_options &options) {
    llm_sampler *sampler = nullptr;
    check(llm_sampler_new(&sampler, &options));
    return SamplerPointer(sampler);
}

SamplerPointer clone(const SamplerPointer &sampler) {
    llm_sampler *copy = nullptr;
    check(llm_sampler_clone(&copy, sampler.get()));
    return SamplerPointer(copy);
}

llm_sampler_options greedy_options() {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    options.temperature = 0;
    return options;
}

struct Fixture {
    ModelPointer model = open_model(tiny_llama().bytes());
    Session session{model.get(), precise_options(128)};
    Tokens prompt = {'O', 'n', 'c', 'e'};

    llm_token sample(const SamplerPointer &sampler) {
        llm_token token = LLM_TOKEN_NONE;
        check(llm_sample(&token, sampler.get(), session.get(), -1));
        return token;
    }

    // A text's tokens from the beginning of the sequence.
    Tokens generate(const SamplerPointer &sampler, int32_t count) {
        session.clear();
        llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
        options.max_tokens = count;
        llm_generation *started = nullptr;
        check(llm_generation_start(&started, session.get(), sampler.get(), prompt.data(), prompt.size(), &options));
        const GenerationPointer generation(started);
        llm_chunk chunk = LLM_CHUNK_INIT;
        Tokens tokens;
        while (llm_generation_next(&chunk, generation.get()) == LLM_OK) tokens.push_back(chunk.token);
        return tokens;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_clone_goes_on_as_its_original, Fixture) {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    options.temperature = 2.0f;
    options.frequency_penalty = 0.5f;
    const SamplerPointer original = make_sampler(options);
    generate(original, 10);
    SamplerPointer copy = clone(original);
    BOOST_TEST(llm_sampler_seed(copy.get()) == llm_sampler_seed(original.get()));
    const Tokens first = generate(original, 20), second = generate(copy, 20);
    BOOST_TEST(first == second, boost::test_tools::per_element());
    llm_sampler *out = nullptr;
    BOOST_TEST(llm_sampler_clone(&out, nullptr) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_sampler_clone(nullptr, copy.get()) == LLM_ERROR_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(penalties_see_prompt_and_generated_tokens_until_reset, Fixture) {
    llm_sampler_options options = greedy_options();
    options.presence_penalty = 1000;
    options.repeat_last_n = -1;
    const SamplerPointer sampler = make_sampler(options);
    Tokens tokens = generate(sampler, 20);
    const Tokens again = [&] {
        check(llm_sampler_reset(sampler.get()));
        return generate(sampler, 20);
    }();
    BOOST_TEST(tokens == again, boost::test_tools::per_element());
    // Nothing is written twice, nor from the prompt.
    tokens.insert(tokens.end(), prompt.begin(), prompt.end());
    std::sort(tokens.begin(), tokens.end());
    BOOST_TEST((std::adjacent_find(tokens.begin(), tokens.end()) == tokens.end()));
}

BOOST_FIXTURE_TEST_CASE(accepted_tokens_count, Fixture) {
    check(llm_eval(session.get(), 0, prompt.data(), prompt.size(), 0));
    llm_sampler_options options = greedy_options();
    const llm_token best = sample(make_sampler(options));
    options.presence_penalty = 1000;
    const SamplerPointer sampler = make_sampler(options);
    check(llm_sampler_accept(sampler.get(), &best, 1));
    const llm_token second = sample(sampler), third = sample(sampler);  // which llm_sample() accepts
    BOOST_TEST(second != best);
    BOOST_TEST(third != best);
    BOOST_TEST(third != second);
    check(llm_sampler_reset(sampler.get()));
    BOOST_TEST(sample(sampler) == best);
    const llm_token none = -1;
    BOOST_TEST(llm_sampler_accept(sampler.get(), &none, 1) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_sampler_accept(sampler.get(), nullptr, 1) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_sampler_accept(sampler.get(), nullptr, 0) == LLM_OK);
    BOOST_TEST(llm_sampler_accept(nullptr, &best, 1) == LLM_ERROR_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(biases_ban_and_force_tokens, Fixture) {
    check(llm_eval(session.get(), 0, prompt.data(), prompt.size(), 0));
    llm_sampler_options options = greedy_options();
    const llm_token best = sample(make_sampler(options));
    llm_logit_bias biases[] = {{best, -infinity}, {'q', 1000.0f}};
    options.logit_bias = biases;
    options.logit_bias_count = 1;
    const SamplerPointer banning = make_sampler(options);
    options.logit_bias_count = 2;
    const SamplerPointer forcing = make_sampler(options);
    biases[0].token = biases[1].token = 0;  // the array was copied
    BOOST_TEST(sample(banning) != best);
    BOOST_TEST(sample(forcing) == 'q');

    llm_sampler *out = nullptr;
    for (const llm_logit_bias wrong : {llm_logit_bias{1, infinity}, {1, std::nanf("")}, {-1, 0}}) {
        options.logit_bias = &wrong;
        options.logit_bias_count = 1;
        BOOST_TEST(llm_sampler_new(&out, &options) == LLM_ERROR_ARGUMENT);
    }
    options.logit_bias = nullptr;
    BOOST_TEST(llm_sampler_new(&out, &options) == LLM_ERROR_ARGUMENT);
    const llm_logit_bias outside{300, 1};
    options.logit_bias = &outside;
    llm_token token = 0;
    BOOST_TEST(llm_sample(&token, make_sampler(options).get(), session.get(), -1) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(last_error() == "logit_bias names token 300, the vocabulary has 300");
    std::vector<llm_logit_bias> all(300, {0, -infinity});
    for (llm_token i = 0; i < 300; ++i) all[static_cast<size_t>(i)].token = i;
    options.logit_bias = all.data();
    options.logit_bias_count = all.size();
    BOOST_TEST(llm_sample(&token, make_sampler(options).get(), session.get(), -1) == LLM_ERROR_NONFINITE);
}

BOOST_FIXTURE_TEST_CASE(dry_knows_breakers_by_the_models_vocabulary, Fixture) {
    check(llm_eval(session.get(), 0, prompt.data(), prompt.size(), 0));
    llm_sampler_options options = greedy_options();
    const llm_token best = sample(make_sampler(options));
    options.dry_multiplier = 1000;
    // "abX" was followed by the best token; after "abX" again it is not chosen, unless a breaker is in between.
    const Tokens repetition = {'a', 'b', 'X', best, 'z', 'a', 'b', 'X'};
    const auto choice = [&](std::initializer_list<const char *> breakers) {
        const std::vector<const char *> texts(breakers);
        std::vector<size_t> lengths;
        for (const char *text : texts) lengths.push_back(std::char_traits<char>::length(text));
        const char *const nothing = nullptr;
        options.dry_breakers = texts.empty() ? &nothing : texts.data();
        options.dry_breaker_lengths = lengths.data();
        options.dry_breaker_count = texts.size();
        const SamplerPointer sampler = make_sampler(options);
        check(llm_sampler_accept(sampler.get(), repetition.data(), repetition.size()));
        return sample(sampler);
    };
    BOOST_TEST(choice({}) != best);
    BOOST_TEST(choice({"q"}) != best);
    BOOST_TEST(choice({"X"}) == best);
    BOOST_TEST(choice({"b"}) == best);
    BOOST_TEST(choice({"a"}) != best);   // two tokens are left
    BOOST_TEST(choice({"ab"}) == best);  // of two tokens
    BOOST_TEST(choice({"q", "bX"}) == best);
    options.dry_breakers = nullptr;  // the default ones
    options.dry_breaker_count = 0;
    const SamplerPointer sampler = make_sampler(options);
    const Tokens lines = {'a', ':', '*', best, 'z', 'a', ':', '*'};
    check(llm_sampler_accept(sampler.get(), lines.data(), lines.size()));
    BOOST_TEST(sample(sampler) == best);

    llm_sampler *out = nullptr;
    const std::string long_text(257, 'x');
    for (const auto &[text, length] : {std::pair{"", size_t{0}}, {long_text.c_str(), long_text.size()}}) {
        options.dry_breakers = &text;
        options.dry_breaker_lengths = &length;
        options.dry_breaker_count = 1;
        BOOST_TEST(llm_sampler_new(&out, &options) == LLM_ERROR_ARGUMENT);
    }
}

BOOST_FIXTURE_TEST_CASE(log_probabilities_of_the_best_are_those_of_the_logits, Fixture) {
    const std::vector<float> logits = session.evaluate(prompt);
    double total = 0;
    for (const float logit : logits) total += std::exp(double{logit});
    std::vector<llm_token_logprob> best(300);
    size_t count = 0;
    check(llm_logprobs(best.data(), best.size(), &count, session.get(), -1));
    BOOST_TEST(count == 300u);
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const double expected = logits[static_cast<size_t>(best[i].token)] - std::log(total);
        BOOST_TEST(std::abs(best[i].logprob - expected) < 1e-5);
        if (i > 0) BOOST_TEST(best[i].logprob <= best[i - 1].logprob);
        sum += std::exp(double{best[i].logprob});
    }
    BOOST_TEST(std::abs(sum - 1) < 1e-5);
    BOOST_TEST(best[0].token == arg_max(logits));
    check(llm_logprobs(best.data(), 3, &count, session.get(), 0));
    BOOST_TEST(count == 3u);
    check(llm_logprobs(best.data(), 300, nullptr, session.get(), 0));
    check(llm_logprobs(nullptr, 0, &count, session.get(), 0));
    BOOST_TEST(count == 0u);
    BOOST_TEST(llm_logprobs(nullptr, 1, &count, session.get(), 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_logprobs(best.data(), 1, &count, session.get(), 1) == LLM_ERROR_ARGUMENT);
    Session fresh(model.get(), precise_options(16));
    BOOST_TEST(llm_logprobs(best.data(), 1, &count, fresh.get(), -1) == LLM_ERROR_STATE);
}

BOOST_FIXTURE_TEST_CASE(chunks_have_the_best_tokens_when_asked, Fixture) {
    const SamplerPointer sampler = make_sampler(greedy_options());
    for (const int32_t wanted : {0, 1, 4}) {
        session.clear();
        llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
        options.max_tokens = 5;
        options.logprobs = wanted;
        llm_generation *started = nullptr;
        check(llm_generation_start(&started, session.get(), sampler.get(), prompt.data(), prompt.size(), &options));
        const GenerationPointer generation(started);
        llm_chunk chunk = LLM_CHUNK_INIT;
        while (llm_generation_next(&chunk, generation.get()) == LLM_OK) {
            BOOST_REQUIRE(chunk.top_count == static_cast<size_t>(wanted));
            if (wanted == 0) continue;
            BOOST_TEST(chunk.top[0].token == chunk.token);
            BOOST_TEST(chunk.top[0].logprob == chunk.logprob);
            std::vector<llm_token_logprob> expected(chunk.top_count);
            check(llm_logprobs(expected.data(), expected.size(), nullptr, session.get(), -1));
            for (size_t i = 0; i < expected.size(); ++i) {
                BOOST_TEST(chunk.top[i].token == expected[i].token);
                BOOST_TEST(chunk.top[i].logprob == expected[i].logprob);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(recommended_options_are_those_of_the_file) {
    GgufBuilder file = tiny_llama();
    file.set("general.sampling.temp", 0.25f).set("general.sampling.top_k", 20).set("general.sampling.top_p", 7.0f);
    file.set("general.sampling.penalty_last_n", 32).set("general.sampling.penalty_repeat", 1.5f);
    file.set("general.sampling.min_p", std::string("much")).set("general.sampling.mirostat", 1);
    const ModelPointer model = open_model(file.bytes());
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    options.seed = 5;
    check(llm_sampler_options_from_model(&options, model.get()));
    llm_sampler_options expected = LLM_SAMPLER_OPTIONS_INIT;
    expected.seed = 5;
    expected.temperature = 0.25f;
    expected.top_k = 20;
    expected.repeat_last_n = 32;
    expected.repeat_penalty = 1.5f;
    BOOST_TEST(std::memcmp(&options, &expected, sizeof options) == 0);
    BOOST_TEST(llm_sampler_options_from_model(nullptr, model.get()) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_sampler_options_from_model(&options, nullptr) == LLM_ERROR_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(every_real_option_must_be_finite_and_in_range) {
    for (size_t i = 0; i < llm_option_count(LLM_OPTIONS_SAMPLER); ++i) {
        llm_option row = LLM_OPTION_INIT;
        check(llm_option_describe(&row, LLM_OPTIONS_SAMPLER, i));
        if (row.type != LLM_OPTION_REAL) continue;
        // The field is found by the value that its name sets.
        llm_sampler_options before = LLM_SAMPLER_OPTIONS_INIT, after = before;
        check(llm_sampler_options_set(&after, row.name, row.default_value == 1 ? "0.5" : "1"));
        size_t offset = 0;
        while (std::memcmp(reinterpret_cast<char *>(&before) + offset, reinterpret_cast<char *>(&after) + offset, 4) ==
               0)
            offset += 4;
        for (const float bad : {std::nanf(""), infinity, -infinity, static_cast<float>(row.maximum) * 2 + 1}) {
            llm_sampler_options options = before;
            std::memcpy(reinterpret_cast<char *>(&options) + offset, &bad, sizeof bad);
            llm_sampler *sampler = nullptr;
            BOOST_TEST(llm_sampler_new(&sampler, &options) == LLM_ERROR_ARGUMENT);
            BOOST_TEST(last_error().find(std::string("'").append(row.name).append("'")) != std::string::npos);
        }
    }
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    options.mirostat = 1;
    llm_sampler *sampler = nullptr;
    BOOST_TEST(llm_sampler_new(&sampler, &options) == LLM_ERROR_ARGUMENT);
}

}  // namespace llm::test
