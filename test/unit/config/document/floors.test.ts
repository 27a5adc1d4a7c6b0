import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { formatProblem } from "../../../../src/config/problem.ts";
import { toSchedules } from "../../../../src/job/daemon/wanted-schedules.ts";

const hourMs = 3_600_000;

const load = (keep: string, census: string) =>
  loadDocument(
    [
      "version: 1",
      `archive: { dir: /var/lib/redriver/archive, keep: ${keep} }`,
      `sources: { eu: { url: https://a.example, token: { env: T }, census: ${census} } }`,
      "drains: { orders: { rules: [{ name: all, when: any, then: hold }] } }",
    ].join("\n"),
    "drains.yaml",
  );

function problemsOf(keep: string, census: string): readonly string[] {
  const outcome = load(keep, census);
  return outcome.ok ? [] : outcome.problems.map(formatProblem);
}

function documentOf(keep: string, census: string) {
  const outcome = load(keep, census);
  if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
  return outcome.document;
}

describe("archive.keep", () => {
  it.each(["1h", "2d", "71h59m59s", "0s"])(
    "is refused where files would live for less than three days: %s",
    (keep) => {
      expect(problemsOf(keep, "15m")).toEqual([
        expect.stringMatching(
          /^drains\.yaml:2:\d+ archive\.keep: expected a duration of at least 3d, such as 30d/,
        ),
      ]);
    },
  );

  it.each([
    ["3d", 72],
    ["72h", 72],
    ["30d", 720],
  ])("is what is asked for from three days on: %s", (keep, hours) => {
    expect(documentOf(keep, "15m").archive?.keepMs).toBe(hours * hourMs);
  });
});

describe("the interval of a census", () => {
  it.each(["999ms", "0s"])("is refused where it would only load the service: %s", (census) => {
    expect(problemsOf("30d", census)).toEqual([
      expect.stringMatching(
        /^drains\.yaml:3:\d+ sources\.eu\.census: expected a duration of at least 1s, such as 15m/,
      ),
    ]);
  });

  it.each([
    ["1s", 1_000],
    ["15m", 225_000],
  ])("is looked after four times as often, and once a second at the most: %s", (census, everyMs) => {
    expect(censusesOf(documentOf("30d", census))).toEqual([{ kind: "every", everyMs }]);
  });

  it("is a second at the least, whatever made the document", () => {
    const document = documentOf("30d", "15m");
    const often = { ...document, sources: document.sources.map((one) => ({ ...one, censusEveryMs: 1 })) };
    expect(censusesOf(often)).toEqual([{ kind: "every", everyMs: 1_000 }]);
  });
});

const withWithin = (census: string, lines: readonly string[]) => {
  const outcome = loadDocument(
    [
      "version: 1",
      `sources: { eu: { url: https://a.example, token: { env: T }${census} }, us: { url: https://b.example, token: { env: T } } }`,
      ...lines,
    ].join("\n"),
    "drains.yaml",
  );
  return outcome.ok ? [] : outcome.problems.map(formatProblem);
};
const rest = "rules: [{ name: all, when: any, then: hold }]";
const drain = (name: string, source: string, more: string) =>
  `  ${name}: { source: ${source}, ${more}${more === "" ? "" : ", "}${rest} }`;

const refunds = (within: string, then = "archive") => [
  "drains:",
  drain("orders", "eu", "beforeExpiry: { within: 12h }"),
  drain("refunds", "eu", `beforeExpiry: { within: ${within}, then: ${then} }`),
  drain("others", "us", "beforeExpiry: { within: 40m }"),
];

describe("the interval of a census beside the time in which records near their expiry", () => {
  it("is refused past half of the least of its source's drains, with both keys", () => {
    expect(withWithin(", census: 1d", refunds("10h"))).toEqual([
      expect.stringMatching(
        /^drains\.yaml:2:\d+ sources\.eu\.census: expected at most 5h, half of drains\.refunds\.beforeExpiry\.within \(10h\), got 1d; else records may expire/,
      ),
    ]);
    expect(withWithin(", census: 5h1ms", refunds("10h"))).toHaveLength(1);
    expect(withWithin(", census: 5h", refunds("10h"))).toEqual([]);
    // Nobody wants copies of these.
    expect(withWithin(", census: 5h", refunds("1h", "nothing"))).toEqual([]);
  });

  it("is refused at the drain where the interval is the built-in one", () => {
    expect(withWithin("", ["drains:", drain("orders", "eu", "beforeExpiry: { within: 29m }")])).toEqual([
      expect.stringMatching(
        /^drains\.yaml:4:\d+ drains\.orders\.beforeExpiry\.within: expected at least 30m, twice sources\.eu\.census \(15m, built in\), got 29m/,
      ),
    ]);
    expect(withWithin("", ["drains:", drain("orders", "eu", "beforeExpiry: { within: 30m }")])).toEqual([]);
    expect(
      withWithin("", ["defaults: { beforeExpiry: { within: 20m } }", "drains:", drain("orders", "us", "")]),
    ).toEqual([
      expect.stringMatching(/^drains\.yaml:3:\d+ defaults\.beforeExpiry\.within: expected at least 30m/),
    ]);
  });

  it("is refused past half of what is built in, for what no drain selects", () => {
    const lines = ["drains:", drain("orders", "us", "")];
    expect(withWithin(", census: 6h1s", lines)).toEqual([
      expect.stringMatching(
        /sources\.eu\.census: expected at most 6h, half of beforeExpiry\.within as it is built in \(12h\), got 6h1s/,
      ),
    ]);
    expect(withWithin(", census: 6h", lines)).toEqual([]);
  });
});

const censusesOf = (document: Parameters<typeof toSchedules>[0]) =>
  toSchedules(document).flatMap(({ job, schedule }) => (job.kind === "census" ? [schedule] : []));
