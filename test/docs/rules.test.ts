import { parkReasons } from "../../src/job/message/park-reasons.ts";
import { policyLosses, reportedLosses } from "../../src/job/message/loss-kinds.ts";
import { describe, expect, it } from "vitest";
import { loadDocument } from "../../src/config/document/load-document.ts";
import { scalarFields } from "../../src/job/contracts/index-statistics.ts";
import { dropReasons, holdReasons, republishReasons, settleReasons } from "../../src/job/rules/decision.ts";
import { complaints, inDrain, keysInSchema, loaded } from "../support/drains-documents.ts";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";

const page = ["rules", "rules-when", "cookbook", "reasons"]
  .map((name) => readDoc(`docs/${name}.md`))
  .join("\n");

/** What stands in the first column of a table, sorted. */
const keysOf = (...headers: readonly string[]): readonly string[] =>
  tableRows(page, headers)
    .flatMap(([key = ""]) => codeSpans(key))
    .toSorted();

/** The first word of each row's first cell, sorted. */
const firstKeysOf = (...headers: readonly string[]): readonly string[] =>
  tableRows(page, headers)
    .map(([key = ""]) => codeSpans(key)[0] ?? "")
    .toSorted();

/** A test of each kind of field, in the order of the columns. */
const fieldOf = {
  texts: (value: string) => `topicName: ${value}`,
  numbers: (value: string) => `maxRetries: ${value}`,
  "JSON values": (value: string) => `body: { /a: ${value} }`,
  addresses: (value: string) => `callerIp: ${value}`,
  moments: (value: string) => `notBefore: ${value}`,
};
type Kind = keyof typeof fieldOf;
const same = { texts: "a", numbers: "503", "JSON values": "a", addresses: "10.1.2.3", moments: "2026-11-01" };

function ofEach(write: (value: string) => string): Readonly<Partial<Record<Kind, string>>> {
  return Object.fromEntries(Object.entries(same).map(([kind, value]) => [kind, write(value)]));
}

describe("the tables of docs/rules.md and the pages beside it", () => {
  const drain = ["drains", "*"];
  it.each([
    { header: "key of the document", way: [] },
    { header: "key of archive", way: ["archive"] },
    { header: "key of a source", way: ["sources", "*"] },
    { header: "key of schedule", way: ["defaults", "schedule"] },
    { header: "key of attempts", way: ["defaults", "attempts"] },
    { header: "key of lane", way: ["defaults", "lane"] },
    { header: "key of beforeExpiry", way: ["defaults", "beforeExpiry"] },
    { header: "key of limits", way: ["defaults", "limits"] },
    { header: "key of select", way: [...drain, "select"] },
    { header: "key of a guard", way: [...drain, "guards", "*"] },
    { header: "key of an index", way: ["indexes", "*"] },
    { header: "key of a rule", way: [...drain, "rules", "*"] },
    { header: "key", way: [...drain, "rules", "*", "set"] },
    { header: "key of a patch operation", way: [...drain, "rules", "*", "set", "body", "patch", "*"] },
    { header: "key of flowControl", way: [...drain, "rules", "*", "set", "flowControl"] },
    { header: "key of a test", way: [...drain, "tests", "*"] },
    { header: "key of given", way: [...drain, "tests", "*", "given"] },
    { header: "key of expect", way: [...drain, "tests", "*", "expect"] },
    { header: "key of item", way: [...drain, "tests", "*", "expect", "item"] },
  ])("have the keys that the schema has, and no others: $header", ({ header, way }) => {
    expect(keysOf(header, "meaning")).toEqual(keysInSchema(...way));
  });

  it("have what defaults may say, and what only a drain may", () => {
    const common = keysInSchema("defaults");
    expect(keysOf("key of defaults", "built in", "meaning")).toEqual(common);
    expect(keysOf("key of a drain", "meaning")).toEqual(
      keysInSchema("drains", "*").filter((key) => !common.includes(key)),
    );
  });

  it("tell the values that are built in", () => {
    const written = tableRows(page, ["key of defaults", "built in", "meaning"]).map(
      ([key = "", value = ""]) => `  ${codeSpans(key)[0]}: ${codeSpans(value)[0]}`,
    );
    const head = "version: 1\narchive: { dir: /archive, keep: 30d }\n";
    const source = "sources: { a: { retention: 3d, dedupWindow: 10m, census: 15m } }\n";
    const drains = "drains: { d: { rules: [{ when: { responseStatus: 503 }, then: republish }] } }\n";
    const explicit = loaded(`${head}${source}defaults:\n${written.join("\n")}\n${drains}`, "explicit");
    const silent = loaded(`version: 1\narchive: { dir: /archive }\nsources: { a: {} }\n${drains}`, "silent");
    expect(written.length).toBeGreaterThan(8);
    expect(explicit.hash).toBe(silent.hash);
  });

  it("have every key of when, and what then may be", () => {
    expect(keysOf("key of when", "meaning")).toEqual(keysInSchema("when"));
    expect(keysOf("`then`", "meaning")).toEqual(["drop", "hold", "park", "republish"]);
  });

  it("have every reason of a decision, and no other", () => {
    expect(keysOf("republished because", "meaning")).toEqual(republishReasons.toSorted());
    expect(keysOf("dropped because", "meaning")).toEqual(dropReasons.toSorted());
    expect(keysOf("settled because", "meaning")).toEqual(settleReasons.toSorted());
    expect(firstKeysOf("held because", "until")).toEqual(holdReasons.toSorted());
    expect(firstKeysOf("parked because", "the record")).toEqual(parkReasons.toSorted());
  });

  it("have every loss, and whether onLoss decides", () => {
    const rows = tableRows(page, ["loss", "decided by `onLoss`", "the rebuilt message"]).map(
      ([loss = "", decided = ""]) => `${codeSpans(loss)[0]} ${decided}`,
    );
    const expected = [
      ...policyLosses.map((loss) => `${loss} yes`),
      ...reportedLosses.map((loss) => `${loss} no`),
    ];
    expect(rows.toSorted()).toEqual(expected.toSorted());
  });

  it("have the numbers that a guard may ask for", () => {
    const [, sentence = ""] = /The numbers are ([^]*?)\n\n/.exec(page) ?? [];
    expect(codeSpans(sentence).toSorted()).toEqual(scalarFields.toSorted());
  });

  it("have the forms that each kind of value takes", () => {
    const rows = tableRows(page, [
      "form",
      "texts",
      "numbers",
      "JSON values",
      "addresses",
      "moments",
      "matches",
    ]);
    const samples: Readonly<Record<string, string | Readonly<Partial<Record<Kind, string>>>>> = {
      orders: { ...same, texts: "orders", numbers: "503", "JSON values": "true" },
      "*.example.com": "'*.example.com'",
      none: "none",
      '"< 3"': { numbers: "'< 300'", "JSON values": "'< 3'", moments: "'< 2026-11-01'", addresses: "'< 3'" },
      "502-504": { numbers: "502-504", addresses: "502-504", moments: "502-504" },
      "5xx": { numbers: "5xx", addresses: "5xx", moments: "5xx" },
      "10.0.0.0/8": { numbers: "10.0.0.0/8", addresses: "10.0.0.0/8", moments: "10.0.0.0/8" },
      "{ prefix: … }": "{ prefix: a }",
      "{ regex: … }": "{ regex: a }",
      "{ range: 3-7 }": "{ range: 3-7 }",
      "{ equals: … }": ofEach((value) => `{ equals: ${value} }`),
      "{ in: [a, b] }": ofEach((value) => `{ in: [${value}] }`),
      "{ exists: true }": "{ exists: true }",
    };
    expect(rows.map(([form = ""]) => codeSpans(form)[0])).toEqual(Object.keys(samples));
    for (const [form = "", ...cells] of rows) {
      const sample = samples[codeSpans(form)[0] ?? ""] ?? {};
      for (const [index, [kind, test]] of Object.entries(fieldOf).entries()) {
        const value = typeof sample === "string" ? sample : sample[kind as Kind];
        if (value === undefined) continue;
        const loads = loadDocument(inDrain(`{ when: { ${test(value)} }, then: hold }`), "drains.yaml").ok;
        expect(loads ? "yes" : "", `${form} ${test(value)}`).toBe(cells[index]);
      }
    }
  });
});

describe("what docs/rules.md says is refused", () => {
  it.each([
    [
      "a lane whose probes are closer than its watch",
      "version: 1\nsources: { a: {} }\ndefaults: { lane: { probeEvery: 59s } }\ndrains: {}\n",
      "at least 1m",
    ],
    ["a limit beside park", inDrain("{ when: any, then: park, limit: 5/s }"), "limit only beside"],
    [
      "a comma in select",
      "version: 1\nsources: { a: {} }\ndrains: { d: { select: { label: 'a,b' } } }\n",
      "comma",
    ],
  ])("%s", (_name, text, expected) => {
    expect(complaints(text, "drains.yaml")).toContainEqual(expect.stringContaining(expected));
  });

  it.each(["Host", "Content-Length", "User-Agent", "Connection", "X-Redriver"])(
    "names %s among the headers that a rule cannot set, and the loader agrees",
    (header) => {
      const rule = `{ when: any, then: republish, set: { headers: { ${header}: "1" } } }`;
      expect(complaints(inDrain(rule), "drains.yaml")).toEqual([
        expect.stringContaining("a header that a rule may set"),
      ]);
      expect(page).toContain(header === "Connection" ? "headers of the connection" : header);
    },
  );
});
