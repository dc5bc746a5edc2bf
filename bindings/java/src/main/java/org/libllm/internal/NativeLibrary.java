package org.libllm.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Finds and loads the native libraries: in the folder that the property org.libllm.path names; else in the jar, from
 * which they are unpacked; else on java.library.path.
 *
 * They are unpacked into a folder of the user's cache that is named by their content, so versions do not meet, and a
 * file is only ever moved there whole: processes that start at the same time cannot disturb each other. Nothing is
 * deleted. All hashes are checked before anything is loaded.
 */
public final class NativeLibrary {
    static final String PATH_PROPERTY = "org.libllm.path";
    static final String CACHE_PROPERTY = "org.libllm.cache";
    private static final String BINDING = System.mapLibraryName("llm_java");
    private static final Set<PosixFilePermission> ONLY_MINE = PosixFilePermissions.fromString("rwx------");

    private NativeLibrary() {}

    /** Called once, when the class of the native methods is initialized. */
    public static void load() {
        String path = System.getProperty(PATH_PROPERTY);
        String platform = platform();
        if (path != null) {
            loadFile(Path.of(path, BINDING).toAbsolutePath(), "the property " + PATH_PROPERTY + " names its folder");
        } else if (NativeLibrary.class.getResource(resource(platform, "manifest")) != null) {
            loadFromJar(platform);
        } else {
            loadFromSystem(platform);
        }
        if (RawJNI.llm_abi_version() != RawJNI.LLM_ABI_VERSION_get())
            throw new UnsatisfiedLinkError("libllm: the library has ABI version " + RawJNI.llm_abi_version()
                    + "; this binding was made for " + RawJNI.LLM_ABI_VERSION_get());
    }

    private static void loadFromSystem(String platform) {
        try {
            System.loadLibrary("llm_java");
        } catch (UnsatisfiedLinkError error) {
            throw failure("no native library for " + platform + " in the jar, and none on java.library.path; "
                    + "the property " + PATH_PROPERTY + " can name the folder of " + BINDING, error);
        }
    }

    private static void loadFromJar(String platform) {
        Path folder = null;
        try {
            byte[] manifest = read(platform, "manifest");
            folder = folder(HexFormat.of().formatHex(sha256().digest(manifest)));
            Map<String, String> hashes = hashes(manifest);
            for (Map.Entry<String, String> file : hashes.entrySet())
                unpack(platform, folder, file.getKey(), file.getValue());
            for (String name : hashes.keySet())  // in an order in which each finds those that it needs
                loadFile(folder.resolve(name), "a cache folder that is mounted noexec would be a reason; the property "
                        + CACHE_PROPERTY + " names another one");
        } catch (IOException error) {
            throw failure("cannot unpack native libraries" + (folder == null ? "" : " into " + folder) + " (" + error
                    + "); the property " + CACHE_PROPERTY + " names another folder", error);
        }
    }

    private static void loadFile(Path file, String hint) {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError error) {
            throw failure("cannot load " + file + " (" + error.getMessage() + "); " + hint, error);
        }
    }

    private static UnsatisfiedLinkError failure(String text, Throwable cause) {
        UnsatisfiedLinkError error = new UnsatisfiedLinkError("libllm: " + text);
        error.initCause(cause);
        return error;
    }

    /** The name of this system, such as "linux-x86_64". */
    static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String os = system.startsWith("mac") ? "macos" : system.startsWith("windows") ? "windows" : system;
        String c = os.equals("linux") && usesMusl() ? "-musl" : "";
        return os + c + "-" + switch (machine) {
            case "amd64", "x64", "x86_64" -> "x86_64";
            case "arm64", "aarch64" -> "aarch64";
            default -> machine;
        };
    }

    private static boolean usesMusl() {
        try (var lines = Files.lines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.contains("/ld-musl-"));
        } catch (IOException | RuntimeException unknown) {
            return false;
        }
    }

    /** The folder of an unpacked content, which only this user can write. */
    private static Path folder(String hash) throws IOException {
        String chosen = System.getProperty(CACHE_PROPERTY);
        String xdg = System.getenv("XDG_CACHE_HOME");
        Path base = chosen != null ? Path.of(chosen)
                : xdg != null && Path.of(xdg).isAbsolute() ? Path.of(xdg, "libllm", "java")
                : Path.of(System.getProperty("user.home"), ".cache", "libllm", "java");
        Path folder = base.toAbsolutePath().resolve(hash);
        boolean posix = base.getFileSystem().supportedFileAttributeViews().contains("posix");
        if (!posix) return Files.createDirectories(folder);
        Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(ONLY_MINE));
        Set<PosixFilePermission> found = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        if (!found.equals(ONLY_MINE) || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
            throw new IOException(
                    "it is no folder with the permissions rwx------: " + PosixFilePermissions.toString(found));
        return folder;
    }

    /** Names and hashes of the files, from lines as sha256sum writes them. */
    private static Map<String, String> hashes(byte[] manifest) throws IOException {
        Map<String, String> hashes = new LinkedHashMap<>();
        for (String line : new String(manifest, StandardCharsets.UTF_8).lines().toList()) {
            String[] parts = line.split("  ", 2);
            if (parts.length != 2 || parts[1].contains("/")) throw new IOException("the jar's manifest is damaged");
            hashes.put(parts[1], parts[0]);
        }
        return hashes;
    }

    /** Brings a file into the folder unless it is there already, whole. */
    private static void unpack(String platform, Path folder, String name, String hash) throws IOException {
        Path file = folder.resolve(name);
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && hash.equals(hash(file))) return;
        Path part = Files.createTempFile(folder, name, ".part");
        try {
            try (InputStream in = open(platform, name)) {
                Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
            }
            if (!hash.equals(hash(part))) throw new IOException("the jar holds a damaged " + name);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static String hash(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(java.io.OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {  // every Java platform has it
            throw new AssertionError(impossible);
        }
    }

    private static String resource(String platform, String name) {
        return "/natives/" + platform + "/" + name;
    }

    private static InputStream open(String platform, String name) throws IOException {
        InputStream in = NativeLibrary.class.getResourceAsStream(resource(platform, name));
        if (in == null) throw new IOException("the jar has no " + resource(platform, name));
        return in;
    }

    private static byte[] read(String platform, String name) throws IOException {
        try (InputStream in = open(platform, name)) {
            return in.readAllBytes();
        }
    }
}
