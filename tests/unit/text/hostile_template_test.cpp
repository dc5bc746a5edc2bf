// Templates that would take forever, or all memory, or the stack: each ends in a status, soon. Some are found to do no
// harm.
#include "unit/text/rendering.h"

#include <boost/test/unit_test.hpp>

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace llm::test {

namespace {

std::string repeated(std::string_view text, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += text;
    return out;
}

struct Hostile {
    const char *what;
    std::string source;
};

// Those that do, or make, too much.
std::vector<Hostile> endless_templates() {
    const std::string forever = "{% for a in range(100000) %}{% for b in range(100000) %}";
    const std::string end = "{% endfor %}{% endfor %}";
    return {
        {"a range without end", "{% for i in range(10000000000) %}{% endfor %}"},
        {"ranges in ranges", forever + "{% for c in range(100000) %}{% endfor %}" + end},
        {"much text", forever + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" + end},
        {"a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"},
        {"macros that call each other",
         "{% macro a() %}{{ b() }}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{{ a() }}{% endmacro %}{{ a() }}"},
        {"a tree of calls",
         "{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}"
         "{{ m(40) }}"},
        {"a loop that calls itself", "{% for x in [[1]] recursive %}{{ loop([x]) }}{% endfor %}"},
        {"a long repetition", "{{ 'x' * 1000000000000 }}"},
        {"a long list", "{{ [1] * 1000000000000 }}"},
        {"a text that doubles",
         "{% set ns = namespace(s='x') %}{% for i in range(64) %}{% set ns.s = ns.s ~ ns.s %}"
         "{% endfor %}"},
        {"a text that doubles by addition",
         "{% set ns = namespace(s='x') %}{% for i in range(64) %}{% set ns.s = ns.s + ns.s %}{% endfor %}"},
        {"a text that doubles by capture",
         "{% set ns = namespace(s='x') %}{% for i in range(64) %}{% set t %}{{ ns.s }}"
         "{{ ns.s }}{% endset %}{% set ns.s = t %}{% endfor %}"},
        {"a text that doubles by replacement",
         "{% set ns = namespace(s='x') %}{% for i in range(64) %}"
         "{% set ns.s = ns.s | replace('x', 'xx') %}{% endfor %}"},
        {"a text that doubles by a method",
         "{% set ns = namespace(s='x') %}{% for i in range(64) %}"
         "{% set ns.s = ns.s.replace('x', 'xx') %}{% endfor %}"},
        {"a text that doubles by joining",
         "{% set ns = namespace(s='x') %}{% for i in range(64) %}"
         "{% set ns.s = ns.s.join(['', '', '']) %}{% endfor %}"},
        {"a list that doubles",
         "{% set ns = namespace(s=[1]) %}{% for i in range(64) %}{% set ns.s = ns.s + ns.s %}"
         "{% endfor %}{{ ns.s }}"},
        {"a large join", "{{ ('x' * 10000000) | join('y' * 1000) }}"},
        {"a wide field", "{{ '%999999999999d' | format(1) }}"},
        {"a wide field by method", "{{ 'x'.center(999999999999) }}{{ 'x'.zfill(999999999999) }}"},
        {"a wide field by format", "{{ '{:>99999999999}'.format('x') }}"},
        {"a wide indentation", "{{ 'a\nb' | indent(999999999999) }}"},
        {"a large power", "{{ 10 ** 100000000 }}"},
        {"much JSON", "{% set a = [1] * 100000 %}{% for i in range(100000) %}{{ a | tojson }}{% endfor %}"},
        {"slow search",
         "{% set a = 'x' * 5000000 %}{% for i in range(99999) %}{{ a.count('xy') }}{{ 'xy' in a }}"
         "{{ a.find('xy') }}{% endfor %}"},
        {"slow comparison",
         "{% set a = 'x' * 5000000 ~ 'y' %}{% set b = 'x' * 5000000 ~ 'z' %}"
         "{% for i in range(99999) %}{{ a < b }}{% endfor %}"},
        {"slow sorting",
         "{% set a = range(99999) | list %}{% for i in range(99999) %}{{ a | sort | length }}{% endfor %}"},
    };
}

// Those that nest.
std::vector<Hostile> deep_templates() {
    const std::string deep = "{% set ns = namespace(x=[]) %}{% for i in range(99999) %}";
    return {
        {"JSON of nested lists", deep + "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x | tojson }}"},
        {"nested lists as text", deep + "{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}"},
        {"nested lists compared", deep + "{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x == [[ns.x]] }}"},
        {"nested lists joined to a text", deep + "{% set ns.x = [ns.x] %}{% endfor %}{{ '' ~ ns.x }}"},
        {"nested lists in nested lists", deep + "{% set ns.x = " + std::string(100, '[') + "ns.x" +
                                             std::string(100, ']') +
                                             " %}{% endfor %}"
                                             "{{ '' ~ ns.x }}"},
        {"nested maps", deep + "{% set ns.x = {'a': ns.x} %}{% endfor %}{{ ns.x | string }}"},
        {"nested pieces of a list", deep + "{% set ns.x = ns.x + [1] %}{% endfor %}{{ ns.x[::-1] }}{{ 1 / 0 }}"},
        {"a namespace in itself", "{% set ns = namespace() %}{% set ns.x = ns %}{{ '' ~ ns }}"},
        {"a namespace in itself, by a list", "{% set ns = namespace() %}{% set ns.x = [{'a': ns}] %}{{ ns == ns }}"},
        {"namespaces in each other",
         "{% set a = namespace() %}{% set b = namespace() %}{% set a.x = b %}"
         "{%- set b.x = a -%}{{ a == b }}"},
        {"a namespace in itself, by a pair", "{% set a = namespace() %}{% set a.x, a.y = a, a %}{{ a == a }}"},
        {"a namespace in itself, in a macro",
         "{% set a = namespace() %}{% macro m(v) %}{% set a.x = v %}{% endmacro %}"
         "{{ m(a) }}{{ a == a }}"},
        {"deep parentheses", "{{ " + std::string(100000, '(') + "1" + std::string(100000, ')') + " }}"},
        {"deep lists", "{{ " + std::string(100000, '[') + std::string(100000, ']') + " }}"},
        {"deep negation", "{{ " + repeated("not ", 100000) + "1 }}"},
        {"deep signs", "{{ " + repeated("-", 100000) + "1 }}"},
        {"deep blocks", repeated("{% if 1 %}", 50000)},
        {"deep loops", repeated("{% for x in [1] %}", 1000) + repeated("{% endfor %}", 1000)},
        {"a long sum", "{{ 1" + repeated(" + 1", 200000) + " + 'x' }}"},
        {"a long chain of attributes",
         "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns" + repeated(".a", 200000) + ".b.c }}"},
        {"a long chain of filters", "{{ 'x'" + repeated(" | upper", 100000) + " | no }}"},
        {"many branches", "{% if 0 %}" + repeated("{% elif 0 %}", 60000) + "{% endif %}{{ 1 / 0 }}"},
    };
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void check_all(const std::vector<Hostile> &templates) {
    for (const Hostile &hostile : templates) {
        BOOST_TEST_CONTEXT(hostile.what) {
            double best = 1e9;
            for (int attempt = 0; attempt < 3 && best > 1.0; ++attempt) {  // the machine may be busy
                const auto start = std::chrono::steady_clock::now();
                const Outcome got = outcome(hostile.source);
                best = std::min(best, seconds_since(start));
                const bool expected = got.status == LLM_ERROR_LIMIT || got.status == LLM_ERROR_TEMPLATE;
                BOOST_TEST((expected || got.status == LLM_OK), got.status << " " << got.text);
            }
            BOOST_TEST_MESSAGE(hostile.what << ": " << best << " s");
            BOOST_TEST(best < 1.0);
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_endless_one_ends_in_a_status_within_a_second) { check_all(endless_templates()); }

BOOST_AUTO_TEST_CASE(each_deep_one_ends_in_a_status_within_a_second) { check_all(deep_templates()); }

BOOST_AUTO_TEST_CASE(a_small_stack_of_the_caller_is_enough) {
    // Half of the smallest stack that threads of common run-time systems have.
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    pthread_t thread;
    const auto work = [](void *) -> void * {
        const Outcome got = outcome("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");
        return reinterpret_cast<void *>(static_cast<intptr_t>(got.status == LLM_ERROR_LIMIT));
    };
    BOOST_TEST_REQUIRE(pthread_create(&thread, &attributes, work, nullptr) == 0);
    void *right = nullptr;
    pthread_join(thread, &right);
    pthread_attr_destroy(&attributes);
    BOOST_TEST(right != nullptr);
}

BOOST_AUTO_TEST_CASE(a_long_conversation_is_no_hostile_one) {
    std::string messages;
    for (int i = 0; i < 2000; ++i)
        messages += std::string(i ? ", " : "") + R"({"role": "user", "content": ")" + std::string(1000, 'a') + "\"}";
    const std::string text = rendered("{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}{% endfor %}",
                                      "{\"messages\": [" + messages + "]}");
    BOOST_TEST(text.size() == 2000u * (1000 + 6));
}

}  // namespace llm::test
