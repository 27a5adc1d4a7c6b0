/** What an outage came to, from Redis alone: the audit, what the passes count, and what callbacks told. */
import { z } from "zod";
import { groupBy } from "../../../group-items-by-key.ts";
import { auditKeptMs, laneActs, personActs } from "../../../job/contracts/audit.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { openAuditReader } from "../../../job/door.ts";
import { compileHostGlob } from "../../../job/rules/patterns/host-and-path-tests.ts";
import { toUnselected } from "../../read/of-no-drain.ts";
import { readQueueFacts } from "../../read/queue-facts.ts";
import { viewFailures } from "../../read/read-failures.ts";
import { hourMs, sumOf } from "../../read/totals.ts";
import { readAllArrivals } from "../failures/arrivals.ts";
import { spanFields } from "../fields.ts";
import { readHistoryPage } from "../history/read-page.ts";
import { count, defineReading, time, type ReadingCall } from "../reading.ts";
import { createCount, eachFigure, toHour } from "./count.ts";

/** Without: the last day, to now; whole hours. */
const input = z.strictObject(spanFields);

type Call = Pick<ReadingCall<z.output<typeof input>>, "core" | "input" | "now">;
export type OutageReport = Awaited<ReturnType<typeof readReport>>;

/**
 * `most`: letters of a source, in memory at once, some 300 bytes each; default: for a process that has more to do. Throws
 * `command-misused` for a span that is none or too large, and `redis-unavailable`.
 */
export async function readReport({ core, input: asked, now }: Call, most = 100_000) {
  const { host, from: since = now - 24 * hourMs, to: until = now } = asked;
  const reader = await openAuditReader(core);
  const cutAt = await reader.cutAt();
  const from = Math.max(toHour(since), toHour(Math.max(now - auditKeptMs, cutAt)) + hourMs);
  const to = Math.min(now, toHour(until + hourMs - 1));
  if (!(from < to)) throw misused("the report ends before it begins; acts are kept for 30 days or 256 MiB");
  const isHost = host === undefined ? null : compileHostGlob(host);
  const sources = [...core.sources.values()].map(({ runtime }) => ({ ...runtime, ...createCount(most) }));
  // What expired in the span had entered before.
  const earliest = from - hourMs - Math.max(...sources.map(({ config }) => config.retentionMs));
  for await (const entry of reader.read({ order: "oldest-first", since: earliest }))
    sources.find(({ config }) => config.id === entry.source)?.add(entry);
  const facts = await readQueueFacts(core);
  const [arrivals, views] = await Promise.all([readAllArrivals(core), viewFailures(core, facts, now)]);
  const counted = sources.map(({ config: { id, retentionMs }, read }) => {
    const own = views.filter(({ source }) => source === id);
    return read(own, arrivals.get(id) ?? new Map(), { from, to, now, cutAt, retentionMs, isHost });
  });
  const delivered = await Promise.all(sources.map(({ lanes }, at) => lanes.deliveredOf(counted[at]!.silent)));
  const figures = eachFigure((name) => sumOf(counted, (one) => one.figures[name]));
  figures.delivered = sumOf(delivered, ({ size }) => size);
  figures.silent = Math.max(0, figures.sentAgain - figures.failedAgain - figures.delivered);
  const unknown = new Map(counted.flatMap((one) => Object.entries(one.unknown)));
  const delays = Float64Array.from(counted.flatMap((one) => one.delays)).toSorted();
  const delayAt = (share: number): number => delays[Math.ceil(share * delays.length) - 1]!;
  const told = { host, act: [...personActs, ...laneActs], from, to, maxRows: 200, maxEntries: Infinity };
  const { rows } = await readHistoryPage(reader, told);
  const allHosts = counted.flatMap((one) => one.hosts);
  const hosts = [...groupBy(allHosts, ({ host: name }) => name)].map(([name, of]) => {
    const sum = (figure: "sentAgain" | "failedAgain" | "waitsAfter") =>
      of.some((one) => one[figure] === null) ? null : sumOf(of, (one) => one[figure] ?? 0);
    return {
      host: name,
      sentAgain: sum("sentAgain"),
      failedAgain: sum("failedAgain"),
      waitsAfter: sum("waitsAfter"),
    };
  });
  const { count: ofNoDrain, expiredSince } = toUnselected(facts.sources, now);
  return {
    /** As asked: the audit may not go back so far. */
    since,
    from,
    to,
    host: host ?? null,
    /** From entry to the proof that it was sent again. Null: none was. */
    delays: delays.length === 0 ? null : { medianMs: delayAt(0.5), p99Ms: delayAt(0.99) },
    figures: eachFigure((name) => (unknown.has(name) ? null : figures[name])),
    /** That no drain selects, as counted last, so that they are in no figure. Times are Unix ms. */
    ofNoDrain,
    expiredSince,
    hosts: hosts.toSorted((one, other) => (other.sentAgain ?? 0) - (one.sentAgain ?? 0)),
    /** Of people and lanes, the first first; of more than 200 the last. */
    acts: rows.slice(0, 200).toReversed(),
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
  run: (call) => readReport(call),
});
