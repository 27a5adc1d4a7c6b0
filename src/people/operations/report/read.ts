/** What an outage came to, from Redis alone: the audit, what the passes count, and what callbacks told. */
import { z } from "zod";
import { laneActs, personActs, type AuditAct } from "../../../job/contracts/audit.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { openAuditReader, type Core } from "../../../job/door.ts";
import { defined } from "../../../job/message/defined.ts";
import { compileHostGlob } from "../../../job/rules/patterns/host-glob.ts";
import { readQueueFacts } from "../../read/queue-facts.ts";
import { viewFailures } from "../../read/read-failures.ts";
import { toUnselected } from "../../read/of-no-drain.ts";
import { field } from "../define.ts";
import { readAllArrivals } from "../failures/arrivals.ts";
import { hostGlob, unixMs } from "../fields.ts";
import { toActRows, type ActRow } from "../history/act-rows.ts";
import { selectRecords } from "../history/select-records.ts";
import { count, defineReading, time } from "../reading.ts";
import { createCount, hourMs, noFigures, type CountOfHost, type Figures } from "./count.ts";

/** Of a source, in memory at once, some 300 bytes each: for a process that has more to do. */
export const maxLetters = 100_000;

export type OutageReport = Awaited<ReturnType<typeof readReport>>;

/** Unix ms; without: the last day, to now. */
const input = z.strictObject({
  from: field(unixMs, {
    about: "from its hour on: 2d, a date, a time with a zone",
    value: "time",
    flag: "--since",
    edge: "from",
  }),
  to: field(unixMs, {
    about: "to the end of its hour; default: now",
    value: "time",
    flag: "--until",
    edge: "to",
  }),
  host: hostGlob,
});

const toldActs: ReadonlySet<AuditAct> = new Set<AuditAct>([...personActs, ...laneActs]);
const maxTold = 200;

type HostRow = { readonly host: string } & { readonly [Name in keyof CountOfHost]: number | null };

/** `most`: letters. Throws `command-misused` for a span that is none or too large, and `redis-unavailable`. */
export async function readReport(core: Core, request: z.infer<typeof input>, now: number, most: number) {
  const { host, from: since = now - 24 * hourMs, to: until = now } = request;
  const from = Math.floor(since / hourMs) * hourMs;
  const to = Math.min(now, Math.ceil(until / hourMs) * hourMs);
  if (!(from < to)) throw new RedriverError("command-misused", "the report ends before it begins");
  const isHost = host === undefined ? null : compileHostGlob(host);
  const reader = await openAuditReader(core);
  const sources = [...core.sources.values()].map(({ runtime }) => ({ ...runtime, ...createCount(most) }));
  // What expired in the span had entered before.
  const earliest = from - hourMs - Math.max(...sources.map(({ config }) => config.retentionMs));
  for await (const entry of reader.read({ order: "oldest-first", since: earliest })) {
    sources.find(({ config }) => config.id === entry.source)?.add(entry);
  }
  const facts = await readQueueFacts(core);
  const [arrivals, views] = await Promise.all([readAllArrivals(core), viewFailures(core, facts, now)]);
  const figures = { ...noFigures, delivered: 0 };
  const unknown = new Map<string, string>();
  const hosts: HostRow[] = [];
  const delays: number[] = [];
  for (const { config, lanes, read } of sources) {
    const { id, retentionMs } = config;
    const kinds = views
      .filter(({ source }) => source === id)
      .map((view) => ({ ...view, hours: arrivals.get(id)?.get(view.id) ?? {} }));
    const counted = read(kinds, { from, to, now, retentionMs, isHost });
    for (const name of Object.keys(noFigures) as (keyof Figures)[]) figures[name] += counted.figures[name];
    figures.delivered += (await lanes.deliveredOf(counted.silent)).size;
    for (const [name, why] of counted.unknown) unknown.set(name, why);
    // What goes to a queue is in the audit by its host.
    for (const [host, { sentAgain, ...rest }] of counted.hosts) {
      hosts.push({ host, sentAgain: host.startsWith("queue:") ? null : sentAgain, ...rest });
    }
    for (const delay of counted.delays) delays.push(delay);
  }
  if (unknown.has("failedAgain")) unknown.set("silent", "what failed again is not");
  const silent = Math.max(0, figures.sentAgain - figures.failedAgain - figures.delivered);
  const nulls = Object.fromEntries([...unknown.keys()].map((name) => [name, null]));
  const sorted = Float64Array.from(delays).toSorted();
  const delayAt = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!;
  const acts: ActRow[] = [];
  const query = { order: "newest-first", isCounted: true, acts: toldActs, since: from, until: to } as const;
  const { entries } = selectRecords(reader.read(query), defined({ host }));
  for await (const row of toActRows(entries)) if (acts.unshift(row) === maxTold) break;
  return {
    from,
    to,
    host: host ?? null,
    /** From entry to the proof that it was sent again. Null: none was. */
    delays: sorted.length === 0 ? null : { medianMs: delayAt(0.5), p99Ms: delayAt(0.99) },
    figures: { ...figures, silent, ...nulls } as Record<keyof typeof figures | "silent", number | null>,
    /** That wait now and that no drain selects, so that they are in no figure. */
    ofNoDrain: toUnselected(facts.sources),
    hosts: hosts.toSorted((one, other) => (other.sentAgain ?? 0) - (one.sentAgain ?? 0)),
    /** Of people and lanes, the first first. */
    acts,
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
