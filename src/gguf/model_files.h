// The file that a model lies in, or the files when it is split.
#pragma once

#include "gguf/gguf_file.h"
#include "io/byte_source.h"

#include <memory>
#include <string>
#include <vector>

namespace llm {

struct ModelFiles {
    std::vector<std::unique_ptr<ByteSource>> sources;  // by GgufTensor::part
    GgufFile file;                                     // of all of them

    // LLM_ERROR_UNSUPPORTED when these are not all parts of a split model.
    void require_all_parts() const;
};

// The one file, whatever it says about other parts. The statuses are those of GgufFile::parse().
ModelFiles read_model_file(std::unique_ptr<ByteSource> source);

// Opens a file and, when it is one part of a split model ("name-00002-of-00005.gguf"), the other parts, too. They are
// looked for under such names in the folder of the first, nowhere else. LLM_ERROR_MODEL or LLM_ERROR_MALFORMED when
// parts do not fit together; errors in a part name it.
ModelFiles open_model_files(const std::string &path);

}  // namespace llm
