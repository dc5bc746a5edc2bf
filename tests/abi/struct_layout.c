/* Sizes and offsets of the public structs on 64-bit machines. A struct grows at its end only: a change of a line below
 * breaks programs that were built before; only a size may grow. Lines are added by baseline.py. */
#include <llm/llm.h>

#if UINTPTR_MAX == 0xFFFFFFFFFFFFFFFF

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define FIELD(type, field, bytes) _Static_assert(offsetof(type, field) == (bytes), #type "." #field)

SIZE(llm_option, 64);
FIELD(llm_option, struct_size, 0);
FIELD(llm_option, name, 8);
FIELD(llm_option, help, 16);
FIELD(llm_option, choices, 24);
FIELD(llm_option, default_value, 32);
FIELD(llm_option, minimum, 40);
FIELD(llm_option, maximum, 48);
FIELD(llm_option, type, 56);
FIELD(llm_option, reserved, 60);

SIZE(llm_model_options, 88);
FIELD(llm_model_options, struct_size, 0);
FIELD(llm_model_options, load, 8);
FIELD(llm_model_options, open, 12);
FIELD(llm_model_options, threads, 16);
FIELD(llm_model_options, reserved, 20);
FIELD(llm_model_options, pre_tokenizer, 24);
FIELD(llm_model_options, progress, 32);
FIELD(llm_model_options, progress_user, 40);
FIELD(llm_model_options, max_memory, 48);
FIELD(llm_model_options, allocate, 56);
FIELD(llm_model_options, release, 64);
FIELD(llm_model_options, memory_user, 72);
FIELD(llm_model_options, verify, 80);
FIELD(llm_model_options, lock, 84);

SIZE(llm_model_info, 120);
FIELD(llm_model_info, struct_size, 0);
FIELD(llm_model_info, architecture, 8);
FIELD(llm_model_info, name, 16);
FIELD(llm_model_info, type, 24);
FIELD(llm_model_info, parameter_count, 32);
FIELD(llm_model_info, file_size, 40);
FIELD(llm_model_info, tensor_bytes, 48);
FIELD(llm_model_info, weight_bytes, 56);
FIELD(llm_model_info, vocabulary_size, 64);
FIELD(llm_model_info, context_length, 68);
FIELD(llm_model_info, embedding_length, 72);
FIELD(llm_model_info, layer_count, 76);
FIELD(llm_model_info, head_count, 80);
FIELD(llm_model_info, head_count_kv, 84);
FIELD(llm_model_info, head_length, 88);
FIELD(llm_model_info, feed_forward_length, 92);
FIELD(llm_model_info, description, 96);
FIELD(llm_model_info, capabilities, 104);
FIELD(llm_model_info, file_count, 108);
FIELD(llm_model_info, expert_count, 112);
FIELD(llm_model_info, expert_used_count, 116);

SIZE(llm_value, 64);
FIELD(llm_value, struct_size, 0);
FIELD(llm_value, type, 8);
FIELD(llm_value, element_type, 12);
FIELD(llm_value, count, 16);
FIELD(llm_value, u, 24);
FIELD(llm_value, i, 32);
FIELD(llm_value, f, 40);
FIELD(llm_value, text, 48);
FIELD(llm_value, text_length, 56);

SIZE(llm_tensor, 88);
FIELD(llm_tensor, struct_size, 0);
FIELD(llm_tensor, name, 8);
FIELD(llm_tensor, type, 16);
FIELD(llm_tensor, shape, 24);
FIELD(llm_tensor, offset, 56);
FIELD(llm_tensor, byte_count, 64);
FIELD(llm_tensor, dimension_count, 72);
FIELD(llm_tensor, type_number, 76);
FIELD(llm_tensor, part, 80);
FIELD(llm_tensor, reserved, 84);

SIZE(llm_token_info, 32);
FIELD(llm_token_info, struct_size, 0);
FIELD(llm_token_info, text, 8);
FIELD(llm_token_info, text_length, 16);
FIELD(llm_token_info, score, 24);
FIELD(llm_token_info, attributes, 28);

SIZE(llm_chat_options, 56);
FIELD(llm_chat_options, struct_size, 0);
FIELD(llm_chat_options, template_text, 8);
FIELD(llm_chat_options, template_length, 16);
FIELD(llm_chat_options, template_name, 24);
FIELD(llm_chat_options, now, 32);
FIELD(llm_chat_options, utc_offset, 40);
FIELD(llm_chat_options, guard, 44);
FIELD(llm_chat_options, generation_tags, 48);

SIZE(llm_context_options, 72);
FIELD(llm_context_options, struct_size, 0);
FIELD(llm_context_options, context_length, 8);
FIELD(llm_context_options, batch_size, 12);
FIELD(llm_context_options, threads, 16);
FIELD(llm_context_options, cache_type_k, 20);
FIELD(llm_context_options, cache_type_v, 24);
FIELD(llm_context_options, max_sequences, 28);
FIELD(llm_context_options, window_cache, 32);
FIELD(llm_context_options, idle_microseconds, 36);
FIELD(llm_context_options, max_memory, 40);
FIELD(llm_context_options, allocate, 48);
FIELD(llm_context_options, release, 56);
FIELD(llm_context_options, memory_user, 64);

SIZE(llm_context_info, 48);
FIELD(llm_context_info, struct_size, 0);
FIELD(llm_context_info, cache_bytes, 8);
FIELD(llm_context_info, scratch_bytes, 16);
FIELD(llm_context_info, context_length, 24);
FIELD(llm_context_info, batch_size, 28);
FIELD(llm_context_info, threads, 32);
FIELD(llm_context_info, max_sequences, 36);
FIELD(llm_context_info, vocabulary_size, 40);
FIELD(llm_context_info, reserved, 44);

SIZE(llm_context_counters, 72);
FIELD(llm_context_counters, struct_size, 0);
FIELD(llm_context_counters, prompt_tokens, 8);
FIELD(llm_context_counters, prompt_nanoseconds, 16);
FIELD(llm_context_counters, single_tokens, 24);
FIELD(llm_context_counters, single_nanoseconds, 32);
FIELD(llm_context_counters, reused_tokens, 40);
FIELD(llm_context_counters, evaluations, 48);
FIELD(llm_context_counters, first_token_nanoseconds, 56);
FIELD(llm_context_counters, longest_sequence, 64);

SIZE(llm_memory, 56);
FIELD(llm_memory, struct_size, 0);
FIELD(llm_memory, weight_bytes, 8);
FIELD(llm_memory, mapped_bytes, 16);
FIELD(llm_memory, cache_bytes, 24);
FIELD(llm_memory, scratch_bytes, 32);
FIELD(llm_memory, context_length, 40);
FIELD(llm_memory, batch_size, 44);
FIELD(llm_memory, threads, 48);
FIELD(llm_memory, max_sequences, 52);

SIZE(llm_logit_bias, 8);
FIELD(llm_logit_bias, token, 0);
FIELD(llm_logit_bias, bias, 4);

SIZE(llm_sampler_options, 144);
FIELD(llm_sampler_options, struct_size, 0);
FIELD(llm_sampler_options, temperature, 8);
FIELD(llm_sampler_options, top_p, 12);
FIELD(llm_sampler_options, min_p, 16);
FIELD(llm_sampler_options, top_k, 20);
FIELD(llm_sampler_options, seed, 24);
FIELD(llm_sampler_options, reserved, 28);
FIELD(llm_sampler_options, typical_p, 32);
FIELD(llm_sampler_options, top_n_sigma, 36);
FIELD(llm_sampler_options, xtc_probability, 40);
FIELD(llm_sampler_options, xtc_threshold, 44);
FIELD(llm_sampler_options, dynatemp_range, 48);
FIELD(llm_sampler_options, dynatemp_exponent, 52);
FIELD(llm_sampler_options, repeat_last_n, 56);
FIELD(llm_sampler_options, repeat_penalty, 60);
FIELD(llm_sampler_options, frequency_penalty, 64);
FIELD(llm_sampler_options, presence_penalty, 68);
FIELD(llm_sampler_options, dry_multiplier, 72);
FIELD(llm_sampler_options, dry_base, 76);
FIELD(llm_sampler_options, dry_allowed_length, 80);
FIELD(llm_sampler_options, dry_penalty_last_n, 84);
FIELD(llm_sampler_options, mirostat, 88);
FIELD(llm_sampler_options, mirostat_tau, 92);
FIELD(llm_sampler_options, mirostat_eta, 96);
FIELD(llm_sampler_options, min_keep, 100);
FIELD(llm_sampler_options, logit_bias, 104);
FIELD(llm_sampler_options, logit_bias_count, 112);
FIELD(llm_sampler_options, dry_breakers, 120);
FIELD(llm_sampler_options, dry_breaker_lengths, 128);
FIELD(llm_sampler_options, dry_breaker_count, 136);

SIZE(llm_token_logprob, 8);
FIELD(llm_token_logprob, token, 0);
FIELD(llm_token_logprob, logprob, 4);

SIZE(llm_generation_options, 48);
FIELD(llm_generation_options, struct_size, 0);
FIELD(llm_generation_options, sequence, 8);
FIELD(llm_generation_options, max_tokens, 12);
FIELD(llm_generation_options, logprobs, 16);
FIELD(llm_generation_options, reuse_prefix, 20);
FIELD(llm_generation_options, stops, 24);
FIELD(llm_generation_options, stop_lengths, 32);
FIELD(llm_generation_options, stop_count, 40);

SIZE(llm_chunk, 56);
FIELD(llm_chunk, struct_size, 0);
FIELD(llm_chunk, text, 8);
FIELD(llm_chunk, text_length, 16);
FIELD(llm_chunk, token, 24);
FIELD(llm_chunk, finish_reason, 28);
FIELD(llm_chunk, logprob, 32);
FIELD(llm_chunk, reserved, 36);
FIELD(llm_chunk, top, 40);
FIELD(llm_chunk, top_count, 48);

#endif
