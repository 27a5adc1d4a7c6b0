/** What an outage came to, from Redis alone: the audit, what the passes count, and what callbacks told. */
import { z } from "zod";
import { laneActs, personActs } from "../../../job/contracts/audit.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { openAuditReader, type Core } from "../../../job/door.ts";
import { compileHostGlob } from "../../../job/rules/patterns/host-and-path-tests.ts";
import { isOfOneAct } from "../../read/chart-marks.ts";
import { readQueueFacts } from "../../read/queue-facts.ts";
import { viewFailures } from "../../read/read-failures.ts";
import { hourMs, sumOf } from "../../read/totals.ts";
import { toUnselected } from "../../read/of-no-drain.ts";
import { readAllArrivals } from "../failures/arrivals.ts";
import { edgeField, hostGlob } from "../fields.ts";
import type { ActRow } from "../history/act-rows.ts";
import { readHistoryPage } from "../history/read-page.ts";
import { count, defineReading, time } from "../reading.ts";
import { createCount, eachFigure, toHour } from "./count.ts";

/** Of a source, in memory at once, some 300 bytes each: for a process that has more to do. */
export const maxLetters = 100_000;

export type OutageReport = Awaited<ReturnType<typeof readReport>>;

/** Without: the last day, to now. */
const input = z.strictObject({
  from: edgeField("from", "from its hour on: 2d, a date, a time with a zone"),
  to: edgeField("to", "to the end of its hour; default: now"),
  host: hostGlob,
});

const toldActs = [...personActs, ...laneActs];
const maxTold = 200;
/** Told once, as of its oldest row. */
const isAgain = (row: ActRow, older: ActRow | undefined): boolean =>
  older !== undefined && older.count === 0 && older.ordered === undefined && isOfOneAct(row, older);

/** `most`: letters. Throws `command-misused` for a span that is none or too large, and `redis-unavailable`. */
export async function readReport(core: Core, request: z.infer<typeof input>, now: number, most: number) {
  const { host, from: since = now - 24 * hourMs, to: until = now } = request;
  const from = toHour(since);
  const to = Math.min(now, Math.ceil(until / hourMs) * hourMs);
  if (!(from < to)) throw misused("the report ends before it begins");
  const isHost = host === undefined ? null : compileHostGlob(host);
  const reader = await openAuditReader(core);
  const sources = [...core.sources.values()].map(({ runtime }) => ({ ...runtime, ...createCount(most) }));
  // What expired in the span had entered before.
  const earliest = from - hourMs - Math.max(...sources.map(({ config }) => config.retentionMs));
  for await (const entry of reader.read({ order: "oldest-first", since: earliest })) {
    sources.find(({ config }) => config.id === entry.source)?.add(entry);
  }
  const facts = await readQueueFacts(core);
  const ofNoDrain = toUnselected(facts.sources, now);
  const [arrivals, views] = await Promise.all([readAllArrivals(core), viewFailures(core, facts, now)]);
  const counted = sources.map(({ config: { id, retentionMs }, read }) => {
    const own = views.filter(({ source }) => source === id);
    const kinds = own.map((view) => ({ ...view, hours: arrivals.get(id)?.get(view.id) ?? {} }));
    return read(kinds, { from, to, now, retentionMs, isHost });
  });
  const delivered = await Promise.all(sources.map(({ lanes }, at) => lanes.deliveredOf(counted[at]!.silent)));
  const figures = eachFigure((name) => sumOf(counted, (one) => one.figures[name]));
  figures.delivered = sumOf(delivered, ({ size }) => size);
  figures.silent = Math.max(0, figures.sentAgain - figures.failedAgain - figures.delivered);
  const unknown = new Map(counted.flatMap((one) => [...one.unknown]));
  if (unknown.has("failedAgain")) unknown.set("silent", "what failed again is not");
  const delays = Float64Array.from(counted.flatMap((one) => one.delays)).toSorted();
  const delayAt = (share: number): number => delays[Math.ceil(share * delays.length) - 1]!;
  const told = { host, act: toldActs, from, to, maxRows: maxTold, maxEntries: Infinity };
  const { rows } = await readHistoryPage(reader, told);
  const hosts = counted.flatMap((one) => one.hosts);
  return {
    from,
    to,
    host: host ?? null,
    /** From entry to the proof that it was sent again. Null: none was. */
    delays: delays.length === 0 ? null : { medianMs: delayAt(0.5), p99Ms: delayAt(0.99) },
    figures: eachFigure((name) => (unknown.has(name) ? null : figures[name])),
    /** That no drain selects, as counted last, so that they are in no figure. Times are Unix ms. */
    ofNoDrain: ofNoDrain.count,
    expiredSince: ofNoDrain.expiredSince,
    hosts: hosts.toSorted((one, other) => (other.sentAgain ?? 0) - (one.sentAgain ?? 0)),
    /** Of people and lanes, the first first. */
    acts: rows.filter((row, at) => !isAgain(row, rows[at + 1])).toReversed(),
    unknown: [...unknown].map(([figure, why]) => ({ figure, why })),
  };
}

export const reportReading = defineReading({
  path: "/report",
  summary: "What an outage came to, as redriver report --json prints it",
  command: { words: "report", about: "what an outage came to, as Markdown for a post mortem" },
  needs: "names",
  input,
  answer: z.looseObject({
    from: time,
    to: time,
    figures: z.record(z.string(), count.nullable()).describe("Null: `unknown` says why."),
  }),
  run: ({ core, now, input }) => readReport(core, input, now, maxLetters),
});
