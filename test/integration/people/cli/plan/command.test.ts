import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PlanReport } from "../../../../../src/people/operations/plans/freeze-plan.ts";
import { expectTold, linesOf, runHere } from "../../../../support/cli.ts";
import { createPlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: plan
    select: { topicName: orders }
    minAge: 2m
    attempts: { max: 5, wait: [2m] }
    limits: { publish: 20/s, perPass: 50 }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - name: moved
        when: { host: old.example.com }
        then: republish
        set: { destination: { host: new.example.com }, headers: { X-Redriven: secret-of-the-rule } }
      - { name: outage, when: { responseStatus: 503 }, then: republish, limit: 60/m }
  refunds:
    select: { topicName: refunds }
    rules:
      - { name: refund-outage, when: { responseStatus: 503 }, then: republish }
`;

async function setUp(text = document) {
  const stand = await createPlanStand(redis.url(), { document: text });
  let seeded = 0;
  return {
    emulator: stand.emulator,
    env: stand.env,
    folder: dirname(stand.file),
    seed: (count: number, fields = {}, ageMs = 60 * 60_000) =>
      Array.from({ length: count }).flatMap(() => {
        seeded += 1;
        const common = {
          url: "https://api.example.com/orders?token=of-a-query",
          responseBody: `upstream ${seeded} is not there`,
          maxRetries: 2,
          header: { Authorization: ["Bearer of-a-header"] },
          body: '{"card":"of-a-body"}',
        };
        return stand.seed(1, { ...common, ...fields }, ageMs);
      }),
    plan: (...args: readonly string[]) => stand.run(["plan", ...args]),
  };
}

const secrets = ["of-a-query", "of-a-header", "of-a-body", "secret-of-the-rule"];

const samplesOf = (text: string) => (JSON.parse(text) as PlanReport).drains[0]!.rules[0]!.samples;

/** Every key with its content, and when it expires; but for the plan, and what rates and calls remember of the last seconds. */
async function dump(prefix: string): Promise<Readonly<Record<string, unknown>>> {
  const { command } = redis.fresh();
  const keys = ((await command("KEYS", `${prefix}:*`)) as string[]).filter(
    (key) => !/:rate:|:calls$|:\{plans\}:/.test(key),
  );
  const pairs = await Promise.all(
    keys.map(async (key) => [key, [await command("DUMP", key), await command("PEXPIRETIME", key)]] as const),
  );
  return Object.fromEntries(pairs);
}

describe("redriver plan", () => {
  it("says per drain and rule what is due, later and left, why, where to, and what it would take", async () => {
    const { seed, plan } = await setUp();
    seed(120);
    seed(30, { url: "https://old.example.com/hook" });
    seed(7, { responseStatus: 422, responseBody: '{"error":"no such field"}' });
    seed(5, {}, 60_000);
    seed(3, { responseStatus: 400 });
    seed(4, { topicName: "refunds" });
    const { exitCode, out, err } = await plan("--all", "--json");
    expect({ exitCode, err: err.replaceAll(/.*(?: read, |warning: ).*\n/g, "") }).toEqual({
      exitCode: 0,
      err: expect.stringMatching(
        /^kept for a day if there is room, as plan \S+; redriver apply \w{8} acts on exactly these\n$/,
      ) as string,
    });
    const [orders, refunds] = (JSON.parse(out) as { drains: unknown[] }).drains;
    expect(orders).toMatchObject({
      drain: "orders",
      planned: 165,
      listed: 165,
      cut: false,
      decisions: { republish: 150, drop: 0, settle: 0, park: 7, hold: 8 },
      rules: [
        { rule: "broken", count: 7, dueNow: 0, statuses: { top: [{ key: "422", count: 7 }] } },
        { rule: "moved", count: 30, dueNow: 30, hosts: { top: [{ key: "old.example.com", count: 30 }] } },
        {
          rule: "outage",
          count: 125,
          dueNow: 120,
          later: 5,
          losses: [{ key: "group-membership", count: 120 }],
        },
        { rule: null, count: 3, reasons: [{ then: "hold", reason: "otherwise", count: 3 }] },
      ],
      failures: {
        top: [
          { origin: "https://api.example.com", status: 503, text: "upstream <n> is not there", count: 125 },
          { origin: "https://old.example.com", status: 503, count: 30 },
          { status: 422, text: "no such field", count: 7, decisions: [{ key: "park", count: 7 }] },
          { status: 400, count: 3 },
        ],
      },
      estimate: {
        publishes: 150,
        later: 5,
        // By the rule's own limit.
        least: { kind: "rule", name: "outage", publishes: 125 },
        passes: 4,
        days: 1,
      },
    });
    expect(refunds).toMatchObject({ drain: "refunds", planned: 4, decisions: { republish: 4 } });
  });

  it("shows what a rebuild changes for samples that are the same each time, and masks what is nobody's business", async () => {
    const { seed, plan } = await setUp();
    seed(40, { url: "https://old.example.com/hook" });
    const first = await plan("orders", "--json");
    const second = await plan("orders", "--json");
    expect(samplesOf(first.out)).toEqual(samplesOf(second.out));
    expect(samplesOf(first.out)).toHaveLength(3);
    expect(samplesOf(first.out)[0]!.changes).toEqual([
      {
        what: "destination",
        change: "changed",
        before: "https://old.example.com/hook",
        after: "https://new.example.com/hook",
      },
      { what: "header X-Redriven", change: "added", before: null, after: "***" },
    ]);
    const text = await plan("orders");
    expect(text.out).toMatch(
      /- https:\/\/old\S+\n +\+ https:\/\/new\S+\n +header X-Redriven: added, \*\*\*\n/,
    );
    const records = await plan("orders", "--records");
    for (const secret of secrets) expect(first.out + text.out + records.out).not.toContain(secret);
    const shown = await plan("orders", "--json", "--show-content");
    expect(samplesOf(shown.out)[0]!.changes).toContainEqual(
      expect.objectContaining({ after: "secret-of-the-rule" }),
    );
  });

  it("changes nothing: the service is only listed, and what Redis holds stays as it is", async () => {
    const { emulator, env, folder, seed, plan } = await setUp(document.replace("mode: plan", "mode: live"));
    seed(5, { responseStatus: 422 });
    seed(3);
    // Something parked, something gone and the facts of a pass are in the ledger.
    expect((await runHere(["drain", "orders", "--yes"], env)).exitCode).toBe(0);
    await emulator.idle();
    seed(250);
    const prefix = env["REDRIVER_REDIS_KEY_PREFIX"]!;
    const before = await dump(prefix);
    const seenUntil = emulator.journal.entries().at(-1)!.seq;
    const size = emulator.dlq.size;

    const { exitCode } = await plan("--all", "--out", join(folder, "p.ndjson"));
    expect(exitCode).toBe(0);
    const happened = emulator.journal.entries().filter(({ seq }) => seq > seenUntil);
    expect(happened.length).toBeGreaterThan(2);
    expect(happened.map((entry) => (entry.type === "request" ? entry.operation : entry.type))).toEqual(
      happened.map(() => "list"),
    );
    expect(emulator.dlq.size).toBe(size);
    expect(await dump(prefix)).toEqual(before);
  });

  it("narrows to a rule, to hosts and to a number of records, and says when there is more", async () => {
    const { seed, plan } = await setUp();
    seed(150);
    seed(20, { url: "https://old.example.com/hook" });
    seed(20, { url: "https://b.old.example.com:8443/hook" });
    const planned = async (...args: readonly string[]) => {
      const { out } = await plan("orders", "--json", ...args);
      const [{ planned: count, cut }] = (JSON.parse(out) as { drains: [{ planned: number; cut: boolean }] })
        .drains;
      return { count, cut };
    };
    expect(await planned("--rule", "moved")).toEqual({ count: 20, cut: false });
    expect(await planned("--rule", "moved", "--rule", "outage")).toEqual({ count: 190, cut: false });
    expect(await planned("--host", "*old.example.com")).toEqual({ count: 40, cut: false });
    expect(await planned("--host", "B.old.example.com:8443")).toEqual({ count: 20, cut: false });
    expect(await planned("--limit", "120")).toEqual({ count: 120, cut: true });
    expect(await planned("--limit", "190")).toEqual({ count: 190, cut: false });
    expect((await plan("orders", "--limit", "120")).out).toContain("the limit was reached");
    const unknown = await plan("orders", "--rule", "outrage");
    expect(unknown.exitCode).toBe(2);
    expect(unknown.err).toContain(
      'no rule of these drains is named "outrage"; they have broken, moved, outage',
    );
  });

  it("fills its limit with what is to be sent, beside what was, and an apply of what was done says so", async () => {
    const { run, seed, plan, apply, emulator, file } = await createPlanStand(redis.url());
    seed(10);
    await plan("--limit", "5");
    emulator.faults.add({ kind: "status", operation: "delete", status: 403, name: "deletes" });
    // They are published, and stay listed.
    expect((await apply("--no-follow")).exitCode).toBe(0);
    const second = await run(["plan", "orders", "--keep", "--limit", "5", "--json"]);
    const { id, drains } = JSON.parse(second.out) as PlanReport & { readonly id: string };
    expect(drains).toMatchObject([{ planned: 10, cut: false, decisions: { republish: 5, settle: 5 } }]);
    expect((await run(["plan", "orders", "--limit", "5", "--out", `${file}.third`])).out).toContain(
      "5 to send again, 5 sent or dropped before (only the delete is left)",
    );
    emulator.faults.remove("deletes");
    const by = ["--reason", "it is up", "--by", "ada", "--no-follow"];
    // It deletes what it sent before, and so sends nothing.
    const again = await apply("--no-follow");
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.out).toContain(
      "orders: nothing was sent: 5 done before or meanwhile; of these, 5 sent, not followed",
    );
    expect((await run(["history", "--act", "apply"])).out).toContain("nothing was sent: 5 done before or");
    expect((await run(["apply", id, ...by])).exitCode).toBe(0);
    const { out } = await run(["plans", "list"]);
    expect(out).toMatch(/done without it\n.*- +-\n.* 10 +5 +5 +5\n.* 5 +5 +0 +5\n/);
  });

  it("freezes the selection in a file that only its owner may read, whole or not at all", async () => {
    const { folder, seed, plan } = await setUp();
    seed(150);
    const file = join(folder, "plan.ndjson");
    const { exitCode, err } = await plan("orders", "--out", file);
    expect(exitCode).toBe(0);
    expect(err).toContain(`150 records written to ${file}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).toSorted()).toEqual(["drains.yaml", "plan.ndjson"]);
    const text = readFileSync(file, "utf8");
    for (const secret of secrets) expect(text).not.toContain(secret);
    const lines = linesOf(text);
    expect(lines).toHaveLength(152);
    expect(lines[0]).toMatchObject({ redriverPlan: 1, drains: [{ drain: "orders", source: "default" }] });
    expect(lines[1]).toMatchObject({
      drain: "orders",
      then: "republish",
      reason: "due",
      rule: "outage",
      attempt: 0,
    });
    expect(lines.at(-1)).toMatchObject({ end: true, records: 150 });

    const piped = await plan("orders", "--out", "-");
    expect(piped.out.trimEnd().split("\n")).toHaveLength(152);
    expect(piped.err).toContain("150 records written to stdout");
    const shown = await plan("orders", "--out", "-", "--show-content");
    expect(shown.out).toContain("of-a-body");
    expect(await plan("orders", "--out", join(folder, "no", "plan.ndjson"))).toMatchObject({
      exitCode: 2,
      out: "",
    });
  });

  it("told to stop ends with 3 after the page, and leaves no file", async () => {
    const { emulator, env, folder, seed } = await setUp();
    seed(500);
    emulator.faults.add({ kind: "latency", operation: "list", ms: 100, name: "slow" });
    let interrupt: (() => void) | undefined;
    const running = runHere(["plan", "orders", "--out", join(folder, "p.ndjson")], env, {
      onListening: (listener) => {
        interrupt = listener;
      },
    });
    await emulator.journal.waitFor(
      (entry) => entry.type === "request" && entry.operation === "list" && entry.query.includes("cursor"),
    );
    interrupt?.();
    const { exitCode, out } = await running;
    expect(exitCode).toBe(3);
    expect(out).toContain("stopped before all was read. So far: nothing to do.");
    expect(readdirSync(folder)).toEqual(["drains.yaml"]);
  });

  it.each([
    [["plan"], "name at least one drain"],
    [["plan", "orders", "--all"], "name at least one drain"],
    [["plan", "order"], 'no drain is named "order"'],
    [["plan", "orders", "--out", "-", "--json"], "--out - takes stdout"],
    [["plan", "orders", "--limit", "0"], "--limit: expected a whole number"],
  ])("%j is used wrongly", async (argv, message) => {
    const { env } = await setUp();
    expectTold(await runHere(argv, env), 2, message);
  });
});
