// llm-cli chat: messages and answers, line by line.
#include "chat_commands.h"
#include "color.h"
#include "interrupt.h"
#include "line_history.h"
#include "line_reader.h"
#include "log.h"
#include "text_io.h"

namespace cli {
namespace {

const char *const quotes = "\"\"\"";

Options make_options() {
    Options options(
        "chat MODEL [MESSAGE] [options]",
        "A conversation with a model. Each line is a message; lines between \"\"\" are one. Lines that begin "
        "with a slash are commands, which /help lists. Ctrl-C stops the answer; twice, or Ctrl-D, leaves.");
    ChatSession::add_options(options);
    options.add_flag("single-turn,-st", "leave after the first answer");
    options.add_value("history", "FILE", "keep the lines that were typed in this file");
    options.add_flag("no-history", "keep no lines");
    options.exclude("history", "no-history");
    add_log_options(options);
    return options;
}

bool ends_with(const std::string &text, const std::string &end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Reads what the user sends: a line, or several.
class MessageReader {
public:
    explicit MessageReader(const Options &options)
        : history_(options.has("no-history") ? "" : options.value("history").value_or(LineHistory::default_path())),
          is_interactive_(stdin_is_terminal()),
          lines_(make_line_reader()) {
        if (is_interactive_)
            for (const std::string &line : history_.load()) lines_->remember(line);
    }

    LineEnd read(std::string &message) {
        LineEnd end = read_line(message, ">>> ");
        if (end != LineEnd::line) return end;
        const bool is_quoted = message.compare(0, 3, quotes) == 0;
        if (is_quoted) message.erase(0, 3);
        std::string line = message;
        while (is_quoted ? !ends_with(line, quotes) : ends_with(line, "\\")) {
            if (!is_quoted) message.pop_back();
            end = read_line(line, "... ");
            if (end == LineEnd::interrupted) return end;
            if (end == LineEnd::end) return LineEnd::line;  // what there is; the end comes again
            message += "\n" + line;
        }
        if (is_quoted) message.resize(message.size() - 3);
        return LineEnd::line;
    }

private:
    LineEnd read_line(std::string &line, const std::string &prompt) {
        const LineEnd end = lines_->read(line, prompt);
        if (end == LineEnd::line && is_interactive_ && !line.empty()) {
            lines_->remember(line);
            history_.append(line);
        }
        return end;
    }

    LineHistory history_;
    bool is_interactive_;
    std::unique_ptr<LineReader> lines_;
};

// Sends a message or runs a command. What goes wrong is said, and the chat goes on.
ChatStep take(ChatSession &session, const std::string &message) {
    try {
        if (message.find_first_not_of(" \t\n") == message.npos) return ChatStep::next;
        if (const auto step = run_chat_command(session, message)) return *step;
        return step_after(session.say(message));
    } catch (const ClosedPipe &) {
        throw;
    } catch (const std::exception &error) {
        report_error(error.what(), nullptr, exit_error);
        return ChatStep::next;
    }
}

int talk(ChatSession &session, MessageReader &reader) {
    int presses = 0, status = exit_ok;  // of Ctrl-C, in a row
    for (std::string message;;) {
        const LineEnd end = reader.read(message);
        if (end == LineEnd::end) return status;
        if (end == LineEnd::interrupted) {
            if (++presses > 1) return status;
            note("(Ctrl-C once more, or Ctrl-D, leaves)");
            continue;
        }
        const ChatStep step = take(session, message);
        if (step == ChatStep::leave) return status;
        // A script should know that a message was not answered.
        if (step == ChatStep::refused && !stdin_is_terminal()) status = exit_context_full;
        presses = step == ChatStep::stopped ? 1 : 0;
    }
}

int run(const Options &options) {
    start_log(options);
    catch_interrupts();
    ChatSession session(options);
    if (const auto message = options.value("prompt")) {
        const ChatSession::Outcome outcome = session.say(*message);
        if (options.has("single-turn")) {
            if (outcome == ChatSession::Outcome::stopped) return exit_interrupted;
            return outcome == ChatSession::Outcome::refused ? exit_context_full : exit_ok;
        }
    }
    if (stdin_is_terminal() && stderr_is_terminal())
        note(styled("/help lists the commands, Ctrl-D leaves", Style::dim, 2));
    MessageReader reader(options);
    return talk(session, reader);
}

}  // namespace

const Command cmd_chat = {"chat", "talk with a model", make_options, run};

}  // namespace cli
