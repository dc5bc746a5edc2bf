// Buffers share memory when their lives do not overlap, and only then.
#include "engine/buffer_layout.h"

#include <boost/test/unit_test.hpp>

namespace llm::test {

namespace {

// As in a layer: what is projected, rotated, attended and projected back; then the feed-forward network.
struct Layers {
    Graph graph;
    GraphBuilder builder{graph};
    Buffer x = builder.buffer(1), normed = builder.buffer(1), query = builder.buffer(1), attended = builder.buffer(1),
           hidden = builder.buffer(1);
    Matrix weight = {};

    explicit Layers(int count) {
        builder.embed(x, &weight);
        for (int layer = 0; layer < count; ++layer) {
            builder.rms_norm(normed, x, nullptr, 0.0f);
            builder.project(normed, {{query, {&weight, nullptr}}});
            builder.rotate({query, RotateStep::none, RotateStep::none, {}, nullptr, RopePairing::halves, 0});
            builder.attend({.out = attended, .queries = query, .shape = {}, .layer = 0, .scale = 1.0f});
            builder.project_add(attended, {x, {&weight, nullptr}});
            builder.rms_norm(normed, x, nullptr, 0.0f);
            builder.gated_project({hidden, normed, {&weight, nullptr}, {&weight, nullptr}, Activation::silu});
            builder.project_add(hidden, {x, {&weight, nullptr}});
        }
        builder.rms_norm(normed, x, nullptr, 0.0f);
        builder.logits({normed, &weight});
    }
};

bool share(const BufferLayout &layout, const std::vector<size_t> &sizes, Buffer a, Buffer b) {
    const size_t first = layout.offsets[a.index], second = layout.offsets[b.index];
    return first < second + sizes[b.index] && second < first + sizes[a.index];
}

}  // namespace

BOOST_AUTO_TEST_CASE(lives_of_a_layer) {
    for (const int count : {1, 3}) {
        const Layers layers(count);
        const std::vector<size_t> sizes = {640, 704, 640, 704, 2560};
        const BufferLayout layout = lay_out_buffers(layers.graph, sizes);
        const auto meet = [&](Buffer a, Buffer b) { return share(layout, sizes, a, b); };
        for (const Buffer other : {layers.normed, layers.query, layers.attended, layers.hidden})
            BOOST_TEST(!meet(layers.x, other));
        BOOST_TEST(!meet(layers.normed, layers.query));
        BOOST_TEST(!meet(layers.query, layers.attended));
        BOOST_TEST(!meet(layers.normed, layers.hidden));
        BOOST_TEST(meet(layers.query, layers.hidden));
        BOOST_TEST(meet(layers.attended, layers.hidden));
        BOOST_TEST(layout.bytes == 640u + 704u + 2560u);  // x, normed, hidden
    }
}

// The threads are at different rows of a chain: what its first step reads must be there until its last step is done.
BOOST_AUTO_TEST_CASE(steps_by_rows_are_one_stage) {
    Graph graph;
    GraphBuilder builder(graph);
    const Matrix weight = {};
    const Buffer a = builder.buffer(1), b = builder.buffer(1), c = builder.buffer(1);
    builder.embed(a, &weight);
    builder.rms_norm(b, a, nullptr, 0.0f);
    builder.rms_norm(c, b, nullptr, 0.0f);
    builder.logits({c, &weight});
    BOOST_TEST(lay_out_buffers(graph, std::vector<size_t>{64, 64, 64}).bytes == 192u);
}

// A result that nobody reads is still written, and perhaps quantized by the next stage.
BOOST_AUTO_TEST_CASE(a_result_that_nobody_reads_has_its_place) {
    Graph graph;
    GraphBuilder builder(graph);
    const Matrix weight = {};
    const Buffer a = builder.buffer(1), unread = builder.buffer(1), b = builder.buffer(1);
    builder.embed(a, &weight);
    builder.project(a, {{unread, {&weight, nullptr}}});
    builder.rms_norm(b, a, nullptr, 0.0f);
    builder.logits({b, &weight});
    const std::vector<size_t> sizes = {64, 64, 64};
    const BufferLayout layout = lay_out_buffers(graph, sizes);
    BOOST_TEST(!share(layout, sizes, unread, a));
    BOOST_TEST(!share(layout, sizes, unread, b));
}

}  // namespace llm::test
