import { describe, expect, it } from "vitest";
import { toSchedules } from "../../../../src/job/daemon/wanted-schedules.ts";
import { load, problemsOf } from "../../../support/loaded-document.ts";

const rest = "rules: [{ name: all, when: any, then: hold }]";

const textOf = (keep: string, census: string) =>
  [
    "version: 1",
    `archive: { dir: /var/lib/redriver/archive, keep: ${keep} }`,
    `sources: { eu: { census: ${census} } }`,
    `drains: { orders: { ${rest} } }`,
  ].join("\n");

const atLeast3d = "drains.yaml:2:50 archive.keep: expected a duration of at least 3d, such as 30d";
const atLeast1s = "drains.yaml:3:26 sources.eu.census: expected a duration of at least 1s, such as 15m";

it.each([
  ["71h59m59s", "15m", atLeast3d],
  ["30d", "999ms", atLeast1s],
])("files that live for %s, or a census each %s, are refused", (keep, census, problem) => {
  expect(problemsOf(textOf(keep, census))).toEqual([expect.stringContaining(problem)]);
});

it.each([
  ["3d", "1s", 1_000],
  ["72h", "15m", 225_000],
])("files live for %s, and a census each %s is looked after every %d ms", (keep, census, everyMs) => {
  const { document } = load(textOf(keep, census));
  expect(document.archive?.keepMs).toBe(72 * 3_600_000);
  const schedules = toSchedules(document).flatMap(({ job, schedule }) =>
    job.kind === "census" ? schedule : [],
  );
  expect(schedules).toEqual([{ kind: "every", everyMs }]);
});

const withWithin = (census: string, lines: readonly string[]) => {
  const token = "token: { env: T }";
  const eu = `eu: { url: https://a.example, ${token}${census} }`;
  const sources = `sources: { ${eu}, us: { url: https://b.example, ${token} } }`;
  return problemsOf(["version: 1", sources, ...lines].join("\n"));
};
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
