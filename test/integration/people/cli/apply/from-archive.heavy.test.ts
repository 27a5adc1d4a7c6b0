import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { archiveFiles, unpack } from "../../../../support/archives.ts";
import { expectTold, linesOf } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const live = outageDocument.replace("mode: plan", "mode: live");
const dropping = live.replace(
  "{ responseStatus: 503 }, then: republish",
  "{ responseStatus: 503 }, then: drop",
);
const hourMs = 3_600_000;

async function setUp(document = dropping) {
  const { path: archiveDir } = createFolder();
  const archive = `archive: { dir: ${archiveDir}, keep: 30d, volume: ephemeral }`;
  const stand = await createPlanStand(redis.url(), { document: `${document}${archive}\n` });
  const write = stand.document;
  return {
    ...stand,
    archiveDir,
    document: (text: string) => write(`${text}${archive}\n`),
    accepted: () => stand.emulator.journal.entries("accepted"),
    /** As JSON, record by record. */
    async planned() {
      return linesOf((await stand.run(["plan", "--all", "--from-archive", "--records", "--json"])).out);
    },
  };
}

const unselected = (document: string): string => document.replace("    select: { topicName: orders }\n", "");
const copying = (document: string, retention: string): string =>
  document
    .replace("default: {}", `default: { retention: ${retention} }`)
    .replace("minAge: 1s", "minAge: 1s\n    beforeExpiry: { then: archive, within: 2h }");

/** Redis forgets what it has of this kind. */
async function forget({ env }: PlanStand, kind: "ledger:entry" | "audit"): Promise<void> {
  const connection = redis.fresh();
  const pattern = `${env["REDRIVER_REDIS_KEY_PREFIX"]}*:${kind}*`;
  const keys = (await connection.command("KEYS", pattern)) as readonly string[];
  expect(keys.length).toBeGreaterThan(0);
  await connection.command("DEL", ...keys);
}

describe("a plan from the archive", () => {
  it("publishes each drop once, and a second apply or a new plan nothing more", async () => {
    const stand = await setUp();
    const ids = stand.seed(250);
    await stand.run(["drain", "orders", "--yes"]);
    expect(stand.emulator.dlq.size).toBe(0);

    const planned = await stand.plan("--from-archive");
    expect(planned.err).toContain("250 records written");
    expect(planned.out).toMatch(/from the archive.*now +250 republish/s);
    const deletes = stand.emulator.journal.entries("deleted").length;
    const { exitCode, out } = await stand.apply();
    expect(out).toMatch(/orders +250 +0 +250 +0 +0/);
    expect(exitCode).toBe(0);
    expect(
      stand
        .accepted()
        .map((one) => one.deduplicationId ?? "")
        .toSorted((one, other) => one.localeCompare(other)),
    ).toEqual(ids.map((id) => `redriver-${id}`).toSorted());
    // There is nothing to delete.
    expect(stand.emulator.journal.entries("deleted").length).toBe(deletes);

    expect((await stand.apply()).out).toMatch(/orders +250 +250 +0/);
    const again = await stand.plan("--from-archive");
    expect(again.out).toMatch(/stays +250 held/);
    expect(again.out).toContain("hold: published-before 250");
    // The audit remembers for longer than the ledger.
    await forget(stand, "ledger:entry");
    expect((await stand.plan("--from-archive")).out).toContain("hold: published-before 250");
    await stand.apply();
    expect(stand.accepted().length).toBe(250);
  });

  it("plans what can be read, says what cannot, and applies just that", async () => {
    const stand = await setUp();
    const ids = stand.seed(6);
    await stand.run(["drain", "orders", "--yes"]);
    const [name = ""] = archiveFiles(stand.archiveDir);
    const lines = unpack(stand.archiveDir, name).trim().split("\n");
    rmSync(join(stand.archiveDir, name));
    const damage = (file: string, bytes: Buffer | string): void =>
      writeFileSync(join(stand.archiveDir, `${file}.ndjson.gz`), bytes);
    // The record of another stands before the true entry, and hides it no more.
    const hiding = lines[1]!.replace(/"dlqId":"[^"]+"/, `"dlqId":"${ids[0]}"`);
    damage("0-other", gzipSync(`${hiding}\nno json\n${lines[0]}\n${lines[1]}\n`));
    const flipped = gzipSync(`${lines[2]}\n${lines[3]}\n`);
    flipped[flipped.length - 8]! ^= 1;
    damage("1-sum", flipped);
    damage("2-cut", gzipSync(`${lines[3]}\n`).subarray(0, -20));
    damage("3-none", "no gzip");
    mkdirSync(join(stand.archiveDir, "4-folder.ndjson.gz"));
    damage("5-whole", gzipSync(`${lines[4]}\n`));

    const planned = await stand.plan("--from-archive");
    expect(planned.exitCode).toBe(1);
    expect(planned.out).toMatch(
      /3 to send again\. Not whole: an unknown number of entries of the archive cannot be read\./,
    );
    for (const text of [
      `0-other.ndjson.gz: line 1: the entry of "${ids[0]}" has the record of "${ids[1]}"`,
      "0-other.ndjson.gz: line 2: no entry of an archive",
      "1-sum.ndjson.gz: behind line 0: bytes that do not decompress",
      "2-cut.ndjson.gz: behind line 0: ends in the middle of an entry",
      "3-none.ndjson.gz: behind line 0: bytes that do not decompress",
      "4-folder.ndjson.gz: no regular file",
    ]) {
      expect(planned.out.split(text), text).toHaveLength(2);
    }
    const { out } = await stand.run(["plan", "--all", "--from-archive", "--json"]);
    expect((JSON.parse(out) as { damaged: object[] }).damaged).toHaveLength(6);
    const against = ["plan", "--all", "--from-archive", "--against", "current"];
    expect(await stand.run(against)).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining("Not whole: "),
    });

    const applied = await stand.apply();
    expect([applied.exitCode, applied.out]).toEqual([0, expect.stringMatching(/orders +3 +0 +3 +0 +0/)]);
    const sent = [0, 1, 4].map((at) => `redriver-${ids[at]}`);
    expect(new Set(stand.accepted().map((one) => one.deduplicationId))).toEqual(new Set(sent));

    // What is damaged since the plan is not done, and nobody says so.
    damage("6-more", gzipSync(`${lines[5]}\n`));
    await stand.plan("--from-archive");
    damage("6-more", "no gzip");
    expectTold(await stand.apply(), 1, /1 gone now.*damaged: 6-more/s);

    // The entry of before its publish is lost, and the one that is left is later than that.
    const late = lines[0]!.replace(/"at":\d+/, `"at":${Date.now() + 2 * hourMs}`);
    damage("0-other", gzipSync(`${late}\n`));
    rmSync(join(stand.archiveDir, "5-whole.ndjson.gz"));
    await forget(stand, "ledger:entry");
    expect((await stand.plan("--from-archive")).out).toMatch(/now +nothing to do.*published-before 1/s);
  });

  it("leaves what a limit holds back, which is not done because it was dropped once", async () => {
    const stand = await setUp();
    stand.seed(5);
    await stand.run(["drain", "orders", "--yes"]);
    stand.document(dropping.replace("perDay: none", "perDay: 2"));
    await stand.plan("--from-archive");
    const { exitCode, err } = await stand.apply();
    expect(exitCode).toBe(3);
    expect(err).toContain("orders: 3 left (day-limit 3); apply the plan again to go on");
  });

  it("takes back what a person discarded, as what a rule dropped", async () => {
    const stand = await setUp(live);
    stand.seed(5);
    await stand.plan("--discard");
    await stand.apply();
    expect([stand.emulator.dlq.size, stand.accepted().length]).toEqual([0, 0]);
    expect((await stand.plan("--from-archive")).out).toMatch(/from the archive.*now +5 republish/s);
    await stand.run(["pause", "orders", "--reason", "not yet"]);
    const paused = await stand.apply();
    expect([paused.exitCode, `${paused.out}${paused.err}`]).toEqual([
      3,
      expect.not.stringContaining("sent,"),
    ]);
    await stand.run(["resume", "orders", "--reason", "now"]);
    expect((await stand.apply()).out).toMatch(/orders +5 +0 +5 +0 +0/);
    expect(stand.accepted().length).toBe(5);
  });

  it("takes 5,000 back, each once, with attempts and lineage where the drop ended them", async () => {
    const many = 5_000;
    const stand = await setUp(unselected(live));
    stand.receiver.answer = () => 503;
    stand.seed(many);
    await stand.run(["drain", "orders", "--yes"]);
    const within = { timeout: 120_000, interval: 500 };
    await expect.poll(() => stand.emulator.dlq.size, within).toBe(many);
    stand.document(unselected(dropping));
    const size = async (): Promise<number> => {
      await stand.run(["drain", "orders", "--yes"]);
      return stand.emulator.dlq.size;
    };
    await expect.poll(size, within).toBe(0);
    const planned = await stand.planned();
    expect(planned).toHaveLength(many);
    for (const one of planned) {
      expect(one).toMatchObject({ then: "republish", reason: "from-archive", attempt: 1, redrive: 2 });
    }
    await stand.plan("--from-archive");
    await stand.apply();
    const { out } = await stand.run(["history", String(planned[0]?.["dlqId"]), "--records", "--json"]);
    expect(out).toMatch(/"act":"republish","[^\n]*"reason":"from-archive","attempt":2/);
    const again = stand.accepted().slice(many);
    expect(again).toHaveLength(many);
    const wanted = planned.map(({ dlqId }) => `redriver-${String(dlqId)}`);
    expect(new Set(again.map(({ deduplicationId }) => deduplicationId))).toEqual(new Set(wanted));
    // They fail once more, and are known as come-backs of the archive's.
    const isBack = async (): Promise<boolean> => {
      const { out: back } = await stand.run(["plan", "--all", "--records", "--json"]);
      return back.match(/"attempt":2/g)?.length === many;
    };
    await expect.poll(isBack, within).toBe(true);
  }, 500_000);

  it("names what no batch carries and what rules hold or park, and leaves it", async () => {
    const stand = await setUp();
    stand.seed(2);
    stand.seed(3, { body: "", bodyBase64: "AP/+gA==" });
    stand.seed(4, { responseStatus: 500 });
    stand.document(
      dropping.replace("rules:", "rules:\n      - { name: all, when: { url: '*' }, then: drop }"),
    );
    await stand.run(["drain", "orders", "--yes"]);
    stand.document(dropping.replace("rules:", "otherwise: park\n    rules:"));
    const { out } = await stand.plan("--from-archive");
    expect(out).toMatch(/now +2 republish/);
    expect(out).toMatch(/stays +7 parked already/);
    expect(out).toContain("park: binary-body 3");
    expect(out).toContain("park: otherwise 4");
    expect((await stand.apply()).out).toMatch(/orders +2 +0 +2 +0 +0/);
    expect((await stand.run(["parked", "list", "--all", "--json"])).out.trim()).toBe("");
    expect(stand.accepted().length).toBe(2);
  });

  it("takes a copy once its letter has expired, unless it was published since or nobody knows", async () => {
    const stand = await setUp(copying(live.replaceAll("503", "504"), "3h"));
    const ids = [...stand.seed(2, {}, 1.5 * hourMs), ...stand.seed(3, { responseStatus: 500 }, 1.5 * hourMs)];
    await stand.run(["drain", "orders", "--yes"]);
    // The queue has them still.
    expect((await stand.plan("--from-archive")).out).toMatch(/0 records/);
    stand.document(copying(live, "3h"));
    await stand.run(["drain", "orders", "--yes"]);
    expect(stand.accepted().length).toBe(2);

    stand.emulator.dlq.remove(ids);
    await forget(stand, "ledger:entry");
    // As the census writes them, one of them for a topic that the drain does not select.
    for (const name of archiveFiles(stand.archiveDir)) {
      const lines = unpack(stand.archiveDir, name).replaceAll('"drain":"orders"', '"drain":null');
      const [line = ""] = lines.split("\n");
      const other = line
        .replaceAll(ids[0]!, "1700000000000-0")
        .replace('"topicName":"orders"', '"topicName":"x"');
      writeFileSync(join(stand.archiveDir, name), gzipSync(`${lines}${other}\n`));
    }
    stand.document(copying(live.replace("503", "[500, 503]"), "1h"));
    const { out } = await stand.plan("--from-archive");
    expect(out).toMatch(/now +3 republish/);
    expect(out).toContain("hold: published-before 2");
    await forget(stand, "audit");
    const unknown = await stand.plan("--from-archive");
    expect(unknown.out).toMatch(/now +nothing to do/);
    expect(unknown.out).toContain("park: outcome-unknown 5");
  });

  it("shows what another document would have done of what is archived", async () => {
    const stand = await setUp();
    stand.seed(4);
    await stand.run(["drain", "orders", "--yes"]);
    const { path } = createFolder({ "new.yaml": dropping.replace("mode: live", "mode: plan") });
    const same = await stand.run(["plan", "--all", "--from-archive", "--against", `${path}/new.yaml`]);
    expect(same.out).toContain("orders: none of 4 records are decided otherwise");
    const other = createFolder({ "new.yaml": live });
    const against = ["plan", "--all", "--from-archive", "--against"];
    const { out } = await stand.run([...against, `${other.path}/new.yaml`]);
    expect(out).toContain("republish by outage → drop by outage");
    expect(out).toContain("orders: 4 of 4 records are decided otherwise");
  });

  it("is refused without an archive, and together with a discard", async () => {
    const bare = await createPlanStand(redis.url());
    const refused = await bare.run(["plan", "--all", "--from-archive"]);
    expectTold(refused, 3, "the document has no archive");
    const both = await (await setUp()).run(["plan", "--all", "--from-archive", "--discard"]);
    expectTold(both, 3, "cannot be discarded");
  });
});
