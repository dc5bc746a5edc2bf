// Lines edited with libedit, the line editor of the BSDs.
#include "line_reader.h"

#include <histedit.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

namespace cli {
namespace {

constexpr int most_history = 1000;

class EditingReader : public LineReader {
public:
    EditingReader() : editor_(el_init("llm-cli", stdin, stderr, stderr)), history_(history_init()) {
        if (!editor_ || !history_) throw std::bad_alloc();
        HistEvent event;
        history(history_.get(), &event, H_SETSIZE, most_history);
        history(history_.get(), &event, H_SETUNIQUE, 1);
        el_set(editor_.get(), EL_CLIENTDATA, this);
        el_set(editor_.get(), EL_PROMPT, &EditingReader::prompt_of);
        el_set(editor_.get(), EL_EDITOR, "emacs");
        el_set(editor_.get(), EL_SIGNAL, 1);  // the terminal is put right when it changes its size or the program stops
        el_set(editor_.get(), EL_HIST, history, history_.get());
        // While a line is edited, Ctrl-C and Ctrl-Z are keys like any other.
        el_set(editor_.get(), EL_SETTY, "-d", "-isig", nullptr);
        el_set(editor_.get(), EL_ADDFN, "llm-interrupt", "drops the line", &EditingReader::on_interrupt);
        el_set(editor_.get(), EL_BIND, "^C", "llm-interrupt", nullptr);
        el_set(editor_.get(), EL_ADDFN, "llm-suspend", "stops the program until the shell goes on with it",
               &on_suspend);
        el_set(editor_.get(), EL_BIND, "^Z", "llm-suspend", nullptr);
        el_set(editor_.get(), EL_BIND, "^R", "em-inc-search-prev", nullptr);
        el_source(editor_.get(), nullptr);  // ~/.editrc
    }

    LineEnd read(std::string &line, const std::string &prompt) override {
        prompt_ = prompt;
        is_interrupted_ = false;
        el_set(editor_.get(), EL_PREP_TERM, 1);  // before the prompt is there, or the first key could be too early
        int count = 0;
        const char *text = el_gets(editor_.get(), &count);
        if (is_interrupted_) {
            std::fputs("^C\n", stderr);
            return LineEnd::interrupted;
        }
        if (text == nullptr || count <= 0) {
            std::fputs("\n", stderr);
            return LineEnd::end;
        }
        line.assign(text, static_cast<std::size_t>(count));
        while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
        return LineEnd::line;
    }

    void remember(const std::string &line) override {
        HistEvent event;
        history(history_.get(), &event, H_ENTER, line.c_str());
    }

private:
    struct End {
        void operator()(EditLine *editor) const { el_end(editor); }
        void operator()(History *lines) const { history_end(lines); }
    };

    static EditingReader &reader_of(EditLine *editor) {
        void *data = nullptr;
        el_get(editor, EL_CLIENTDATA, &data);
        return *static_cast<EditingReader *>(data);
    }

    static char *prompt_of(EditLine *editor) { return reader_of(editor).prompt_.data(); }

    static unsigned char on_interrupt(EditLine *editor, int) {
        reader_of(editor).is_interrupted_ = true;
        return CC_NEWLINE;
    }

    static unsigned char on_suspend(EditLine *, int) {
        kill(0, SIGTSTP);  // the whole job, as the terminal does it
        return CC_REDISPLAY;
    }

    std::unique_ptr<EditLine, End> editor_;
    std::unique_ptr<History, End> history_;
    std::string prompt_;
    bool is_interrupted_ = false;
};

}  // namespace

std::unique_ptr<LineReader> make_editing_reader() {
    const char *terminal = std::getenv("TERM");
    if (!terminal || std::string_view(terminal) == "dumb") return nullptr;
    // The editor needs to know what a character is.
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    return std::make_unique<EditingReader>();
}

}  // namespace cli
