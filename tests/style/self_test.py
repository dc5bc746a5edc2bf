#!/usr/bin/env python3
"""The style checks see what they are meant to see."""
import pathlib
import unittest

import sizes
import source_tree
import text

SOURCE = """// A file.
#define OPEN {
namespace llm {
struct Point {
    Point(int a) : x{a}, y_(a) { count(); }
    int x{0};
};
const int table[] = {1, 2};  // a { in a comment
bool operator==(const Point &, const Point &) { return '{' != 1'000; }
template <class T>
auto longer(const char *text = "{") -> int {
    if (text) {
        call([&] { return R"x({)x"; });
    }
    return 0;
}
}  // namespace llm
"""


class SelfTest(unittest.TestCase):
    def test_functions(self):
        self.assertEqual(source_tree.functions(SOURCE), [(5, 1), (9, 1), (11, 6)])

    def test_comment_lines(self):
        self.assertEqual(source_tree.comment_lines(SOURCE), (3, 17))
        self.assertEqual(source_tree.comment_lines("/* a\n\n b */\nint x;\n"), (2, 3))

    def test_long_function(self):
        body = "void f() {\n" + "    g();\n" * 59 + "}\n"
        path = pathlib.Path("src/model/f.cpp")
        self.assertEqual(len(list(sizes.faults_of(path, body))), 1)
        self.assertEqual(list(sizes.faults_of(pathlib.Path("src/kernels/f.cpp"), body)), [])

    def test_long_file(self):
        self.assertEqual(len(list(sizes.faults_of(pathlib.Path("a.py"), "x\n" * 500))), 1)
        self.assertEqual(list(sizes.faults_of(pathlib.Path("a.py"), "x\n" * 499)), [])

    def test_text(self):
        path = pathlib.Path("a.cpp")
        self.assertEqual(list(text.faults_of(path, "// a\nint x;\n")), [])
        for wrong in ("int x;\n", "// a\n\tint x;\n", "// a\nint x; \n", "// a\nint x;", "// a\n\n", "// a\r\n",
                      "// " + "a" * 118 + "\n"):
            self.assertEqual(len(list(text.faults_of(path, wrong))), 1, wrong)


if __name__ == "__main__":
    unittest.main()
