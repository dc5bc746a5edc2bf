// First bytes of the files that are most often taken for GGUF.
#include "gguf/file_kind.h"

#include <array>

namespace llm {

namespace {

struct Signature {
    std::string_view bytes;
    std::string_view kind;
};

constexpr std::string_view old_format = "it is in an older format of the GGML family; convert it to GGUF";
constexpr std::string_view web_page = "it is a web page, so the download went wrong";

// Old formats were written as a 32-bit number, hence backwards in the file; both spellings are taken.
constexpr std::array signatures = {
    Signature{"FUGG", "its byte order is reversed: it was made on or for a big-endian machine"},
    Signature{"lmgg", old_format},
    Signature{"fmgg", old_format},
    Signature{"tjgg", old_format},
    Signature{"algg", old_format},
    Signature{"ggml", old_format},
    Signature{"ggmf", old_format},
    Signature{"ggjt", old_format},
    Signature{"ggla", old_format},
    Signature{"PK\x03\x04", "it is a ZIP archive (or a PyTorch checkpoint)"},
    Signature{"\x1f\x8b", "it is compressed by gzip"},
    Signature{"\x28\xb5\x2f\xfd", "it is compressed by zstd"},
    Signature{"\xfd"
              "7zXZ",
              "it is compressed by xz"},
    Signature{"version https://", "it is a Git LFS pointer; fetch the file itself with 'git lfs pull'"},
    Signature{"<!DOC", web_page},
    Signature{"<!doc", web_page},
    Signature{"<html", web_page},
    Signature{"<HTML", web_page},
    Signature{"<?xml", "it is an XML text, perhaps a server's error message"},
    Signature{"{", "it is a JSON text"},
};

}  // namespace

std::string_view guess_file_kind(std::span<const uint8_t> head) {
    const std::string_view text(reinterpret_cast<const char *>(head.data()), head.size());
    for (const Signature &signature : signatures) {
        if (text.starts_with(signature.bytes)) return signature.kind;
    }
    // safetensors: the length of a JSON header in 64 bits, then the header.
    if (text.size() >= 9 && text[8] == '{') return "it is a safetensors file; convert it to GGUF";
    return "its first bytes are of no known format";
}

}  // namespace llm
