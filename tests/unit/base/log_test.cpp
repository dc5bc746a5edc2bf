// The log: silence, levels, and what is promised about a callback that was replaced.
#include "base/log.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Lines {
    std::vector<std::string> texts;

    static void add(void *user, llm_log_level level, const char *text, size_t length) {
        static_cast<Lines *>(user)->texts.push_back(std::to_string(level) + ":" + std::string(text, length));
    }
};

struct SilenceAfterwards {
    ~SilenceAfterwards() { llm::set_log(nullptr, nullptr, LLM_LOG_DEBUG); }
};

// Counts how often it was called, and how often after it should have been forgotten.
struct Watch {
    std::atomic<bool> forgotten{false};
    std::atomic<int> calls{0};
    std::atomic<int> late_calls{0};

    static void call(void *user, llm_log_level, const char *, size_t) {
        Watch &watch = *static_cast<Watch *>(user);
        ++watch.calls;
        std::this_thread::yield();
        if (watch.forgotten) ++watch.late_calls;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(log_is_silent_until_asked, SilenceAfterwards) {
    BOOST_TEST(!llm::log_enabled(LLM_LOG_WARNING));
    llm::log(LLM_LOG_WARNING, "nobody reads this");
    Lines lines;
    llm::set_log(Lines::add, &lines, LLM_LOG_DEBUG);
    BOOST_TEST(llm::log_enabled(LLM_LOG_DEBUG));
    llm::set_log(nullptr, nullptr, LLM_LOG_DEBUG);
    BOOST_TEST(!llm::log_enabled(LLM_LOG_WARNING));
    llm::log_line(LLM_LOG_WARNING, "nor this");
    BOOST_TEST(lines.texts.empty());
}

BOOST_FIXTURE_TEST_CASE(log_hands_over_what_is_wanted, SilenceAfterwards) {
    Lines lines;
    llm::set_log(Lines::add, &lines, LLM_LOG_INFO);
    llm::log(LLM_LOG_DEBUG, "a");
    llm::log(LLM_LOG_INFO, "layer ", 3, " of ", 1.5);
    llm::log_line(LLM_LOG_DEBUG, "b");
    llm::log_line(LLM_LOG_WARNING, std::string_view("c\0d", 3));
    const std::vector<std::string> expected = {"1:layer 3 of 1.5", std::string("2:c\0d", 5)};
    BOOST_TEST(lines.texts == expected, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(log_from_inside_a_callback_is_harmless, SilenceAfterwards) {
    static int calls;
    static llm_status refused;
    calls = 0;
    refused = LLM_OK;
    llm::set_log(
        [](void *, llm_log_level, const char *, size_t) {
            ++calls;
            llm::log(LLM_LOG_WARNING, "again");
            try {
                llm::set_log(nullptr, nullptr, LLM_LOG_DEBUG);
            } catch (const llm::Error &error) {
                refused = error.status();
            }
        },
        nullptr, LLM_LOG_DEBUG);
    llm::log(LLM_LOG_WARNING, "once");
    BOOST_TEST(calls == 1);
    BOOST_TEST(refused == LLM_ERROR_STATE);
    llm::log(LLM_LOG_WARNING, "twice");
    BOOST_TEST(calls == 2);
}

BOOST_FIXTURE_TEST_CASE(log_callback_is_not_called_after_its_replacement, SilenceAfterwards) {
    std::atomic<bool> over{false};
    std::vector<std::thread> writers;
    for (int i = 0; i < 3; ++i)
        writers.emplace_back([&] {
            while (!over) {
                llm::log(LLM_LOG_INFO, "line");
                std::this_thread::yield();
            }
        });
    int calls = 0;
    int late_calls = 0;
    std::vector<std::unique_ptr<Watch>> watches;
    for (int i = 0; i < 200; ++i) {
        watches.push_back(std::make_unique<Watch>());
        Watch &watch = *watches.back();
        llm::set_log(Watch::call, &watch, LLM_LOG_DEBUG);
        while (watch.calls < 3) std::this_thread::yield();
        llm::set_log(nullptr, nullptr, LLM_LOG_DEBUG);
        watch.forgotten = true;
    }
    over = true;
    for (std::thread &writer : writers) writer.join();
    for (const std::unique_ptr<Watch> &watch : watches) {
        calls += watch->calls;
        late_calls += watch->late_calls;
    }
    BOOST_TEST(calls >= 600);
    BOOST_TEST(late_calls == 0);
}
