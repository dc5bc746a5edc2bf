/* The header needs nothing before it, and its macros are C99. */
#include <llm/llm.h>

llm_model_options model_options = LLM_MODEL_OPTIONS_INIT;
llm_context_options context_options = LLM_CONTEXT_OPTIONS_INIT;
llm_sampler_options sampler_options = LLM_SAMPLER_OPTIONS_INIT;
llm_generation_options generation_options = LLM_GENERATION_OPTIONS_INIT;
llm_option option = LLM_OPTION_INIT;
llm_model_info model_info = LLM_MODEL_INFO_INIT;
llm_value value = LLM_VALUE_INIT;
llm_tensor tensor = LLM_TENSOR_INIT;
llm_token_info token_info = LLM_TOKEN_INFO_INIT;
llm_context_info context_info = LLM_CONTEXT_INFO_INIT;
llm_chunk chunk = LLM_CHUNK_INIT;

#if LLM_VERSION != LLM_VERSION_MAJOR * 10000 + LLM_VERSION_MINOR * 100 + LLM_VERSION_PATCH
#error "LLM_VERSION can be compared by the preprocessor"
#endif
