import type { Command } from "commander";
import type { Core } from "../../compose/build-core.ts";
import { requireRedis } from "../../compose/open-core.ts";
import { systemClock } from "../../compose/system-world.ts";
import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import { lineageHeaderName } from "../../message/headers.ts";
import { toEnteredAt } from "../../message/parse-record.ts";
import { toSafeJson } from "../../message/safe-json.ts";
import type { DrainConfig, DrainsDocument } from "../../ports/drains.ts";
import type { Select } from "../../ports/service.ts";
import { isRedriverError, RedriverError } from "../../ports/errors.ts";
import type { LedgerView } from "../../ports/ledger-entries.ts";
import { type SourceRuntime, serviceNow } from "../../redrive/runtime.ts";
import type { CommandContext } from "../command-context.ts";
import { itemCheckOf } from "./trial.ts";
import { readNamedFile } from "../input/named-file.ts";
import { createProgressLine } from "../output/progress.ts";
import { drainsNamed, openDocument, requireDocument, type OpenedDocument } from "./open-document.ts";
import { explainRecord, type ExplainConditions } from "./explain.ts";
import { toExplainText } from "./explain-text.ts";
import { findListed } from "../input/find-listed.ts";
import { readLineageKeys, hasHeader, looksMasked, parseRecordText } from "./given-record.ts";
import { cameBackFrom, whyUnselected } from "./unselected.ts";
import { withCore } from "../with-core.ts";
import { createStop } from "../input/person.ts";

export interface ExplainFlags {
  readonly drain?: string;
  /** Unix ms. */
  readonly at?: number;
  readonly json?: boolean;
  readonly showContent?: boolean;
}

/** What is needed to explain a record, wherever it came from. */
interface Subject {
  readonly drain: DrainConfig;
  readonly raw: RawRecord;
  readonly conditions: Omit<ExplainConditions, "show" | "headerPrefix" | "checkItem">;
}

/** `missing` completes "<dlqId> …". */
interface Missing {
  readonly missing: string;
}

/** A record is at most some megabytes: its body, and a response. */
const maxBytes = 67_108_864;

export async function explainCommand(
  record: string,
  flags: ExplainFlags,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const { io } = context;
  const opened = openDocument(command, io, undefined);
  const { document } = requireDocument(opened, io);
  const subject =
    toEnteredAt(record) === null
      ? await givenSubject(record, flags, opened, document, context)
      : await listedSubject(record as DlqId, flags, opened, document, context);
  if ("missing" in subject) {
    io.err(`${record} ${subject.missing}\n`);
    context.exitWith(1);
    return;
  }
  const explanation = explainRecord(subject.drain, subject.raw, {
    ...subject.conditions,
    headerPrefix: opened.settings.service.headerPrefix,
    checkItem: itemCheckOf(subject.drain.source, opened.settings),
    show: flags.showContent === true ? "content" : "masked",
  });
  io.out(flags.json === true ? `${toSafeJson(explanation)}\n` : toExplainText(io.columns, explanation));
}

/** The drain that was named, that the record names, or the only one. */
function chooseDrain(document: DrainsDocument, named: string | undefined): DrainConfig {
  const drains = drainsNamed(document, named);
  const [drain] = drains;
  if (drain !== undefined && drains.length === 1) return drain;
  const names = drains.map(({ name }) => name).join(", ");
  throw new RedriverError(
    "command-misused",
    `name a drain with --drain; the document has ${names || "none"}`,
  );
}

async function givenSubject(
  from: string,
  { drain: named, at }: ExplainFlags,
  { settings }: OpenedDocument,
  document: DrainsDocument,
  { io }: CommandContext,
): Promise<Subject> {
  const { raw, drain: origin } = parseRecordText(await readText(from));
  const known = document.drains.some(({ name }) => name === origin) ? (origin ?? undefined) : undefined;
  const drain = chooseDrain(document, named ?? known);
  const lineage = readLineageKeys(drain.source, settings, io);
  const now = at ?? systemClock.now();
  return {
    drain,
    raw,
    conditions: {
      now,
      view: { state: "absent" },
      viewedAt: now,
      lineageKeys: lineage.keys,
      ledgerNotAsked: "the record does not come from the queue",
      notes: [
        ...(lineage.known || !hasHeader(raw, lineageHeaderName)
          ? []
          : [`without the source's token its ${lineageHeaderName} header is not believed`]),
        ...(looksMasked(raw)
          ? ["it was masked when it was written: rules see *** for what was left out"]
          : []),
      ],
    },
  };
}

async function listedSubject(
  dlqId: DlqId,
  { drain: named, at }: ExplainFlags,
  { settings }: OpenedDocument,
  document: DrainsDocument,
  { io }: CommandContext,
): Promise<Subject | Missing> {
  if (at !== undefined) throw new RedriverError("command-misused", "--at goes with a file or stdin");
  const { name } = chooseDrain(document, named);
  return withCore(io, { settings, document }, {}, async (core, teardown): Promise<Subject | Missing> => {
    const stop = createStop(io, teardown);
    const runtime = core.drains.get(name);
    if (runtime === undefined) throw new RedriverError("invariant-broken", `drain ${name} was not built`);
    const { config, source } = runtime;
    const progress = createProgressLine(io);
    const find = (select: Select): Promise<RawRecord | null> =>
      findListed(dlqId, {
        service: source.service,
        select,
        memory: source.memory,
        signal: AbortSignal.any([stop.signal, stop.stopping]),
        onPage: (listed) => progress.show(`${listed} listed`),
      });
    const raw = await find(config.select);
    const unselected = raw === null ? await find({}) : null;
    progress.end();
    if (raw === null) return { missing: toMissing(config, unselected, source) };
    const ledger = await askLedger(dlqId, source, core);
    const now = serviceNow(source);
    const { viewedAt = now } = ledger;
    const lineageKeys = source.lineageKeys();
    return { drain: config, raw, conditions: { now, lineageKeys, notes: [], ...ledger, viewedAt } };
  });
}

function toMissing(drain: DrainConfig, raw: RawRecord | null, source: SourceRuntime): string {
  if (raw === null) return `is not in the queue of source ${source.config.name}`;
  const why = [...whyUnselected(drain, raw), cameBackFrom(raw, source.lineageKeys())].filter(
    (part) => part !== null,
  );
  const because = why.length === 0 ? " a moment ago" : `: ${why.join("; ")}`;
  return `is in the queue of source ${source.config.name}, but drain ${drain.name} does not select it${because}`;
}

/** What the ledger knows, if Redis is there. */
async function askLedger(
  dlqId: DlqId,
  { ledger }: Pick<SourceRuntime, "ledger">,
  { redis }: Pick<Core, "redis">,
): Promise<{
  readonly view: LedgerView;
  readonly viewedAt?: number;
  readonly ledgerNotAsked: string | null;
}> {
  try {
    await requireRedis(redis);
    const { views, at } = await ledger.peek([dlqId]);
    return { view: views[0] ?? { state: "absent" }, viewedAt: at, ledgerNotAsked: null };
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    return { view: { state: "absent" }, ledgerNotAsked: `${error.code}; set redis.url (REDRIVER_REDIS_URL)` };
  }
}

async function readText(from: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    const stream: AsyncIterable<Buffer> = readNamedFile(from);
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new RedriverError("command-misused", `${from} is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (isRedriverError(cause)) throw cause;
    const expected = "a dlqId (<milliseconds>-<sequence>), a file that can be read, or -";
    throw new RedriverError("command-misused", `expected ${expected}; got ${JSON.stringify(from)}`, {
      cause,
    });
  }
  return Buffer.concat(chunks).toString("utf8");
}
