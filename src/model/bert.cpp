// BERT (Devlin et al. 2018), an encoder: every token sees all others. Learned positions and the first token type are
// added to the embedding; biases everywhere, a layer norm behind each sum, and a feed-forward network of one hidden
// layer with GELU as it was defined, by the error function.
#include "model/architecture.h"
#include "model/blocks.h"

namespace llm {

void build_bert(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_epsilon");
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const auto norm = [&](const std::string &name) {
        graph.layer_norm(b.x, b.x, weights.vector(name + ".weight", width),
                         weights.optional_vector(name + ".bias", width), epsilon);
    };

    const Matrix *positions = weights.matrix("position_embd.weight", p.context_length, width);
    graph.embed_with_positions(b.x, token_embedding(weights, p), positions,
                               weights.optional_first_row("token_types.weight", width));
    norm("token_embd_norm");

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.x, p, layer, {.weights = attention});
        graph.project_add(b.attended, {b.x, attention.output});
        norm(block + "attn_output_norm");

        const PlainWeights ffn = plain_weights(weights, block, p);
        graph.project(b.x, {{b.hidden, ffn.up}}, Activation::gelu_erf);
        graph.project_add(b.hidden, {b.x, ffn.down});
        norm(block + "layer_output_norm");
    }

    graph.encoding({b.x, read_pooling(read)}, p.context_length);
}

}  // namespace llm
