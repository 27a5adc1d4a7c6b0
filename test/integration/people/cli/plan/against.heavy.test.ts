import { writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { compareDocuments, Decided } from "../../../../../src/people/plan/compare-documents.ts";
import { createFolder } from "../../../../support/command.ts";
import { createPlanStand, outageDocument } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

interface Rule {
  readonly name: string;
  readonly statuses: readonly number[];
  readonly then: "republish" | "park" | "hold";
  readonly mark: string | null;
}

interface Report {
  readonly drains: readonly (Awaited<ReturnType<typeof compareDocuments>> & { readonly drain: string })[];
}

const statuses = [422, 500, 502, 503] as const;

const rulesOf = (minLength: number): fc.Arbitrary<Rule[]> =>
  fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("a", "b", "c"),
      statuses: fc.subarray([...statuses], { minLength: 1 }),
      then: fc.constantFrom("republish" as const, "park" as const, "hold" as const),
      mark: fc.constantFrom(null, null, "1", "2"),
    }),
    { selector: ({ name }) => name, minLength, maxLength: 3 },
  );

function toDocument(rules: readonly Rule[], select = "{ topicName: orders }"): string {
  const lines = rules.map(({ name, statuses: some, then, mark }) => {
    const set = then === "republish" && mark !== null ? `, set: { headers: { X-Mark: "${mark}" } }` : "";
    return `      - { name: ${name}, when: { responseStatus: [${some.join(", ")}] }, then: ${then}${set} }`;
  });
  return outageDocument
    .replace(/\{ topicName: orders \}/, select)
    .replace(/ {4}rules:[\s\S]*$/, `    rules:\n${lines.join("\n")}\n`);
}

/** Another way to the same: the first rule that has the status, by name, act and what it sends. */
function decide(rules: readonly Rule[], status: number): readonly [Decided, string | null] {
  const rule = rules.find((one) => one.statuses.includes(status));
  if (rule === undefined) return [{ then: "hold", reason: "otherwise", rule: null }, null];
  const reason = rule.then === "republish" ? "due" : "rule";
  const mark = rule.then === "republish" ? rule.mark : null;
  return [{ then: rule.then, reason, rule: rule.name }, mark];
}

async function setUp() {
  const stand = await createPlanStand(redis.url());
  const folder = createFolder();
  const against = async (current: string, other: string, ...args: readonly string[]) => {
    stand.document(current);
    const file = `${folder.path}/other.yaml`;
    writeFileSync(file, other);
    return stand.run(["--drains", file, "plan", "--all", "--against", "current", ...args]);
  };
  const compare = async (current: string, other: string): Promise<Report> => {
    const { exitCode, out, err } = await against(current, other, "--json");
    expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
    return JSON.parse(out) as Report;
  };
  return { stand, against, compare };
}

describe("redriver plan --against", () => {
  it("shows exactly what two generated documents decide differently", async () => {
    const { stand, compare } = await setUp();
    statuses.forEach((responseStatus, index) => stand.seed(3 + index, { responseStatus }));
    await fc.assert(
      fc.asyncProperty(
        rulesOf(1),
        fc.option(rulesOf(1), { freq: 1 }),
        fc.constantFrom(null, "1"),
        async (before, others, mark) => {
          const after = others ?? before.map((rule): Rule => ({ ...rule, mark }));
          const expected: Record<string, number> = {};
          let different = 0;
          for (const [index, status] of statuses.entries()) {
            const [[was, wasSent], [is, isSent]] = [decide(before, status), decide(after, status)];
            const isSame = JSON.stringify(was) === JSON.stringify(is);
            if (isSame && wasSent === isSent) continue;
            const key = JSON.stringify([was, is, isSame]);
            expected[key] = (expected[key] ?? 0) + 3 + index;
            different += 3 + index;
          }
          const [drain] = (await compare(toDocument(before), toDocument(after))).drains;
          const groups = drain?.groups.map(({ before: was, after: is, isSentOtherwise, count }) => [
            JSON.stringify([was, is, isSentOtherwise]),
            count,
          ]);
          expect(Object.fromEntries(groups ?? [])).toEqual(expected);
          expect(drain).toMatchObject({ listed: 18, different });
        },
      ),
      { numRuns: 25 },
    );
    expect(stand.emulator.journal.counts().accepted).toBe(0);
  }, 120_000);

  it("says what one document alone selects, also of a drain that the other does not have", async () => {
    const { stand, compare } = await setUp();
    const rules: readonly Rule[] = [{ name: "a", statuses: [503], then: "republish", mark: null }];
    stand.seed(2, { responseStatus: 503, topicName: "orders" });
    stand.seed(3, { responseStatus: 503, topicName: "refunds" });
    const due = { then: "republish", reason: "due", rule: "a" };
    const moved = await compare(toDocument(rules), toDocument(rules, "{ topicName: refunds }"));
    expect(moved.drains).toMatchObject([
      {
        drain: "orders",
        listed: 5,
        groups: [
          { before: null, after: due, count: 3, failures: [{ status: 503, count: 3 }] },
          { before: due, after: null, count: 2 },
        ],
      },
    ]);
    const renamed = toDocument(rules).replace("  orders:\n", "  shop:\n");
    const { drains } = await compare(toDocument(rules), renamed);
    expect(drains.map(({ drain, groups }) => [drain, groups[0]?.before, groups[0]?.after])).toEqual([
      ["shop", null, due],
      ["orders", due, null],
    ]);
  });

  it("is read by a person, and refuses what does not go with it", async () => {
    const { stand, against } = await setUp();
    stand.seed(2, { responseStatus: 503 });
    const other = outageDocument.replace("then: republish", "then: park");
    const { out } = await against(outageDocument, other);
    expect(out).toMatch(/Document [0-9a-f]{12} against [0-9a-f]{12}, .*Nothing was changed\.\n/);
    expect(out).toContain("orders: 2 of 2 records are decided otherwise\n");
    expect(out).toContain("2  republish by outage → park by outage\n");
    expect(out).toMatch(/such as {2}\d+-\d+, \d+-\d+\n/);
    expect((await against(outageDocument, outageDocument)).out).toContain(
      "none of 2 records are decided otherwise",
    );
    for (const more of [["--keep"], ["--out", "x"], ["--rule", "outage"], ["--records"]]) {
      expect(await against(outageDocument, other, ...more)).toMatchObject({ exitCode: 2, out: "" });
    }
    expect(await against(outageDocument, "drains: 1\n")).toMatchObject({ exitCode: 78, out: "" });
    expect(await stand.run(["plan", "--all", "--against", "/no/such.yaml"])).toMatchObject({ exitCode: 78 });
  });
});
