// The metadata of a model.
using System;
using System.Collections.Generic;
using System.Globalization;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>Types of metadata values.</summary>
    public enum MetadataType
    {
        /// <summary>Unsigned, 8 bits.</summary>
        UInt8 = raw.LLM_VALUE_U8,
        /// <summary>Signed, 8 bits.</summary>
        Int8 = raw.LLM_VALUE_I8,
        /// <summary>Unsigned, 16 bits.</summary>
        UInt16 = raw.LLM_VALUE_U16,
        /// <summary>Signed, 16 bits.</summary>
        Int16 = raw.LLM_VALUE_I16,
        /// <summary>Unsigned, 32 bits.</summary>
        UInt32 = raw.LLM_VALUE_U32,
        /// <summary>Signed, 32 bits.</summary>
        Int32 = raw.LLM_VALUE_I32,
        /// <summary>Single precision.</summary>
        Float32 = raw.LLM_VALUE_F32,
        /// <summary>True or false.</summary>
        Boolean = raw.LLM_VALUE_BOOL,
        /// <summary>Text.</summary>
        String = raw.LLM_VALUE_STRING,
        /// <summary>An array of one of the other types, or of arrays.</summary>
        Array = raw.LLM_VALUE_ARRAY,
        /// <summary>Unsigned, 64 bits.</summary>
        UInt64 = raw.LLM_VALUE_U64,
        /// <summary>Signed, 64 bits.</summary>
        Int64 = raw.LLM_VALUE_I64,
        /// <summary>Double precision.</summary>
        Float64 = raw.LLM_VALUE_F64
    }

    /// <summary>The metadata of a <see cref="Model"/>, read when it is asked for. Any thread may use it; it throws
    /// <see cref="ObjectDisposedException"/> after the model was disposed of.</summary>
    public sealed class Metadata
    {
        private readonly Model model;

        internal Metadata(Model model)
        {
            this.model = model;
        }

        /// <summary>Number of keys.</summary>
        public int Count
        {
            get { return Buffers.Count(raw.llm_metadata_count(model.Handle)); }
        }

        /// <summary>All keys, in the file's order.</summary>
        public IReadOnlyList<string> Keys
        {
            get
            {
                var keys = new string[Count];
                for (int i = 0; i < keys.Length; ++i)
                {
                    var index = new UIntPtr((uint)i);
                    keys[i] = Buffers.ReadText((byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                        raw.raw_metadata_key(to, capacity, out needed, model.Handle, index));
                }
                return keys;
            }
        }

        /// <summary>The value of a key.</summary>
        /// <param name="key">For instance "general.architecture".</param>
        /// <exception cref="LlmException"><see cref="Status.NotFound"/> when there is no such key.</exception>
        public MetadataValue this[string key]
        {
            get
            {
                byte[] name = Utf8.Name(key, nameof(key));
                return Read(value => raw.llm_metadata_get(value, model.Handle, name));
            }
        }

        /// <summary>The value of a key, if there is one.</summary>
        /// <param name="key">For instance "general.name".</param>
        /// <param name="value">Receives the value, or null.</param>
        /// <returns>Whether there is such a key.</returns>
        public bool TryGetValue(string key, out MetadataValue value)
        {
            value = null;
            try
            {
                value = this[key];
            }
            catch (LlmException error) when (error.Status == Status.NotFound)
            {
            }
            return value != null;
        }

        /// <summary>An element of an array.</summary>
        /// <param name="key">Of the array.</param>
        /// <param name="indexes">One index for each level of nested arrays.</param>
        /// <exception cref="LlmException"><see cref="Status.NotFound"/> for an unknown key or an index past the end,
        /// <see cref="Status.Argument"/> when it is no array.</exception>
        public MetadataValue GetElement(string key, params long[] indexes)
        {
            byte[] name = Utf8.Name(key, nameof(key));
            Require.NotNull(indexes, nameof(indexes));
            ulong[] numbers = Array.ConvertAll(indexes, i => Require.NotNegative(i, nameof(indexes)).ToUInt64());
            return Read(value => raw.llm_metadata_element(value, model.Handle, name, numbers, Buffers.Size(numbers)));
        }

        private MetadataValue Read(Func<llm_value, int> call)
        {
            using (new Hold(model.Handle))
            using (var value = new llm_value())
            {
                call(value);
                return new MetadataValue(value);
            }
        }
    }

    /// <summary>A metadata value, or an element of an array.</summary>
    public sealed class MetadataValue
    {
        internal MetadataValue(llm_value value)
        {
            Type = (MetadataType)value.type;
            ElementType = (MetadataType)value.element_type;
            Count = value.count;
            Bytes = new byte[0];
            switch (Type)
            {
                case MetadataType.String:
                    Bytes = Buffers.Read(64, (byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                        raw.raw_value_text(to, capacity, out needed, value));
                    Value = Utf8.Decode(Bytes);
                    break;
                case MetadataType.Boolean: Value = value.u != 0; break;
                case MetadataType.Float32: Value = (float)value.f; break;
                case MetadataType.Float64: Value = value.f; break;
                case MetadataType.Int8: case MetadataType.Int16: case MetadataType.Int32: case MetadataType.Int64:
                    Value = value.i;
                    break;
                case MetadataType.Array: break;
                default: Value = value.u; break;
            }
        }

        /// <summary>What it is.</summary>
        public MetadataType Type { get; }

        /// <summary>What an array's elements are.</summary>
        public MetadataType ElementType { get; }

        /// <summary>Number of an array's elements, else 1.</summary>
        public ulong Count { get; }

        /// <summary>A ulong, long, float, double, bool or string; null for an array. In a string, bytes that are no
        /// UTF-8 are U+FFFD.</summary>
        public object Value { get; }

        /// <summary>The bytes of a string as they are in the file, else none.</summary>
        public byte[] Bytes { get; }

        /// <summary>The value in the invariant culture, or of an array "[Int32 x 5]".</summary>
        public override string ToString()
        {
            return Type == MetadataType.Array ? "[" + ElementType + " x " + Count + "]"
                                              : Convert.ToString(Value, CultureInfo.InvariantCulture);
        }
    }
}
