// Conversations to prompts.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using LibLlm.Native;

namespace LibLlm
{
    /// <summary>A message of a conversation.</summary>
    public sealed class ChatMessage
    {
        /// <summary>A message.</summary>
        /// <param name="role">Who says it: "system", "user" or "assistant", mostly.</param>
        /// <param name="content">What is said.</param>
        public ChatMessage(string role, string content)
        {
            Role = Require.NotNull(role, nameof(role));
            Content = Require.NotNull(content, nameof(content));
        }

        /// <summary>Who says it.</summary>
        public string Role { get; }

        /// <summary>What is said.</summary>
        public string Content { get; }
    }

    /// <summary>
    /// The chat template of a <see cref="Model"/>, which turns conversations into prompts. A conversation is a list of
    /// messages, or, with tools and variables, a JSON object: "messages", "tools", "documents", "add_generation_prompt"
    /// (default true) and "variables". Any thread may use it. It throws <see cref="ObjectDisposedException"/> after the
    /// model was disposed of, and <see cref="LlmException"/>: <see cref="Status.Argument"/> when the request is no such
    /// JSON, <see cref="Status.Template"/> when the template is wrong or refuses the conversation,
    /// <see cref="Status.NotFound"/> when the model has no such template, <see cref="Status.Limit"/> when it takes too
    /// long, <see cref="Status.NotBuilt"/> when the native library was built without templates.
    /// </summary>
    public sealed class ChatTemplate
    {
        private readonly Model model;

        internal ChatTemplate(Model model)
        {
            this.model = model;
        }

        /// <summary>The names of the model's templates, in the file's order.</summary>
        public IReadOnlyList<string> Names
        {
            get
            {
                var names = new List<string>();
                try
                {
                    for (uint i = 0;; ++i)
                    {
                        var index = new UIntPtr(i);
                        names.Add(Buffers.ReadText((byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                            raw.llm_chat_template_name(to, capacity, out needed, model.Handle, index)));
                    }
                }
                catch (LlmException error) when (error.Status == Status.NotFound)
                {
                    return names; // past the last one
                }
            }
        }

        /// <summary>The source of a template.</summary>
        /// <param name="name">One of <see cref="Names"/>; null is "default".</param>
        /// <exception cref="LlmException"><see cref="Status.NotFound"/>.</exception>
        public string GetSource(string name = null)
        {
            byte[] wanted = Utf8.NameOrNull(name, nameof(name));
            return Buffers.ReadText((byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                raw.llm_chat_template(to, capacity, out needed, model.Handle, wanted));
        }

        /// <summary>Turns a conversation into the tokens of a prompt. No message can forge a control token: see
        /// <see cref="ChatOptions.Guard"/>.</summary>
        /// <param name="messages">The conversation.</param>
        /// <param name="options">Or null for the defaults.</param>
        /// <exception cref="LlmException">See the class.</exception>
        public int[] Tokenize(IEnumerable<ChatMessage> messages, ChatOptions options = null)
        {
            return Tokenize(RequestOf(messages), options);
        }

        /// <summary>Turns a request into the tokens of a prompt.</summary>
        /// <param name="requestJson">A JSON object, see the class.</param>
        /// <param name="options">Or null for the defaults.</param>
        /// <exception cref="LlmException">See the class.</exception>
        public int[] Tokenize(string requestJson, ChatOptions options = null)
        {
            byte[] request = Utf8.Encode(requestJson, nameof(requestJson));
            using (OptionsHandle given = (options ?? new ChatOptions()).ToNative())
            {
                IntPtr address = raw.raw_chat_options(given);
                int likely = Math.Min(request.Length, 1 << 20) / 2 + 256; // rendering twice would cost more
                return Buffers.Read(likely, (int[] to, UIntPtr capacity, out UIntPtr needed) =>
                    raw.llm_chat_tokenize(to, capacity, out needed, model.Handle, request, Buffers.Size(request),
                                          address));
            }
        }

        /// <summary>The prompt of a conversation as text, to look at. To evaluate it use Tokenize: text does not say
        /// any more which control tokens are the template's.</summary>
        /// <param name="messages">The conversation.</param>
        /// <param name="options">Or null for the defaults.</param>
        /// <exception cref="LlmException">See the class.</exception>
        public string Render(IEnumerable<ChatMessage> messages, ChatOptions options = null)
        {
            return Render(RequestOf(messages), options);
        }

        /// <summary>The prompt of a request as text, to look at.</summary>
        /// <param name="requestJson">A JSON object, see the class.</param>
        /// <param name="options">Or null for the defaults.</param>
        /// <exception cref="LlmException">See the class.</exception>
        public string Render(string requestJson, ChatOptions options = null)
        {
            byte[] request = Utf8.Encode(requestJson, nameof(requestJson));
            using (OptionsHandle given = (options ?? new ChatOptions()).ToNative())
            {
                IntPtr address = raw.raw_chat_options(given);
                return Buffers.ReadText((byte[] to, UIntPtr capacity, out UIntPtr needed) =>
                    raw.llm_chat_render(to, capacity, out needed, model.Handle, request, Buffers.Size(request),
                                        address));
            }
        }

        private static string RequestOf(IEnumerable<ChatMessage> messages)
        {
            var json = new StringBuilder("{\"messages\":[");
            string separator = "";
            foreach (ChatMessage message in Require.NotNull(messages, nameof(messages)))
            {
                json.Append(separator).Append("{\"role\":");
                AppendString(json, message.Role);
                json.Append(",\"content\":");
                AppendString(json, message.Content);
                json.Append('}');
                separator = ",";
            }
            return json.Append("]}").ToString();
        }

        private static void AppendString(StringBuilder json, string text)
        {
            json.Append('"');
            foreach (char c in text)
            {
                if (c == '"' || c == '\\')
                    json.Append('\\').Append(c);
                else if (c < ' ')
                    json.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                else
                    json.Append(c);
            }
            json.Append('"');
        }
    }
}
