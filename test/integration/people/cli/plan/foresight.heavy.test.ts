import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import { sourceKeys } from "../../../../../src/job/store/keys.ts";
import type { DrainName, SourceId } from "../../../../../src/job/contracts/ids.ts";
import { PlanOfDrain } from "../../../../../src/people/console/parts/plan-of-drain.tsx";
import type { FrozenDrain } from "../../../../../src/people/cli/plan/file.ts";
import type { PlanReport } from "../../../../../src/people/operations/plans/freeze-plan.ts";
import { createPlanWriter } from "../../../../../src/people/plan/plan-file.ts";
import type { PlanRecord } from "../../../../../src/people/plan/plan-file-record.ts";
import { expectTold, linesOf, runHere } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";
import { createPlanStand, type PlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const hour = 3_600_000;

const document = `
version: 1
sources: { default: { retention: 3d } }
defaults:
  lane: none
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
drains:
  orders:
    mode: plan
    minAge: 2h
    attempts: { max: 5, wait: [2h] }
    rules:
      - { name: too-old, when: { age: "> 2d", responseStatus: [404, 503] }, then: drop }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: slow, when: { responseStatus: 429, age: ">= 80h" }, then: republish }
      - { name: hasty, when: { responseStatus: 500, age: "> 90m" }, then: park }
      - { name: patient, when: { responseStatus: 500 }, then: republish }
      - { name: kept, when: { responseStatus: 410 }, then: hold }
    otherwise: hold
`;

interface RecordLine {
  readonly dlqId: string;
  readonly then: string;
  readonly expiresAt: number;
  readonly next?: { readonly then: string; readonly rule: string | null; readonly at: number };
}
async function seeded(): Promise<{ stand: PlanStand; ids: Readonly<Record<string, string>>; at: number }> {
  const stand = await createPlanStand(redis.url(), { document });
  const at = Date.now();
  const seed = (ageMs: number, sequence: number, responseStatus: number): string =>
    stand.seed(1, { dlqId: `${at - ageMs}-${sequence}`, createdAt: at - ageMs, responseStatus })[0]!;
  const ids = {
    droppedLater: seed(hour, 1, 404),
    dueLater: seed(hour, 2, 503),
    dueNow: seed(3 * hour, 3, 503),
    neverInTime: seed(hour, 4, 429),
    kept: seed(71.5 * hour, 5, 410),
    keptToo: seed(67 * hour, 6, 410),
    past: seed(73 * hour, 7, 410),
  };
  return { stand, ids, at };
}

const drainOf = (out: string): PlanReport["drains"][number] =>
  (JSON.parse(out) as { drains: [PlanReport["drains"][number]] }).drains[0];

describe("redriver plan, of what time brings", () => {
  it("tells what is decided next of each record that is held until a known time, and calls nothing due that is not republished", async () => {
    const { stand, ids, at } = await seeded();
    const { out } = await stand.run(["plan", "--all", "--records", "--json"]);
    const all = linesOf(out) as unknown as readonly RecordLine[];
    const lines = new Map(all.map((line) => [line.dlqId, line]));
    expect(lines.get(ids["droppedLater"]!)).toMatchObject({
      then: "hold",
      next: { then: "drop", rule: "too-old" },
      expiresAt: at - hour + 72 * hour,
    });
    expect(Math.abs(lines.get(ids["droppedLater"]!)!.next!.at - (at + 47 * hour))).toBeLessThan(2_000);
    expect(lines.get(ids["dueLater"]!)).toMatchObject({
      then: "hold",
      next: { then: "republish", rule: "outage", at: at + hour },
    });
    expect(lines.get(ids["dueNow"]!)).toMatchObject({ then: "republish" });
    expect(lines.get(ids["dueNow"]!)!.next).toBeUndefined();
    expect(lines.get(ids["neverInTime"]!)).toMatchObject({
      next: { then: "expire", rule: null, at: at + 71 * hour },
    });
    expect(lines.get(ids["kept"]!)!.next).toBeUndefined();

    const drain = drainOf((await stand.run(["plan", "--all", "--json"])).out);
    expect(drain.rules.find(({ rule }) => rule === null)).toMatchObject({
      later: 2,
      next: [
        { then: "drop", rule: "too-old", count: 1 },
        { then: "expire", rule: null, count: 1 },
      ],
    });
    // A page is read later than its plan was made, so it has times of the day.
    const page = String(await PlanOfDrain({ drain, createdAt: at })).replaceAll(/<[^>]+>/g, " ");
    expect(page).toMatch(/1 drop by too-old at (?:\d{4}-\S+ )?\d\d:\d\d UTC/);
    expect(page).not.toMatch(/ in \d+[smhd]/);
    const text = (await stand.run(["plan", "--all"])).out;
    expect(text).toMatch(
      /\n {2}later +1 republish in (?:1h|59m\d+s), 1 drop in 1d2[23]h, 1 expire in 2d2[23]h\n/,
    );
    expect(text).toMatch(
      /no rule: 2 records.*\n {4}then +1 drop by too-old in 1d2[23]h, 1 expire in 2d2[23]h\n/,
    );
    const rows = (await stand.run(["plan", "--all", "--records"])).out;
    expect(rows).toMatch(/hold: otherwise \(1d2\dh left\), then drop by too-old in 1d2\dh {2}http/);
  });

  it("sees another rule take a record before its own rule has waited long enough", async () => {
    const stand = await createPlanStand(redis.url(), { document });
    const at = Date.now();
    stand.seed(1, { dlqId: `${at - hour}-0`, createdAt: at - hour, responseStatus: 500 });
    const { rules } = drainOf((await stand.run(["plan", "--all", "--json"])).out);
    const [patient] = rules;
    expect(patient).toMatchObject({ rule: "patient", next: [{ then: "park", rule: "hasty", count: 1 }] });
    expect(Math.abs(patient!.laterFrom! - (at + hour / 2))).toBeLessThan(2_000);
    expect((await stand.run(["plan", "--all"])).out).toMatch(/then +1 park by hasty in (?:30m|29m\d+s)\n/);
  });

  it("tells when a record that cools is tried again by its own clock, also where Redis's was set back", async () => {
    const stand = await createPlanStand(redis.url(), { document });
    const at = Date.now();
    const dlqId = `${at - 3 * hour}-0`;
    stand.seed(1, { dlqId, createdAt: at - 3 * hour, responseStatus: 503 });
    const keys = sourceKeys(stand.env["REDRIVER_REDIS_KEY_PREFIX"]!, "default" as SourceId);
    const { command } = redis.fresh();
    await command("HSET", keys.meta, "lastNow", at + hour, "ahead", hour);
    const cool = { v: 1, s: "cool", u: at + hour + hour / 6, n: 0, x: 1, f: at + hour, p: 1, r: 1 };
    await command("SET", `${keys.entryPrefix}${dlqId}`, JSON.stringify(cool), "PX", 2 * hour);
    const { out } = await stand.run(["plan", "--all", "--records", "--json"]);
    const { then, next } = JSON.parse(out) as RecordLine;
    expect([then, next?.then]).toEqual(["hold", "republish"]);
    expect(Math.abs(next!.at - (at + hour / 6))).toBeLessThan(5_000);
  });

  it("counts what expires within hours, whatever becomes of it", async () => {
    const { stand } = await seeded();
    const { expiry, rules } = drainOf((await stand.run(["plan", "--all", "--json"])).out);
    expect(expiry).toMatchObject({ expired: 1, within1h: 1, within6h: 2, within24h: 2 });
    expect(rules.find(({ rule }) => rule === "kept")!.expiry).toEqual(expiry);
    expect(rules.find(({ rule }) => rule === "outage")!.expiry).toMatchObject({ expired: 0, within24h: 0 });
    const { out } = await stand.run(["plan", "--all"]);
    expect(out).toContain("    expires  1 past their retention, 1 within 1h, 2 within 6h\n");
  });
});

/**
 * What is said of rules, but for what moves with the clock; rules in whatever order, which is not in the
 * file.
 */
function ruleLines(text: string): readonly string[] {
  const [rules = ""] = text.slice(text.indexOf("\n  rule ")).split("\n  failures");
  const lines = rules
    .split("\n")
    .filter((line) => /^ {4}(?:expires|why|status|hosts|losses)|^ {6,}/.test(line));
  expect(lines.length).toBeGreaterThan(10);
  return lines.toSorted();
}

describe("redriver plan --show", () => {
  it("says of a file, without settings, document or network, what its plan said", async () => {
    const { stand } = await seeded();
    await stand.plan();
    const { out, err, exitCode } = await runHere(["plan", "--show", stand.file], {});
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    const host = new URL(stand.emulator.url).host;
    expect(out).toContain(`orders on ${host}: 7 records, 1 to act on\n`);
    const live = await stand.run(["plan", "--all"]);
    expect(ruleLines(out)).toEqual(ruleLines(live.out));

    const json = JSON.parse((await runHere(["plan", "--show", stand.file, "--json"], {})).out) as {
      documentHash: string;
      drains: [FrozenDrain];
    };
    const planned = JSON.parse((await stand.run(["plan", "--all", "--json"])).out) as {
      documentHash: string;
    };
    expect(json.documentHash).toBe(planned.documentHash);
    expect(json.drains[0]).toMatchObject({
      host,
      acts: 1,
      expiry: { expired: 1, within1h: 1, within6h: 2, within24h: 2 },
    });
    expect(json.drains[0].rules.map(({ rule, next }) => [rule, next.length])).toEqual([
      ["kept", 0],
      ["outage", 1],
      [null, 2],
    ]);
  });

  it("shows nothing of a file that a terminal would act on, whoever wrote it, and files that lack what only readers want", async () => {
    const folder = createFolder();
    const evil = "\u001B[31m\u009B1m\u2028";
    const writer = createPlanWriter();
    const drain = `orders${evil}` as DrainName;
    const text = [
      writer.head({
        redriverPlan: 1,
        createdAt: 1e300,
        version: evil,
        documentHash: evil,
        flags: { host: evil, showContent: false },
        drains: [{ drain, source: evil as SourceId, address: evil, rulesHash: evil, from: 0, to: 9e15 }],
      }),
      writer.record({
        drain,
        dlqId: "1-0" as DlqId,
        hash: "h",
        then: "republish",
        reason: evil,
        rule: evil,
        item: "i",
        changes: [{ what: evil, change: "added", before: null, after: evil }],
      } as unknown as PlanRecord),
      writer.end(),
    ].join("");
    const file = folder.write("evil.ndjson", text);
    for (const flags of [[], ["--json"]]) {
      const { out, exitCode } = await runHere(["plan", "--show", file, ...flags], {});
      expect(exitCode).toBe(0);
      expect(out).toContain("1-0");
      expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
  });

  it("is used wrongly beside what only a queue can answer, or for a file that is not there", async () => {
    const { stand } = await seeded();
    expectTold(await stand.run(["plan", "orders", "--show", stand.file]), 2, "only --json goes with it");
    expectTold(await stand.run(["plan", "--show", `${stand.file}.not`]), 2, "cannot be read: ENOENT");
  });
});
