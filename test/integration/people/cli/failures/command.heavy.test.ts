import { describe, expect, it } from "vitest";
import { createPlanStand, unlimitedHead, type PlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const document = (then = "republish") => `${unlimitedHead}drains:
  orders:
    mode: plan
    select: { topicName: orders }
    minAge: 1s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: ${then} }
  refunds:
    mode: plan
    select: { topicName: refunds }
    minAge: 1s
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (out: string): readonly Row[] =>
  out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]));

async function list({ run }: PlanStand, ...args: readonly string[]): Promise<readonly Row[]> {
  const { out, exitCode } = await run(["failures", ...args, "--json"]);
  expect(exitCode).toBe(0);
  return rowsOf(out);
}

const pass = ({ run }: PlanStand) => run(["drain", "--all", "--yes", "--json"]);

/** 30 of one kind and 5 of another in orders, 3 in refunds, all counted by a pass that only reports. */
async function setUp(seedMore: (stand: PlanStand) => void = () => undefined) {
  const stand = await createPlanStand(redis.url(), { document: document() });
  seedMore(stand);
  const ids = stand.seed(30);
  stand.seed(5, { responseStatus: 500, responseBody: '{"error":"stock of item 17 is locked"}' });
  stand.seed(3, {
    responseStatus: 422,
    responseBody: "no such refund: 12345",
    topicName: "refunds",
    url: "https://refunds.example.com/hook",
  });
  expect((await pass(stand)).exitCode).toBe(0);
  const rows = await list(stand);
  const idOf = (status: number) => String(rows.find((row) => row["status"] === status)?.["id"]);
  return {
    ...stand,
    ids,
    outage: idOf(503),
    locked: idOf(500),
    refund: idOf(422),
  };
}

const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

describe("redriver failures", () => {
  it("lists kinds by what waits, on a terminal within 80 columns, elsewhere one a line", async () => {
    const stand = await setUp();
    const terminal = await stand.run(["failures"], { terminal: true });
    const lines = terminal.out.trimEnd().split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/^destination +id +waiting +parked +arrived +since +last seen$/);
    expect(lines[1]).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ +${stand.outage} +30 +0 +30 +1h +1h$`));
    expect(lines[2]).toMatch(/^ {4}state open; mark new; answer 503 upstream is not there$/);
    expect(lines).toHaveLength(7);
    const pipe = (await stand.run(["failures", "list"])).out.trimEnd().split("\n");
    expect(pipe).toHaveLength(4);
    expect(pipe[3]).toMatch(
      new RegExp(
        `^refunds.example.com +${stand.refund} +0 +3 +3 +0 +0 +1h +1h +open +- +new +422 no such refund: <n>$`,
      ),
    );
  });

  it("takes a drain and a host, and hides what nobody has seen for a day", async () => {
    let old: readonly string[] = [];
    const stand = await setUp(({ seed }) => {
      old = seed(2, { responseStatus: 502 }, 48 * 3_600_000);
    });
    expect(await list(stand)).toHaveLength(4);
    expect(await list(stand, "--drain", "refunds")).toMatchObject([{ id: stand.refund, parked: 3 }]);
    expect(ids(await list(stand, "--host", "*.example.com"))).toEqual([stand.refund]);
    expect(ids(await list(stand, "--host", "127.0.0.1"))).toHaveLength(3);
    expect(await stand.run(["failures", "--drain", "nobody"])).toMatchObject({ exitCode: 2, out: "" });

    stand.emulator.dlq.remove(old);
    // Under another document the next pass lists everything.
    stand.document(document().replaceAll("minAge: 1s", "minAge: 2s"));
    await stand.run(["drain", "orders", "--yes"]);
    const { out, err } = await stand.run(["failures", "--json"]);
    expect(ids(rowsOf(out))).toEqual([stand.outage, stand.locked, stand.refund]);
    expect(err).toBe("1 kind has nothing waiting, and none for a day; see --all\n");
    expect(await list(stand, "--all")).toHaveLength(4);
  });

  it("shows one: since when, by hour and day, its counts, and what its rules do with one of them", async () => {
    const stand = await setUp();
    const [dlqId = ""] = stand.ids;
    const before = stand.emulator.journal.counts().requests["list 200"] ?? 0;
    const { out } = await stand.run(["failures", "show", stand.outage], { terminal: true });
    expect(stand.emulator.journal.counts().requests["list 200"]).toBe(before + 1);
    expect(out).toMatch(new RegExp(`^${stand.outage}  \\S+: 503 upstream is not there\n`));
    expect(out).toMatch(/ {2}last 24 h +30 arrived, \d+ of them in this hour, at most 30 in one\n/);
    expect(out).toMatch(/^ {4}orders +30 +0 +30 +0 +0$/m);
    expect(out).toMatch(/^ {2}rules +republish \(rule outage\)$/m);
    expect(out).toMatch(new RegExp(` {2}sample +${dlqId}: republish: due \\(rule "outage"\\)\n`));
    expect(out).not.toContain("order 1");

    // The one that was met is gone: another one of its last hour is read.
    stand.emulator.dlq.remove([dlqId]);
    const other = await stand.run(["failures", "show", stand.outage, "--json"]);
    const [shown] = rowsOf(other.out);
    const decided = shown?.["decided"] as { readonly explanation?: Row };
    expect(stand.ids.slice(1)).toContain(decided.explanation?.["dlqId"]);
    expect(shown).toMatchObject({ id: stand.outage, sample: dlqId, waiting: 30, lanes: [] });
    expect(Object.values(shown?.["arrivals"] as Row)).toEqual([30]);

    stand.emulator.faults.add({ kind: "status", operation: "list", status: 500 });
    const alone = await stand.run(["failures", "show", stand.outage], { terminal: true });
    expect(alone).toMatchObject({ exitCode: 0, err: "" });
    expect(alone.out).toMatch(/ {2}sample +the service was not read \(service-unavailable/);

    const unknown = await stand.run(["failures", "show", "0123456789"]);
    expect(unknown).toMatchObject({ exitCode: 2, out: "" });
    expect(unknown.err).toContain('no kind of failure has the id "0123456789"');
  });
});

describe("a kind of failure selects", () => {
  it("in a plan, so that apply acts on exactly its messages", async () => {
    const stand = await setUp();
    expect((await stand.plan("--failure", "0123456789")).exitCode).toBe(2);
    expect((await stand.plan("--failure", stand.outage)).err).toContain("30 records written");
    const shown = await stand.run(["plan", "--show", stand.file]);
    expect(shown.out).toContain(`  only      failure ${stand.outage}\n`);
    expect((await stand.apply("--yes")).exitCode).toBe(0);
    await stand.emulator.idle();
    expect(stand.receiver.deliveries).toHaveLength(30);
    expect(stand.emulator.dlq.size).toBe(8);
    const rows = await list(stand);
    expect(rows.find(({ id }) => id === stand.outage)).toMatchObject({ waiting: 0, published: 30 });
  });

  it("in a release of what is parked", async () => {
    const stand = await setUp();
    stand.seed(2, { responseStatus: 422, responseBody: "no such account", topicName: "refunds" });
    stand.document(document().replaceAll("mode: plan", "mode: live"));
    await stand.run(["drain", "refunds", "--yes"]);
    const account = (await list(stand)).find(({ text }) => text === "no such account");
    const listed = rowsOf(
      (await stand.run(["parked", "list", "--failure", String(account?.["id"]), "--json"])).out,
    );
    expect(listed).toMatchObject([{ failure: account?.["id"] }, { failure: account?.["id"] }]);
    const release = ["parked", "release", "--yes", "--reason", "fixed", "--failure"];
    expect((await stand.run([...release, "0123456789"])).exitCode).toBe(2);
    const { err } = await stand.run([...release, String(account?.["id"])]);
    expect(err).toContain("released 2;");
    expect(rowsOf((await stand.run(["parked", "list", "--json"])).out)).toHaveLength(3);
  });
});
