// Facts about a model: numbers, tensors, memory.
using System;
using System.Collections.Generic;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>Facts about a <see cref="Model"/>. Numbers that the file does not give are 0 in a model that was opened
    /// for its metadata.</summary>
    public sealed class ModelInfo
    {
        internal ModelInfo(llm_model_info info)
        {
            Architecture = Utf8.Decode(info.architecture);
            Name = Utf8.Decode(info.name);
            Type = Utf8.Decode(info.type);
            Description = Utf8.Decode(info.description);
            ParameterCount = info.parameter_count;
            FileSize = info.file_size;
            TensorBytes = info.tensor_bytes;
            WeightBytes = info.weight_bytes;
            VocabularySize = (int)info.vocabulary_size;
            ContextLength = (int)info.context_length;
            EmbeddingLength = (int)info.embedding_length;
            LayerCount = (int)info.layer_count;
            HeadCount = (int)info.head_count;
            HeadCountKv = (int)info.head_count_kv;
            HeadLength = (int)info.head_length;
            FeedForwardLength = (int)info.feed_forward_length;
            ExpertCount = (int)info.expert_count;
            ExpertUsedCount = (int)info.expert_used_count;
            FileCount = (int)info.file_count;
            Generates = (info.capabilities & raw.LLM_MODEL_GENERATES) != 0;
            Embeds = (info.capabilities & raw.LLM_MODEL_EMBEDS) != 0;
        }

        /// <summary>For instance "llama".</summary>
        public string Architecture { get; }

        /// <summary>As the file says; empty if it does not.</summary>
        public string Name { get; }

        /// <summary>The tensor type of most weights, for instance "Q4_1".</summary>
        public string Type { get; }

        /// <summary>For people, for instance "llama 1.24B Q4_K".</summary>
        public string Description { get; }

        /// <summary>Sum of the elements of all tensors.</summary>
        public ulong ParameterCount { get; }

        /// <summary>Bytes of all files.</summary>
        public ulong FileSize { get; }

        /// <summary>Bytes of all tensors as stored.</summary>
        public ulong TensorBytes { get; }

        /// <summary>Bytes of memory that the weights take; 0 when mapped.</summary>
        public ulong WeightBytes { get; }

        /// <summary>Number of tokens that there are.</summary>
        public int VocabularySize { get; }

        /// <summary>Tokens that the model was trained for.</summary>
        public int ContextLength { get; }

        /// <summary>Length of an embedding.</summary>
        public int EmbeddingLength { get; }

        /// <summary>Number of layers.</summary>
        public int LayerCount { get; }

        /// <summary>Heads of attention in a layer.</summary>
        public int HeadCount { get; }

        /// <summary>Heads of keys and values in a layer.</summary>
        public int HeadCountKv { get; }

        /// <summary>Length of a head.</summary>
        public int HeadLength { get; }

        /// <summary>Width of the feed-forward part.</summary>
        public int FeedForwardLength { get; }

        /// <summary>Experts of a layer; 0 if it is no mixture.</summary>
        public int ExpertCount { get; }

        /// <summary>Experts that are used for a token.</summary>
        public int ExpertUsedCount { get; }

        /// <summary>More than 1 when the model is split.</summary>
        public int FileCount { get; }

        /// <summary>Whether it is a decoder, for <see cref="Generation"/>.</summary>
        public bool Generates { get; }

        /// <summary>Whether it is an encoder, for <see cref="Context.Embed"/>.</summary>
        public bool Embeds { get; }
    }

    /// <summary>Describes a tensor of a file.</summary>
    public sealed class TensorInfo
    {
        internal TensorInfo(llm_tensor tensor)
        {
            Name = Utf8.Decode(tensor.name);
            Type = Utf8.Decode(tensor.type);
            var shape = new ulong[tensor.dimension_count];
            for (int i = 0; i < shape.Length; ++i) shape[i] = raw.raw_tensor_dimension(tensor, new UIntPtr((uint)i));
            Shape = shape;
            Offset = tensor.offset;
            ByteCount = tensor.byte_count;
            Part = (int)tensor.part;
        }

        /// <summary>Its name.</summary>
        public string Name { get; }

        /// <summary>For instance "Q4_K".</summary>
        public string Type { get; }

        /// <summary>Its dimensions, the fastest-running first.</summary>
        public IReadOnlyList<ulong> Shape { get; }

        /// <summary>Of the first byte in its file.</summary>
        public ulong Offset { get; }

        /// <summary>Its size in the file.</summary>
        public ulong ByteCount { get; }

        /// <summary>The part of a split model that holds it, from 0.</summary>
        public int Part { get; }
    }

    /// <summary>Memory that a model and a context take together, in bytes.</summary>
    public sealed class MemoryEstimate
    {
        internal MemoryEstimate(llm_memory memory)
        {
            WeightBytes = memory.weight_bytes;
            MappedBytes = memory.mapped_bytes;
            CacheBytes = memory.cache_bytes;
            ScratchBytes = memory.scratch_bytes;
            ContextLength = (int)memory.context_length;
            BatchSize = (int)memory.batch_size;
            Threads = (int)memory.threads;
            MaxSequences = (int)memory.max_sequences;
        }

        /// <summary>Of the weights.</summary>
        public ulong WeightBytes { get; }

        /// <summary>Of the file that evaluation reads, with <see cref="LoadMode.Mapped"/>.</summary>
        public ulong MappedBytes { get; }

        /// <summary>Of keys and values.</summary>
        public ulong CacheBytes { get; }

        /// <summary>Of intermediate results and one token's logits.</summary>
        public ulong ScratchBytes { get; }

        /// <summary>Tokens of a sequence for which this is.</summary>
        public int ContextLength { get; }

        /// <summary>Tokens at once for which this is.</summary>
        public int BatchSize { get; }

        /// <summary>Threads for which this is.</summary>
        public int Threads { get; }

        /// <summary>Sequences for which this is.</summary>
        public int MaxSequences { get; }
    }
}
