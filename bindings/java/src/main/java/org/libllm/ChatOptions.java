package org.libllm;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import org.libllm.internal.Buffers;
import org.libllm.internal.Raw;

/** Which chat template is used, and how. */
public final class ChatOptions extends Options {
    static final ChatOptions DEFAULTS = builder().build();

    private ChatOptions(Builder builder) {
        super(builder);
    }

    /** {@return a builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects options for a chat template. */
    public static final class Builder extends Options.Builder<Builder> {
        private Builder() {
            super(OptionGroup.CHAT);
        }

        @Override
        Builder self() {
            return this;
        }

        /** {@return the options} Throws {@link LlmException} when one is unknown or outside its range. */
        public ChatOptions build() {
            return new ChatOptions(this);
        }

        /**
         * Gives a template to use instead of the model's.
         *
         * @param source its source, in Jinja
         * @return this
         */
        public Builder template(String source) {
            return text("template_text", Buffers.utf8(source));
        }

        /**
         * Chooses one of the model's templates.
         *
         * @param name one of {@link Model#chatTemplateNames()}
         * @return this
         */
        public Builder templateName(String name) {
            byte[] checked = Buffers.name(name);
            return text("template_name", Arrays.copyOf(checked, checked.length - 1));
        }

        /**
         * Sets the time that the template sees; default: that of the system's clock and time zone.
         *
         * @param time in whole seconds
         * @param offset of the local time
         * @return this
         */
        public Builder now(Instant time, ZoneOffset offset) {
            long seconds = time.getEpochSecond();
            return set("utc_offset", offset.getTotalSeconds()).add(options -> Raw.raw_options_now(options, seconds));
        }

        /**
         * Sets whether control tokens that a message spells stay plain text.
         *
         * @param guard default true; false only for messages that are as trustworthy as the template
         * @return this
         */
        public Builder guard(boolean guard) {
            return set("guard", guard);
        }
    }
}
