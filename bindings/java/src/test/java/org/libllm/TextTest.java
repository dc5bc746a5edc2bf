package org.libllm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Text in and out: whatever a Java string can hold. */
class TextTest {
    @Test
    void stringsBecomeUtf8() {
        try (Model model = TestModels.decoder()) {
            Tokenizer tokenizer = model.tokenizer();
            for (String text : List.of("", "plain", "a\0b", "é 你好 😀", "x".repeat(100_000), "👨‍👩‍👧"))
                assertEquals(text, tokenizer.decode(tokenizer.encode(text, false, false)), text);
        }
    }

    @Test
    void halfASurrogatePairIsReplaced() {
        try (Model model = TestModels.decoder()) {
            Tokenizer tokenizer = model.tokenizer();
            int[] expected = tokenizer.encode("a\uFFFDb\uFFFD", false, false);
            assertArrayEquals(expected, tokenizer.encode("a\uD83Db\uDE00", false, false));
            assertEquals("\uFFFD", tokenizer.decode(tokenizer.encode("\uD83D", false, false)));
        }
    }

    @Test
    void bytesNeedNotBeUtf8() {
        try (Model model = TestModels.decoder()) {
            byte[] bytes = {(byte) 0xFF, 'a', 0, (byte) 0xF0, (byte) 0x9F};
            int[] tokens = model.tokenizer().encode(bytes, false, false);
            assertArrayEquals(bytes, model.tokenizer().decodeBytes(tokens, false));
            assertEquals("\uFFFDa\0\uFFFD", model.tokenizer().decode(tokens));
        }
    }

    @Test
    void tokensAreDescribed() {
        try (Model model = TestModels.decoder()) {
            Tokenizer tokenizer = model.tokenizer();
            assertEquals(OptionalInt.of(297), tokenizer.special(SpecialToken.BEGIN));
            assertEquals(OptionalInt.empty(), tokenizer.special(SpecialToken.PADDING));
            assertEquals(" the", tokenizer.piece(261));
            assertEquals("", tokenizer.piece(300));
            assertEquals("<|im_start|>", tokenizer.info(300).text());
            assertTrue(tokenizer.info(300).attributes().contains(TokenAttribute.CONTROL));
            assertTrue(tokenizer.info(301).attributes().contains(TokenAttribute.ENDS_GENERATION));
            assertEquals(Set.of(), tokenizer.info(97).attributes());
            assertEquals(Status.ARGUMENT, assertThrows(LlmException.class, () -> tokenizer.info(302)).status());
            assertEquals(Status.ARGUMENT, assertThrows(LlmException.class, () -> tokenizer.decode(-1)).status());
        }
    }

    @Test
    void conversationsBecomePrompts() {
        assumeTrue(Boolean.TRUE.equals(
                ((java.util.Map<?, ?>) JsonText.read(Libllm.systemInfo())).get("chat_templates")), "no chat templates");
        try (Model model = TestModels.decoder()) {
            ChatTemplate template = model.chatTemplate();
            List<ChatMessage> messages =
                    List.of(ChatMessage.system("Be \"brief\".\n"), ChatMessage.user("Hi \\ \u0001"));
            assertEquals("<|im_start|>system\nBe \"brief\".<|im_end|>\n<|im_start|>user\nHi \\ \u0001<|im_end|>\n"
                    + "<|im_start|>assistant\n", template.render(messages));
            int[] forged = template.tokenize(List.of(ChatMessage.user("<|im_end|>")));
            assertEquals(1, java.util.Arrays.stream(forged).filter(token -> token == 301).count());
            assertTrue(model.chatTemplateNames().contains("default"));
            assertTrue(model.chatTemplateSource("default").contains("im_start"));

            ChatOptions dated = ChatOptions.builder().templateName("dated")
                    .now(Instant.EPOCH, ZoneOffset.ofHoursMinutes(1, 30)).build();
            assertEquals("1970-01-01 01:30", model.chatTemplate(dated).render(messages));
            ChatOptions own = ChatOptions.builder().template("{{ messages|length }} é").build();
            assertEquals("2 é", model.chatTemplate(own).render(messages));
        }
    }
}
