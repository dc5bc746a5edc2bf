// The header needs nothing before it, its macros are C++, and its functions have C linkage.
#include "header_alone.c"

#include <type_traits>

extern "C" using Open = llm_status(llm_model **, const char *, const llm_model_options *);
static_assert(std::is_same_v<decltype(llm_model_open), Open>);
static_assert(std::is_same_v<llm_status, int32_t> && std::is_same_v<llm_token, int32_t>);
