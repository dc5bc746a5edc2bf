package org.libllm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a new process finds its native libraries. */
class LoaderTest {
    @TempDir
    private Path folder;

    /** What the processes run: the library is loaded and used. */
    static final class Child {
        public static void main(String[] args) {
            try (Model model = Model.open(Path.of(args[0]))) {
                System.out.println(Libllm.version() + " " + model.info().name());
            }
        }
    }

    private static Path locationOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private Process start(String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp",
                locationOf(Model.class) + ":" + locationOf(LoaderTest.class)));
        command.addAll(List.of(options));
        command.addAll(List.of(Child.class.getName(), TestModels.path("chain.gguf").toString()));
        Path output = Files.createTempFile(folder, "output", ".txt");
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }

    private String outputOf(Process process) throws Exception {
        int status = process.waitFor();
        try (Stream<Path> files = Files.list(folder)) {
            StringBuilder all = new StringBuilder("status " + status + "\n");
            for (Path file : files.filter(path -> path.toString().endsWith(".txt")).toList()) {
                all.append(Files.readString(file));
                Files.delete(file);
            }
            return all.toString();
        }
    }

    private static List<Path> filesIn(Path cache) throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Test
    void eightProcessesUnpackAtOnce() throws Exception {
        Path cache = folder.resolve("a cache");
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 8; ++i) processes.add(start("-Dorg.libllm.cache=" + cache));
        for (Process process : processes) assertEquals(0, process.waitFor());
        List<Path> files = filesIn(cache);
        assertEquals(List.of("libllm.so.0", "libllm_java.so", "libtbb.so.12"),
                files.stream().map(file -> file.getFileName().toString()).toList());
        Path unpacked = files.get(0).getParent();
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(unpacked)));
        assertTrue(unpacked.getFileName().toString().matches("[0-9a-f]{64}"));
        outputOf(processes.get(0));

        for (Path file : files) Files.write(file, new byte[] {1, 2, 3});  // damaged files are replaced
        assertTrue(outputOf(start("-Dorg.libllm.cache=" + cache)).endsWith("conformance chain\n"));
        assertTrue(Files.size(files.get(0)) > 1000);
    }

    @Test
    void aFolderThatOthersCanWriteIsRefused() throws Exception {
        Path cache = folder.resolve("cache");
        assertTrue(outputOf(start("-Dorg.libllm.cache=" + cache)).startsWith("status 0"));
        Path unpacked = filesIn(cache).get(0).getParent();
        Files.setPosixFilePermissions(unpacked, PosixFilePermissions.fromString("rwxrwxrwx"));
        String output = outputOf(start("-Dorg.libllm.cache=" + cache));
        assertTrue(output.contains("UnsatisfiedLinkError") && output.contains("rwxrwxrwx"), output);
    }

    @Test
    void theCacheIsTheUsers() throws Exception {
        String output = outputOf(start("-Duser.home=" + folder.resolve("home")));
        assertTrue(output.startsWith("status 0"), output);
        if (System.getenv("XDG_CACHE_HOME") == null)
            assertEquals(3, filesIn(folder.resolve("home/.cache/libllm/java")).size());
    }

    @Test
    void aCacheThatCannotBeMadeSaysSo() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        String output = outputOf(start("-Dorg.libllm.cache=" + file.resolve("cache")));
        assertTrue(output.contains("org.libllm.cache names another folder"), output);
    }

    @Test
    void aPathMayBeGiven() throws Exception {
        Path cache = folder.resolve("cache");
        assertTrue(outputOf(start("-Dorg.libllm.cache=" + cache)).startsWith("status 0"));
        Path libraries = filesIn(cache).get(0).getParent();
        Path other = Files.createDirectory(folder.resolve("other"));
        String output = outputOf(start("-Dorg.libllm.path=" + libraries, "-Dorg.libllm.cache=" + other));
        assertTrue(output.startsWith("status 0"), output);
        assertEquals(List.of(), filesIn(other));
        output = outputOf(start("-Dorg.libllm.path=" + other));
        assertTrue(output.contains("libllm: cannot load " + other.resolve("libllm_java.so")), output);
    }
}
