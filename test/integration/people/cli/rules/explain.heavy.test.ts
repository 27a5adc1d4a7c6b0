import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Explanation } from "../../../../../src/people/operations/rules/explain.ts";
import type { EmulatorOptions } from "../../../../../dev/emulator/index.ts";
import { nextLineage, toLineageKey } from "../../../../../src/job/message/lineage.ts";
import { expectTold, runHere as ask } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";
import { enteredAt, letterOf, rawRecord, writeLineage } from "../../../../support/letters.ts";
import { useRedis } from "../../../../support/redis.ts";
import { createRig } from "../../../../support/rig.ts";
import { wholeDocument } from "../../../../support/whole-document.ts";

const redis = useRedis();

const head = "version: 1\nsources: { default: {} }\n";
const twoDrains = `${head}drains:
  one: { select: { topicName: a }, rules: [{ name: first, when: any, then: hold }] }
  two: { select: { topicName: b }, rules: [{ name: second, when: any, then: park }] }
`;
const file = (text: string) => createFolder().write("drains.yaml", text);

interface Given {
  readonly path: string;
  readonly env?: Readonly<Record<string, string>>;
}
const explain = ({ path: folder, env = {} }: Given, name: string, ...more: readonly string[]) =>
  ask(["rules", "explain", `${folder}/${name}`, "--drains", `${folder}/drains.yaml`, ...more], env);

describe("redriver rules explain, of a file", () => {
  const record = rawRecord({ topicName: "orders", responseStatus: 503 });
  const at = ["--at", new Date(enteredAt + 3_600_000).toISOString()];
  const explained = async (text: string): Promise<Explanation> => {
    const folder = createFolder({ "drains.yaml": wholeDocument, "record.json": text });
    const { out, err, exitCode } = await explain(folder, "record.json", "--json", ...at);
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    return JSON.parse(out) as Explanation;
  };

  it.each([
    ["as listed", record],
    ["the only one of a listing", { messages: [record], cursor: "c" }],
    ["in a list", [record]],
    ["in an entry of the archive", { at: 1, drain: "orders", why: "dropped", record }],
  ])("takes a record %s", async (_name, value) => {
    expect(await explained(JSON.stringify(value))).toMatchObject({
      drain: "orders",
      dlqId: record["dlqId"],
      decision: { then: "republish", reason: "due", rule: "outage" },
      becomes: { kind: "item", losses: ["group-membership"] },
    });
  });

  it("never shows what a rule sets into headers", async () => {
    expect(JSON.stringify(await explained(JSON.stringify(record)))).not.toContain('"X-Redriven":"true"');
    expect((await explained(JSON.stringify(record))).decision).toEqual({
      then: "republish",
      reason: "due",
      rule: "outage",
    });
  });

  it("believes a lineage header with the source's token, and says when it has none", async () => {
    const letter = letterOf({ ...record, header: {} });
    const lineage = { ...nextLineage(letter, { kind: "none" }, 3), rootCreatedAt: enteredAt - 600_000 };
    const key = toLineageKey("the-token-of-the-source", "default");
    const redriven = { ...record, header: { "X-Redriver": [writeLineage(lineage, letter.body, key)] } };
    const folder = createFolder({ "drains.yaml": twoDrains, "record.json": JSON.stringify(redriven) });
    const explainIt = async (env = {}) =>
      JSON.parse(
        (await explain({ ...folder, env }, "record.json", "--drain", "one", "--json", ...at)).out,
      ) as Explanation;
    const known = await explainIt({ REDRIVER_SERVICE_TOKEN: "the-token-of-the-source" });
    expect(known).toMatchObject({ notes: [], record: { attempt: 4, rootCreatedAt: enteredAt - 600_000 } });
    const unknown = await explainIt();
    expect(unknown.record).toMatchObject({ rootCreatedAt: record["createdAt"] });
    expect(unknown.notes).toEqual([expect.stringContaining("X-Redriver header is not believed")]);
  });

  it("says when a record was masked before it was given", async () => {
    const { notes } = await explained(JSON.stringify({ ...record, header: { A: ["***"] } }));
    expect(notes).toEqual([expect.stringContaining("masked")]);
  });

  it.each([
    ["no JSON", "{", "text that is no JSON"],
    ["several lines", `${JSON.stringify(record)}\n${JSON.stringify(record)}\n`, "2 lines of JSON"],
    ["several records", JSON.stringify([record, record]), "a list of 2"],
    ["a number", "7", "another JSON value"],
    ["a cut record", '{\n"body":\n', "text that is no JSON (line 3)"],
    ["lists without end", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "another JSON value"],
    ["an entry of another", JSON.stringify({ dlqId: "1-1", record }), "an entry with the record of another"],
    ["Latin-1", Buffer.from('{\n"body": "\u00e9"}', "latin1"), "bytes that are not UTF-8 text (line 2)"],
  ])("refuses %s and ends with 2", async (_name, text, got) => {
    const folder = createFolder({ "drains.yaml": wholeDocument, "record.json": "" });
    writeFileSync(path.join(folder.path, "record.json"), text);
    const answer = await explain(folder, "record.json");
    expectTold(answer, 2, /record\.json: expected/);
    expect(answer.err).toContain(`got ${got}`);
  });

  it("asks for a drain where there are several, unless the record names one", async () => {
    const folder = createFolder({
      "drains.yaml": twoDrains,
      "record.json": JSON.stringify(record),
      "entry.json": JSON.stringify({ drain: "two", record }),
    });
    expectTold(await explain(folder, "record.json"), 2, "one, two");
    expect(await explain(folder, "record.json", "--drain", "one")).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("in drain one"),
    });
    expect(await explain(folder, "entry.json")).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("in drain two"),
    });
    expect(await explain(folder, "not-there.json", "--drain", "one")).toMatchObject({ exitCode: 2, out: "" });
  });
});

describe("redriver rules explain, of a dlqId", () => {
  const drain = `
    minAge: 1s
    select: { responseStatus: [422, 503] }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
  async function setUp(emulator: EmulatorOptions = {}) {
    const rig = await createRig({ redisUrl: redis.url(), drain, emulator });
    const text = `${head}drains:\n  main:\n    mode: live\n${drain.slice(1)}`;
    const env = {
      REDRIVER_SERVICE_URL: rig.emulator.url,
      REDRIVER_SERVICE_TOKEN: rig.emulator.token,
      REDRIVER_REDIS_URL: redis.url(),
      REDRIVER_REDIS_KEY_PREFIX: rig.core.settings.redis.keyPrefix,
      REDRIVER_DRAINS_FILE: file(text),
    };
    return { rig, env };
  }

  it("finds it in what the drain selects, reads the ledger, and changes nothing", async () => {
    const { rig, env } = await setUp();
    rig.seed(250);
    const [parked = ""] = rig.seed(1, { responseStatus: 422 });
    await rig.core.drains
      .get(rig.drain.config.name)
      ?.source.ledger.park([{ dlqId: parked as never, reason: "refused", attempt: 2 }], {
        drain: rig.drain.config.name,
        rulesHash: rig.drain.config.rulesHash,
        token: null,
      });
    const before = rig.emulator.dlq.size;
    const { exitCode, out, err } = await ask(["rules", "explain", parked, "--json"], env);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      dlqId: parked,
      selected: true,
      ledger: { state: "parked", reason: "refused", attempt: 2 },
      decision: { then: "park", reason: "refused", rule: null },
      decidedByLedger: true,
    });
    expect(rig.emulator.dlq.size).toBe(before);
    expect(rig.emulator.journal.entries("request").filter(({ operation }) => operation !== "list")).toEqual(
      [],
    );
  });

  it("explains without Redis, and says that the ledger was not asked", async () => {
    const { rig, env } = await setUp();
    const [dlqId = ""] = rig.seed(1);
    const { exitCode, out } = await ask(["rules", "explain", dlqId], {
      ...env,
      REDRIVER_REDIS_URL: "redis://127.0.0.1:1",
    });
    expect(exitCode).toBe(0);
    expect(out).toMatch(/ledger +not asked: redis-unavailable; set redis\.url/);
    expect(out).toContain('): republish: due (rule "outage")\n');
  });

  it("ends with 1 for a record that is in no queue, and for one that the drain does not select, and says which", async () => {
    const { rig, env } = await setUp();
    const [unselected = ""] = rig.seed(1, { responseStatus: 500 });
    expect(await ask(["rules", "explain", unselected], env)).toMatchObject({
      exitCode: 1,
      out: "",
      err: `0 listed\n${unselected} is in the queue of source default, but drain main does not select it: its responseStatus is 500, select asks for 422 or 503\n`,
    });
    const nowhere = await ask(["rules", "explain", "1725323658779-0"], env);
    expectTold(nowhere, 1, "1725323658779-0 is not in the queue of source default\n");
    expect(await ask(["rules", "explain", unselected, "--at", "2d"], env)).toMatchObject({ exitCode: 2 });
  });
});
