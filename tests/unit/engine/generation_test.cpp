// Generation of text, one chunk at a time.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

namespace llm::test {

namespace {

struct Result {
    std::string text;
    std::vector<llm_token> tokens;
    std::vector<float> logprobs;
    llm_finish_reason reason = LLM_FINISH_NONE;
};

struct Fixture {
    ModelPointer model = open_model(tiny_llama().bytes());
    SamplerPointer sampler = make_sampler();
    std::vector<llm_token> prompt = {'O', 'n', 'c', 'e'};
    llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;

    static SamplerPointer make_sampler() {
        llm_sampler_options o = LLM_SAMPLER_OPTIONS_INIT;
        o.seed = 42;
        o.temperature = 1.5f;
        llm_sampler *sampler = nullptr;
        check(llm_sampler_new(&sampler, &o));
        return SamplerPointer(sampler);
    }

    GenerationPointer start(Session &session) {
        llm_generation *generation = nullptr;
        check(llm_generation_start(&generation, session.get(), sampler.get(), prompt.data(), prompt.size(), &options));
        return GenerationPointer(generation);
    }

    Result generate(Session &session) {
        check(llm_sampler_reset(sampler.get()));
        const GenerationPointer generation = start(session);
        Result result;
        llm_chunk chunk = LLM_CHUNK_INIT;
        llm_status status;
        while ((status = llm_generation_next(&chunk, generation.get())) == LLM_OK) {
            BOOST_TEST(result.reason == LLM_FINISH_NONE);
            result.text.append(chunk.text, chunk.text_length);
            if (chunk.token != LLM_TOKEN_NONE) result.tokens.push_back(chunk.token);
            result.logprobs.push_back(chunk.logprob);
            result.reason = chunk.finish_reason;
        }
        BOOST_TEST(status == LLM_END);
        BOOST_TEST(llm_generation_next(&chunk, generation.get()) == LLM_END);
        return result;
    }
};

std::string decoded(const llm_model *model, const std::vector<llm_token> &tokens) {
    std::string text(4096, '\0');
    size_t length = 0;
    check(llm_detokenize(text.data(), text.size(), &length, model, tokens.data(), tokens.size(), 0));
    text.resize(length);
    return text;
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Some characters from the middle of a text.
std::string middle_characters(const std::string &text, size_t count) {
    size_t first = text.size() / 2;
    while (continues_character(text[first])) --first;
    size_t last = first;
    for (; count > 0; --count) do
            ++last;
        while (last < text.size() && continues_character(text[last]));
    return text.substr(first, last - first);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(it_ends_after_the_wanted_number_of_tokens, Fixture) {
    Session session(model.get(), precise_options(128));
    options.max_tokens = 5;
    const Result result = generate(session);
    BOOST_TEST(result.reason == LLM_FINISH_LENGTH);
    BOOST_TEST(result.tokens.size() == 5u);
    size_t length = 0;
    check(llm_sequence_length(&length, session.get(), 0));
    BOOST_TEST(length == 4u + 4u);  // the last token is not evaluated
}

BOOST_FIXTURE_TEST_CASE(the_same_seed_writes_the_same_text, Fixture) {
    options.max_tokens = 30;
    Session one(model.get(), precise_options(128, 1)), two(model.get(), precise_options(128, 2));
    const Result first = generate(one), second = generate(two);
    BOOST_TEST(first.text == second.text);
    BOOST_TEST(first.tokens == second.tokens, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_full_context_ends_it, Fixture) {
    Session session(model.get(), precise_options(12));
    const Result result = generate(session);
    if (result.reason != LLM_FINISH_END_TOKEN) {
        BOOST_TEST(result.reason == LLM_FINISH_CONTEXT_FULL);
        BOOST_TEST(result.tokens.size() == 12u - 4u + 1u);
    }
}

BOOST_FIXTURE_TEST_CASE(a_prompt_without_room_is_an_error_that_can_be_repeated, Fixture) {
    Session session(model.get(), precise_options(3));
    const GenerationPointer generation = start(session);
    llm_chunk chunk = LLM_CHUNK_INIT;
    for (int i = 0; i < 2; ++i) BOOST_TEST(llm_generation_next(&chunk, generation.get()) == LLM_ERROR_CONTEXT_FULL);
}

BOOST_FIXTURE_TEST_CASE(a_stop_text_ends_it_and_is_not_given, Fixture) {
    options.max_tokens = 40;
    Session session(model.get(), precise_options(128));
    const Result whole = generate(session);
    BOOST_REQUIRE(whole.text.size() > 12);
    for (const size_t size : {size_t{1}, size_t{3}, size_t{7}}) {
        const std::string stop = middle_characters(whole.text, size);
        const char *const stops[] = {"never in any text", stop.c_str()};
        const size_t lengths[] = {17, stop.size()};
        options.stops = stops;
        options.stop_lengths = lengths;
        options.stop_count = 2;
        session.clear();
        const Result stopped = generate(session);
        BOOST_TEST(stopped.reason == LLM_FINISH_STOP);
        BOOST_TEST(stopped.text == whole.text.substr(0, whole.text.find(stop)));
    }
}

BOOST_FIXTURE_TEST_CASE(a_stop_text_that_spells_a_control_token_stops_at_that_token, Fixture) {
    // Half of the bytes are control tokens here, which have no text.
    const auto is_control = [](llm_token token) { return token >= 128 && token < 256; };
    std::vector<int32_t> types(tiny_llama_vocabulary_size, 1);
    std::fill(types.begin() + 128, types.begin() + 256, 3);
    model = open_model(tiny_llama().set_array("tokenizer.ggml.token_type", types).bytes());
    options.max_tokens = 40;
    Session session(model.get(), precise_options(128));
    const Result whole = generate(session);
    // The first time that some control token comes after text.
    auto first = whole.tokens.begin();
    const auto fits = [&] {
        return is_control(*first) && std::find(whole.tokens.begin(), first, *first) == first &&
               !decoded(model.get(), {whole.tokens.begin(), first}).empty();
    };
    while (first != whole.tokens.end() && !fits()) ++first;
    BOOST_REQUIRE(first != whole.tokens.end());
    const std::string stop = gpt2_byte_spelling(static_cast<uint8_t>(*first));

    // The other stop text holds back what comes before.
    const std::string text = decoded(model.get(), {whole.tokens.begin(), first});
    const std::string held = text.back() + std::string(" and never this");
    const char *const stops[] = {held.c_str(), stop.c_str()};
    const size_t lengths[] = {held.size(), stop.size()};
    options.stops = stops;
    options.stop_lengths = lengths;
    options.stop_count = 2;
    session.clear();
    const Result stopped = generate(session);
    BOOST_TEST(stopped.reason == LLM_FINISH_STOP);
    BOOST_TEST(stopped.text == text);
    BOOST_TEST(stopped.tokens == std::vector<llm_token>(whole.tokens.begin(), first + 1),
               boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(the_text_is_that_of_all_tokens_decoded_at_once, Fixture) {
    // SentencePiece, where a space in front counts inside a text and not at its start, as after a control token.
    std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
    std::vector<int32_t> types = {2, 3, 3};
    while (tokens.size() < tiny_llama_vocabulary_size) {
        const bool control = tokens.size() % 8 == 0;
        tokens.push_back((control ? "<|" : "\u2581") + std::to_string(tokens.size()));
        types.push_back(control ? 3 : 1);
    }
    model = open_model(tiny_llama()
                           .set("tokenizer.ggml.model", "llama")
                           .set_strings("tokenizer.ggml.tokens", tokens)
                           .set_array("tokenizer.ggml.token_type", types)
                           .set_array("tokenizer.ggml.scores", std::vector<float>(tokens.size(), 0.0f))
                           .set("tokenizer.ggml.bos_token_id", uint32_t{1})
                           .set("tokenizer.ggml.eos_token_id", uint32_t{2})
                           .remove("tokenizer.ggml.eot_token_id")
                           .bytes());
    options.max_tokens = 60;
    Session session(model.get(), precise_options(128));
    ptrdiff_t spaces = 0;
    for (const std::vector<llm_token> &start : std::vector<std::vector<llm_token>>{{1}, {1, 4}, {1, 4, 8}}) {
        prompt = start;
        session.clear();
        const Result result = generate(session);
        std::vector<llm_token> all = prompt;
        all.insert(all.end(), result.tokens.begin(), result.tokens.end());
        BOOST_TEST(decoded(model.get(), prompt) + result.text == decoded(model.get(), all));
        spaces += std::ranges::count(result.text, ' ');
    }
    BOOST_TEST(spaces > 10);
}

BOOST_FIXTURE_TEST_CASE(chunks_are_whole_characters, Fixture) {
    // This vocabulary is bytes, most of which are no character on their own.
    options.max_tokens = 60;
    Session session(model.get(), precise_options(128));
    check(llm_sampler_reset(sampler.get()));
    const GenerationPointer generation = start(session);
    llm_chunk chunk = LLM_CHUNK_INIT;
    while (llm_generation_next(&chunk, generation.get()) == LLM_OK) {
        const std::string text(chunk.text, chunk.text_length);
        size_t i = 0;
        while (i < text.size()) {
            const auto lead = static_cast<unsigned char>(text[i]);
            const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
            BOOST_REQUIRE(length != 0);
            BOOST_REQUIRE(i + length <= text.size());
            for (size_t k = 1; k < length; ++k) BOOST_TEST((static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80);
            i += length;
        }
    }
}

BOOST_FIXTURE_TEST_CASE(log_probabilities_are_those_of_the_logits, Fixture) {
    options.max_tokens = 6;
    options.logprobs = 1;
    Session session(model.get(), precise_options(128)), reference(model.get(), precise_options(128));
    const Result result = generate(session);
    std::vector<float> logits = reference.evaluate(prompt);
    for (size_t i = 0; i < result.tokens.size(); ++i) {
        double sum = 0.0;
        for (const float logit : logits) sum += std::exp(double{logit});
        BOOST_TEST(std::abs(result.logprobs[i] - (logits[result.tokens[i]] - std::log(sum))) < 1e-4);
        logits = reference.evaluate(std::span(&result.tokens[i], 1));
    }
}

BOOST_FIXTURE_TEST_CASE(cancelling_a_step_lets_it_be_repeated, Fixture) {
    options.max_tokens = 8;
    Session session(model.get(), precise_options(128));
    const Result expected = generate(session);
    session.clear();
    check(llm_sampler_reset(sampler.get()));
    const GenerationPointer generation = start(session);
    Result result;
    llm_chunk chunk = LLM_CHUNK_INIT;
    for (;;) {
        llm_cancel(session.get());
        const llm_status cancelled = llm_generation_next(&chunk, generation.get());
        if (cancelled == LLM_END) break;
        BOOST_REQUIRE(cancelled == LLM_CANCELLED);
        BOOST_REQUIRE(llm_generation_next(&chunk, generation.get()) == LLM_OK);
        result.tokens.push_back(chunk.token);
    }
    BOOST_TEST(result.tokens == expected.tokens, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(stop_texts_that_could_never_be_found_are_refused, Fixture) {
    Session session(model.get(), precise_options(128));
    for (const std::string bad : {"", "half of \xC3", "\xFF"}) {
        const char *const stops[] = {"fine", bad.c_str()};
        const size_t lengths[] = {4, bad.size()};
        options.stops = stops;
        options.stop_lengths = lengths;
        options.stop_count = 2;
        llm_generation *generation = nullptr;
        BOOST_TEST(llm_generation_start(&generation, session.get(), sampler.get(), prompt.data(), prompt.size(),
                                        &options) == LLM_ERROR_ARGUMENT);
        BOOST_TEST(last_error().find("stop text 1") != std::string::npos);
    }
}

BOOST_FIXTURE_TEST_CASE(nothing_to_start_from_is_an_error, Fixture) {
    Session session(model.get(), precise_options(128));
    llm_generation *generation = nullptr;
    BOOST_TEST(llm_generation_start(&generation, session.get(), sampler.get(), nullptr, 0, nullptr) == LLM_ERROR_STATE);
    BOOST_TEST(generation == nullptr);
    session.evaluate(prompt);
    BOOST_TEST(llm_generation_start(&generation, session.get(), sampler.get(), nullptr, 0, nullptr) == LLM_OK);
    llm_chunk chunk = LLM_CHUNK_INIT;
    BOOST_TEST(llm_generation_next(&chunk, generation) == LLM_OK);
    llm_generation_close(generation);
}

BOOST_FIXTURE_TEST_CASE(generations_in_two_sequences_take_turns, Fixture) {
    options.max_tokens = 20;
    Session alone(model.get(), precise_options(128));
    const Result expected = generate(alone);
    llm_context_options two = precise_options(128);
    two.max_sequences = 2;
    Session session(model.get(), two);
    check(llm_sampler_reset(sampler.get()));
    const GenerationPointer first = start(session);
    options.sequence = 1;
    sampler = make_sampler();
    const GenerationPointer second = start(session);
    llm_chunk chunk = LLM_CHUNK_INIT;
    for (const llm_token token : expected.tokens)
        for (llm_generation *generation : {first.get(), second.get()}) {
            check(llm_generation_next(&chunk, generation));
            BOOST_TEST(chunk.token == token);
        }
}

BOOST_FIXTURE_TEST_CASE(logits_of_another_sequence_are_nothing_to_start_from, Fixture) {
    llm_context_options two = precise_options(128);
    two.max_sequences = 2;
    Session session(model.get(), two);
    session.evaluate(prompt);
    const auto start_empty = [&](int32_t sequence) {
        options.sequence = sequence;
        llm_generation *generation = nullptr;
        const llm_status status = llm_generation_start(&generation, session.get(), sampler.get(), nullptr, 0, &options);
        llm_generation_close(generation);
        return status;
    };
    BOOST_TEST(start_empty(0) == LLM_OK);
    BOOST_TEST(start_empty(1) == LLM_ERROR_STATE);
    check(llm_sequence_fork(session.get(), 0, 1));
    BOOST_TEST(start_empty(1) == LLM_OK);
    check(llm_sequence_truncate(session.get(), 0, 2));
    BOOST_TEST(start_empty(0) == LLM_ERROR_STATE);
    check(llm_eval(session.get(), 0, prompt.data(), 1, 0));
    BOOST_TEST(start_empty(0) == LLM_OK);
    BOOST_TEST(start_empty(1) == LLM_ERROR_STATE);
}

BOOST_FIXTURE_TEST_CASE(a_conversation_is_not_evaluated_twice, Fixture) {
    options.max_tokens = 10;
    options.reuse_prefix = 1;
    Session session(model.get(), precise_options(128));
    const size_t first_length = prompt.size();
    const Result answer = generate(session);
    size_t length = 0;
    check(llm_sequence_length(&length, session.get(), 0));
    BOOST_TEST(length == first_length + 9);  // the last token was chosen, but not evaluated
    prompt.insert(prompt.end(), answer.tokens.begin(), answer.tokens.end());
    prompt.insert(prompt.end(), {'?', ' ', 'N', 'o'});
    Session fresh(model.get(), precise_options(128));
    const Result expected = generate(fresh);
    {
        const GenerationPointer generation = start(session);
        check(llm_sequence_length(&length, session.get(), 0));
        BOOST_TEST(length == first_length + 9);
    }
    BOOST_TEST(generate(session).tokens == expected.tokens, boost::test_tools::per_element());
    prompt[2] = 'Z';
    const GenerationPointer generation = start(session);
    check(llm_sequence_length(&length, session.get(), 0));
    BOOST_TEST(length == 2u);
    prompt.clear();
    llm_generation *none = nullptr;
    BOOST_TEST(llm_generation_start(&none, session.get(), sampler.get(), nullptr, 0, &options) == LLM_ERROR_STATE);
    check(llm_sequence_length(&length, session.get(), 0));
    BOOST_TEST(length == 2u);
}

}  // namespace llm::test
