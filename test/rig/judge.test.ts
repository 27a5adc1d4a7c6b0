/** The judge is the only one who would notice most of what soak, matrix and trials look for: each of its words is heard here. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import type { Emulator, EntryOf } from "../../dev/emulator/index.ts";
import type { DrainName, SourceId } from "../../src/job/contracts/ids.ts";
import { createRedisAudit } from "../../src/job/store/audit/redis-audit.ts";
import { useRedis } from "../support/redis.ts";
import { readArchivedIds } from "./archived-ids.ts";
import { createBooks } from "./books.ts";
import { lossReason } from "./declarations.ts";
import { createJudge, type Evidence } from "./judge.ts";
import { sha256Of, type Fate, type Letter } from "./letters.ts";
import { outcomeOf } from "./outcome.ts";
import { createSecrets } from "./secrets.ts";

const redis = useRedis();
const options = { dedupWindowMs: 90_000, isRepublished: (status: number): boolean => status === 503 };
const secret = "token0123456789abcdef";
const letter: Letter = { dlqId: "1-0", root: "m-1", fate: "republish", bodySha256: "sha" };
type Entry = Readonly<Record<string, unknown>>;

const accepted = (deduplicationId: string | undefined, more: Entry = {}): Entry => {
  return { type: "accepted", deduplicationId, messageId: "a", bodySha256: "sha", url: "u", ...more };
};
const deleted = (by = "ids"): Entry => ({ type: "deleted", dlqIds: ["1-0"], by });
const ours = "redriver-1-0";
const retried = (bodySha256 = "sha"): readonly Entry[] => [
  accepted(undefined, { bodySha256 }),
  deleted("retry"),
  { type: "retried", dlqId: "1-0", messageId: "m", newMessageId: "a" },
];

/** Books that have read this journal of one letter, an entry a millisecond. */
function read(fate: Fate, entries: readonly Entry[]) {
  const secrets = createSecrets();
  secrets.add("token", secret);
  const books = createBooks({ ...options, sourceId: "default", secrets });
  books.judge.born({ ...letter, fate }, 0);
  const journal = entries.map((entry, index) => ({ ...entry, seq: index + 1, at: index + 1 }));
  books.readJournal({
    entries: (type: string, after = 0) =>
      (journal as unknown as EntryOf<"accepted">[]).filter((one) => one.type === type && one.seq > after),
  } as Emulator["journal"]);
  return { ...books, broken: () => books.judge.violations.map(({ rule }) => rule) };
}

it.each<[string, Fate, readonly Entry[], readonly string[]]>([
  ["an acceptance and a delete after it", "republish", [accepted(ours), deleted()], []],
  ["a delete before its acceptance", "republish", [deleted(), accepted(ours)], ["deleted-unproven"]],
  ["a delete of nothing that is known", "republish", [{ ...deleted(), dlqIds: ["9-0"] }], ["emulator"]],
  ["the original's id", "republish", [accepted("msg_1")], ["foreign-id"]],
  ["the id of no dead letter", "republish", [accepted("redriver-1-1")], ["foreign-id"]],
  ["no id", "republish", [accepted(undefined)], ["foreign-id"]],
  ["the service's own retry", "republish", retried(), []],
  ["its retry with another body", "republish", retried("other"), ["altered"]],
  ["a publish besides its retry", "republish", [...retried(), accepted(ours)], ["doubled"]],
  ["another body", "republish", [accepted(ours, { bodySha256: "other" })], ["altered"]],
  ["a publish of what is to stay", "stay", [accepted(ours)], ["against-the-rules"]],
  ["a delete by filters", "republish", [deleted("filters")], ["filter-delete"]],
  ["an end by age", "republish", [deleted("retention")], []],
  ["a drop that is in the archive", "drop", [{ ...deleted(), archived: true }], []],
  ["a drop of what is to be sent", "republish", [{ ...deleted(), archived: true }], ["against-the-rules"]],
  [
    "one that came back and is published again",
    "republish",
    [
      accepted(ours),
      { type: "dead-lettered", messageId: "a", dlqId: "2-0", url: "u", responseStatus: 503 },
      accepted("redriver-2-0", { messageId: "b" }),
    ],
    [],
  ],
])("the judge says of %s what is to be said", (_what, fate, entries, wanted) => {
  const books = read(fate, entries);
  const dropped = new Set(entries.some((entry) => entry["archived"]) ? ["1-0"] : []);
  books.proveDeletions(() => ({ dropped, copied: new Set() }));
  books.explainDoubles(Infinity);
  expect(books.broken()).toEqual(wanted);
});

it.each<[readonly string[], readonly string[]]>([
  [["1-0"], []],
  [[], ["lost", "emulator"]],
  [["1-0", "2-0"], ["emulator"]],
])("with %j in the queue, what nobody accepted is %j", (ids, wanted) => {
  const books = read("republish", []);
  const find = (id: string) => (ids.includes(id) ? {} : undefined);
  books.judgeQueue({ size: ids.length, find } as unknown as Emulator["dlq"]);
  expect(books.broken()).toEqual(wanted);
});

const note = "unknown-outcome-past-window";
const silent: Evidence = { declarations: () => [], story: () => "nothing", losses: [] };
const said = (why: string, ...times: readonly number[]): Evidence => {
  return { ...silent, declarations: () => times.map((at) => ({ why, earliest: at, latest: at })) };
};
/** Redis lost what it had acknowledged from `from` to `to`, and redriver said so. */
const lost = (to: number, from = 0): Evidence => ({ ...said(lossReason, 80_000), losses: [{ from, to }] });
const untold: Evidence = { ...silent, losses: [{ from: 0, to: 50_000 }] };

it.each<[string, readonly string[], number, Evidence, readonly string[]]>([
  ["nobody declared", [ours, `${ours}-2`], 49_000, silent, ["doubled"]],
  ["is declared", [ours, `${ours}-2`], 49_000, said(note, 49_500), [note]],
  ["is declared afterwards", [ours, `${ours}-2`], 49_000, said(note, 50_001), ["doubled"]],
  ["is declared before the first", [ours, `${ours}-2`], 49_000, said(note, 1_000), ["doubled"]],
  ["has the id of the first", [ours, ours], 95_000, said(note, 90_000), ["doubled"]],
  ["has the first id after a second", [`${ours}-2`, ours], 95_000, said(note, 90_000), ["doubled"]],
  [
    "repeats a second",
    [ours, `${ours}-2`, `${ours}-2`],
    95_000,
    said(note, 90_000, 190_000),
    [note, "doubled"],
  ],
  ["follows from a loss", [ours, ours], 95_000, lost(50_000), [lossReason]],
  ["follows from a loss that nobody told", [ours, ours], 95_000, untold, ["doubled"]],
  ["comes in the window of the first", [ours, ours], 88_000, lost(50_000), ["doubled"]],
  ["comes before the loss ends", [ours, ours], 95_000, lost(97_000), ["doubled"]],
  ["follows from a loss of later writes alone", [ours, ours], 95_000, lost(50_000, 45_000), ["doubled"]],
  [
    "is one of two, declared once",
    [ours, `${ours}-2`, `${ours}-3`],
    800,
    said(note, 1_500),
    [note, "doubled"],
  ],
])("a further acceptance that %s is judged so", (_what, ids, apartMs, evidence, wanted) => {
  const judge = createJudge({ ...options, now: () => 0 });
  judge.born(letter, 0);
  for (const [index, id] of ids.entries()) {
    const entry = accepted(id, { messageId: `m${index}`, seq: index, at: 1_000 + index * apartMs });
    judge.read(entry as unknown as EntryOf<"accepted">);
  }
  judge.explainDoubles(evidence, 1_000);
  expect([...judge.doubles, ...judge.violations], "what is still on its way").toEqual([]);
  judge.explainDoubles(evidence, Infinity);
  expect([...judge.doubles.map(({ why }) => why), ...judge.violations.map(({ rule }) => rule)]).toEqual(
    wanted,
  );
});

it.each<[string, "stdout" | "stderr", readonly string[]]>([
  [`{"event":"x","msg":"${Buffer.from(`..${secret}`).toString("base64")}"}`, "stdout", ["leaked"]],
  ['{"event":"sweep:failed","code":"unexpected","msg":"TypeError"}', "stdout", ["unexpected-error"]],
  ['{"event":"job:failed","code":"redis-unavailable","msg":"Redis refused: OOM"}', "stdout", []],
  ["Error: it broke", "stderr", ["unexpected-error"]],
  ["warning: two drains", "stderr", []],
])("a daemon that says %s on %s breaks %j", (line, from, wanted) => {
  const { log, broken } = read("republish", []);
  log.line(1, line, from);
  expect(broken()).toEqual(wanted);
});

const line = (dlqId: string, why: string): string => `${JSON.stringify({ dlqId, why })}\n`;

it("files are read to their end: a secret across two reads, and an archive whose end is missing", async () => {
  const dir = mkdtempSync(join(tmpdir(), "redriver-rig-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const secrets = createSecrets();
  secrets.add("token", secret);
  // A read is 64 KiB.
  writeFileSync(join(dir, "log"), `${"x".repeat(65_526)}${secret}${"x".repeat(70_000)}`);
  expect(await secrets.findInFile(join(dir, "log"))).toEqual(["token"]);
  const second = gzipSync(line("2-0", "near-expiry").repeat(50) + line("3-0", "dropped"));
  writeFileSync(join(dir, "a.gz"), Buffer.concat([gzipSync(line("1-0", "dropped")), second]));
  writeFileSync(join(dir, "b.gz"), second.subarray(0, second.length - 20));
  const { dropped, copied } = readArchivedIds(dir);
  expect([[...dropped].toSorted(), [...copied]]).toEqual([["1-0", "3-0"], ["2-0"]]);
});

it("the audit is read as redriver writes it: what declares a double, each entry once", async () => {
  const books = read("republish", []);
  const connection = redis.fresh();
  const source = "default" as SourceId;
  const records = [
    { dlqId: "1-0", rule: "outage", reason: lossReason, attempt: 1 },
    { dlqId: "2-0", rule: "outage", reason: "reconcile", notes: [note] },
    { dlqId: "3-0", rule: "outage", reason: "due" },
  ] as const;
  const common = { act: "republish", by: "test", source, drain: "main" as DrainName } as const;
  await createRedisAudit(connection, source, { keepMs: 60_000, maxBytes: 1_000_000 }).append([
    { ...common, records },
  ]);
  await books.readAudit(connection);
  await books.readAudit(connection);
  const declared = records.map(({ dlqId }) => books.declarations.of(dlqId).map(({ why }) => why));
  expect(declared).toEqual([[lossReason], [note], []]);
});

it("two publishes of which one came back are one, and a second delivery is the service's if it heard no answer", () => {
  const sha = sha256Of("a");
  const arrival = { at: 0, id: "a", bytes: 0, status: 200, bodySha256: "", sentAs: "plain" } as const;
  const evidence = {
    accepted: ["m-1", "m-2"].map((messageId) => ({ messageId, bodySha256: sha })),
    deadLettered: [{ messageId: "m-1" }],
    deliveries: [],
    arrivals: [{ ...arrival, status: 503 }, arrival],
  };
  const once = { delivered: 1, publishedOnce: 1, doubled: 0, redelivered: 0 };
  expect(outcomeOf(["a"], evidence)).toEqual(once);
  expect(outcomeOf(["a", "b"], { ...evidence, deadLettered: [] })).toEqual({ ...once, publishedOnce: 0 });
  const again = { ...evidence, arrivals: [arrival, arrival] };
  expect(outcomeOf(["a"], again)).toEqual({ ...once, doubled: 1 });
  const unheard = { ...again, deliveries: [{ messageId: "m-1", status: 0 }] };
  expect(outcomeOf(["a"], unheard)).toEqual({ ...once, redelivered: 1 });
});
