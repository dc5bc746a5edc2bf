// Pull-style generation.
#include "base/utf8.h"
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"
#include "capi/option_table.h"

using namespace llm;

namespace {

std::vector<std::string> read_stops(const llm_generation_options &o) {
    std::vector<std::string> stops;
    const auto texts = read_array(o.stops, o.stop_count, "stops");
    const auto lengths = read_array(o.stop_lengths, o.stop_count, "stop_lengths");
    for (size_t i = 0; i < texts.size(); ++i) {
        const auto bytes = read_array(texts[i], lengths[i], "stops");
        if (bytes.empty()) fail(LLM_ERROR_ARGUMENT, "stop text ", i, " is empty");
        stops.emplace_back(bytes.data(), bytes.size());
        // Chunks are complete characters: half of one would never be found.
        if (const size_t good = well_formed_utf8_prefix(stops[i]); good != bytes.size())
            fail(LLM_ERROR_ARGUMENT, "stop text ", i, " is no UTF-8 from byte ", good, " on");
    }
    return stops;
}

}  // namespace

llm_status llm_generation_start(llm_generation **out, llm_context *context, llm_sampler *sampler,
                                const llm_token *prompt, size_t count, const llm_generation_options *options) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        const auto &shared = required(context, "context").context;
        const auto &chooser = required(sampler, "sampler").sampler;
        const Enter enter(shared->busy, "context");
        const auto o = read_options<llm_generation_options>(options, LLM_GENERATION_OPTIONS_INIT);
        check_options(&o, LLM_OPTIONS_GENERATION);
        GenerationOptions wanted;
        wanted.sequence = check_sequence(shared->object, o.sequence);
        wanted.most_tokens = static_cast<uint32_t>(o.max_tokens);
        wanted.reuses_prefix = o.reuse_prefix != 0;
        wanted.logprobs = static_cast<uint32_t>(o.logprobs);
        wanted.stops = read_stops(o);
        const auto ids = read_array(prompt, count, "prompt");
        check_tokens(shared->object, ids);
        auto record = std::make_unique<GenerationRecord>(
            shared, chooser, std::vector<llm_token>(ids.begin(), ids.end()), std::move(wanted));
        Generation &generation = record->generation.object;
        give_handle(out, std::move(record));
        generation.reuse_prefix();  // when nothing can fail any more
        return LLM_OK;
    });
}

llm_status llm_generation_next(llm_chunk *out, llm_generation *generation) {
    return barrier([&]() -> llm_status {
        GenerationRecord &handle = required(generation, "generation");
        const Enter enter(handle.generation.busy, "generation");
        const Enter enter_context(handle.context->busy, "context");
        const Enter enter_sampler(handle.sampler->busy, "sampler");
        result_size(out, "out");  // a wrong struct is found before anything is generated
        switch (handle.generation.object.next(handle.chunk)) {
            case Generation::Result::end:
                return LLM_END;
            case Generation::Result::cancelled:
                return LLM_CANCELLED;
            case Generation::Result::chunk:
                break;
        }
        llm_chunk chunk = LLM_CHUNK_INIT;
        chunk.text = handle.chunk.text.data();
        chunk.text_length = handle.chunk.text.size();
        chunk.token = handle.chunk.token;
        chunk.finish_reason = handle.chunk.finish_reason;
        chunk.logprob = handle.chunk.logprob;
        chunk.top = handle.chunk.top.data();
        chunk.top_count = handle.chunk.top.size();
        write_result(out, "out", chunk);
        return LLM_OK;
    });
}

void llm_generation_close(llm_generation *generation) { close_handle(generation); }
