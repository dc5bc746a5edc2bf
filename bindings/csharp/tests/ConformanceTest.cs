// Runs the cases that all languages share, and writes the results for the comparison of the languages.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using NUnit.Framework;

namespace LibLlm.Tests
{
    using Result = Dictionary<string, object>;

    [TestFixture]
    public class ConformanceTest
    {
        [Test]
        public void AllCases()
        {
            var file = (IDictionary<string, object>)Json.Parse(
                File.ReadAllText(TestFiles.Variable("LLM_CONFORMANCE_CASES")));
            Assert.That(file["format"], Is.EqualTo(1L));
            var faults = new List<string>();
            var results = new Result();
            foreach (object members in (IEnumerable<object>)file["cases"])
            {
                var test = new Case(members);
                if (test.Text("kind").StartsWith("chat_", StringComparison.Ordinal) && !TestFiles.HasTemplates)
                    continue;
                object result = Json.Parse(Json.Write(Run(test)));
                results.Add(test.Text("name"), result);
                if (test.Has("expect")) faults.AddRange(FaultsOf(test, (Result)result));
            }
            WriteResults(results);
            Console.WriteLine("{0} cases", results.Count);
            Assert.That(results.Count, Is.GreaterThan(100));
            Assert.That(faults, Is.Empty, string.Join("\n", faults));
        }

        private static Result Run(Case test)
        {
            try
            {
                return Kinds.All[test.Text("kind")](test);
            }
            catch (LlmException error)
            {
                return new Result { { "error", error.Message.Split(':')[0] } };
            }
        }

        private static IEnumerable<string> FaultsOf(Case test, Result result)
        {
            double tolerance = test.Has("tolerance") ? Convert.ToDouble(test.Get("tolerance")) : 1e-4;
            foreach (KeyValuePair<string, object> expected in (Result)test.Get("expect"))
            {
                object value;
                if (!result.TryGetValue(expected.Key, out value) || !Agree(expected.Value, value, tolerance))
                    yield return test.Text("name") + ": " + expected.Key + " of " + Json.Write(result) + ", not " +
                                 Json.Write(expected.Value);
            }
        }

        private static bool Agree(object expected, object value, double tolerance)
        {
            var list = expected as IList;
            if (list != null)
            {
                var values = value as IList;
                return values != null && values.Count == list.Count &&
                       list.Cast<object>().Zip(values.Cast<object>(), (a, b) => Agree(a, b, tolerance)).All(b => b);
            }
            if (expected is double || value is double)
                return expected != null && value != null &&
                       Math.Abs(Convert.ToDouble(expected, CultureInfo.InvariantCulture) -
                                Convert.ToDouble(value, CultureInfo.InvariantCulture)) <= tolerance;
            return Equals(expected, value);
        }

        private static void WriteResults(Result results)
        {
            string path = Environment.GetEnvironmentVariable("LLM_CONFORMANCE_RESULTS");
            if (string.IsNullOrEmpty(path)) return;
            Directory.CreateDirectory(Path.GetDirectoryName(path));
            File.WriteAllText(path, Json.Write(new Result { { "language", "csharp" }, { "results", results } }));
        }
    }
}
