// Saved states through the C API: the convention for buffers, and files.
#include "support/session.h"
#include "support/tiny_bert.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

namespace llm::test {

namespace {

const std::vector<llm_token> text = {1, 2, 3, 4, 5};

struct Fixture {
    ModelPointer model = open_model(tiny_llama().bytes());
    Session session{model.get(), precise_options(64)}, other{model.get(), precise_options(100)};
    std::filesystem::path folder = std::filesystem::temp_directory_path() / "llm-state-file-test";
    std::string path = (folder / "kept.state").string();

    Fixture() { std::filesystem::create_directories(folder); }
    ~Fixture() { std::filesystem::remove_all(folder); }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_buffer_of_the_right_size, Fixture) {
    session.evaluate(text);
    size_t size = 0;
    BOOST_TEST(llm_state_save(nullptr, 0, &size, session.get(), 0) == LLM_BUFFER_TOO_SMALL);
    std::vector<uint8_t> state(size + 1, 0xAB);
    BOOST_TEST(llm_state_save(state.data(), size - 1, &size, session.get(), 0) == LLM_BUFFER_TOO_SMALL);
    BOOST_TEST(state[0] == 0xAB);
    BOOST_TEST(llm_state_save(state.data(), state.size(), nullptr, session.get(), 0) == LLM_OK);
    BOOST_TEST(state[size] == 0xAB);
    BOOST_TEST(llm_state_restore(other.get(), 0, state.data(), size) == LLM_OK);
    const std::vector<llm_token> more = {6, 7};
    BOOST_TEST(other.evaluate(more) == session.evaluate(more), boost::test_tools::per_element());
    BOOST_TEST(llm_state_restore(other.get(), 0, state.data(), size + 1) == LLM_ERROR_MALFORMED);
    BOOST_TEST(llm_state_restore(other.get(), 1, state.data(), size) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_state_restore(other.get(), 0, nullptr, size) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_state_save(nullptr, size, &size, session.get(), 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_state_save(state.data(), size, &size, session.get(), -1) == LLM_ERROR_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(files, Fixture) {
    session.evaluate(text);
    BOOST_TEST(llm_state_save_file(session.get(), 0, path.c_str()) == LLM_OK);
    BOOST_TEST(llm_state_restore_file(other.get(), 0, path.c_str()) == LLM_OK);
    const std::vector<llm_token> more = {6, 7};
    BOOST_TEST(other.evaluate(more) == session.evaluate(more), boost::test_tools::per_element());
    BOOST_TEST(llm_state_save_file(session.get(), 0, path.c_str()) == LLM_OK);  // replaces it
    BOOST_TEST(llm_state_restore_file(other.get(), 0, path.c_str()) == LLM_OK);
    BOOST_TEST(!std::filesystem::exists(path + ".part"));
    size_t length = 0;
    check(llm_sequence_length(&length, other.get(), 0));
    BOOST_TEST(length == 7u);
}

BOOST_FIXTURE_TEST_CASE(files_that_cannot_be, Fixture) {
    session.evaluate(text);
    const std::string nowhere = (folder / "missing" / "state").string();
    BOOST_TEST(llm_state_save_file(session.get(), 0, nowhere.c_str()) == LLM_ERROR_IO);
    BOOST_TEST(last_error().find("missing") != std::string::npos);
    BOOST_TEST(llm_state_restore_file(session.get(), 0, nowhere.c_str()) == LLM_ERROR_IO);
    BOOST_TEST(llm_state_restore_file(session.get(), 0, folder.c_str()) == LLM_ERROR_IO);
    BOOST_TEST(llm_state_save_file(session.get(), 0, nullptr) == LLM_ERROR_ARGUMENT);
    // A folder cannot be replaced; nothing is left beside it.
    std::filesystem::create_directories(folder / "busy" / "inside");
    BOOST_TEST(llm_state_save_file(session.get(), 0, (folder / "busy").c_str()) == LLM_ERROR_IO);
    BOOST_TEST(!std::filesystem::exists(folder / "busy.part"));
    std::ofstream(path) << "something else";
    BOOST_TEST(llm_state_restore_file(session.get(), 0, path.c_str()) == LLM_ERROR_TRUNCATED);
    std::filesystem::resize_file(path, uint64_t{1} << 30);  // takes no room on the disk
    BOOST_TEST(llm_state_restore_file(session.get(), 0, path.c_str()) == LLM_ERROR_MALFORMED);
    size_t length = 0;
    check(llm_sequence_length(&length, session.get(), 0));
    BOOST_TEST(length == text.size());
}

BOOST_FIXTURE_TEST_CASE(encoders_have_none, Fixture) {
    const ModelPointer encoder = open_model(tiny_bert().bytes());
    Session sessions(encoder.get(), precise_options(64));
    size_t size = 0;
    BOOST_TEST(llm_state_save(nullptr, 0, &size, sessions.get(), 0) == LLM_ERROR_STATE);
}

}  // namespace llm::test
