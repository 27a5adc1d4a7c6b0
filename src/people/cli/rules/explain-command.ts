import type { Command } from "commander";
import { serviceNow } from "../../../job/contracts/service.ts";
import {
  type Core,
  findRecord,
  freezeRange,
  lineageOf,
  openLedger,
  type SourceRuntime,
  withNewer,
} from "../../../job/door.ts";
import { createLineageKeys } from "../../../job/message/lineage.ts";
import { systemClock } from "../../../system-world.ts";
import { readLineageKey, readSecret } from "../../../config/read-secret.ts";
import type { Settings } from "../../../config/settings/settings.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { lineageHeaderName } from "../../../job/message/headers.ts";
import { toEnteredAt } from "../../../job/message/parse-record.ts";
import type { Show } from "../../../job/message/show-masked-values.ts";
import type { Select } from "../../../job/message/select.ts";
import type { DrainConfig, DrainsDocument, SourceConfig } from "../../../job/contracts/drains-document.ts";
import { isRedriverError, RedriverError, misused } from "../../../job/contracts/errors.ts";
import type { LedgerView } from "../../../job/contracts/ledger-entries.ts";
import type { CommandContext, Io } from "../io.ts";
import { createStop, withCore } from "../with-core.ts";
import { toJsonLine } from "../output/print.ts";
import { createProgressLine } from "../output/progress.ts";
import { present } from "../../operations/phrases.ts";
import { toExplainText } from "./explain-text.ts";
import { explainRecord, type ExplainConditions, type Explanation } from "../../operations/rules/explain.ts";
import { hasHeader, looksMasked, readGivenRecord } from "./given-record.ts";
import { drainsNamed, openDocument, requireDocument } from "./open-document.ts";
import { itemCheckOf } from "../../operations/rules/try-record.ts";
import { cameBackFrom, whyUnselected } from "../../operations/records/why-unselected.ts";

export type ExplainFlags = Readonly<{ drain?: string; at?: number; json?: boolean; showContent?: boolean }>;

interface Opened {
  readonly settings: Settings;
  readonly document: DrainsDocument;
}

export async function explainCommand(
  record: string,
  flags: ExplainFlags,
  command: Command,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const { settings, ...opened } = openDocument(command, io, undefined);
  const { document } = requireDocument(opened, io);
  const explain = toEnteredAt(record) === null ? explainGiven : explainListed;
  const explanation = await explain(record, flags, { settings, document }, io);
  if (typeof explanation === "string") {
    io.err(`${record} ${explanation}\n`);
    exitWith(1);
    return;
  }
  io.out(flags.json === true ? toJsonLine(explanation) : toExplainText(io.columns, explanation));
}

function toShow({ showContent }: ExplainFlags): Show {
  return showContent === true ? "content" : "masked";
}

function chooseDrain(document: DrainsDocument, named: string | undefined): DrainConfig {
  const drains = drainsNamed(document, named);
  const [drain] = drains;
  if (drain !== undefined && drains.length === 1) return drain;
  const names = drains.map(({ name }) => name).join(", ") || "none";
  throw misused(`name a drain with --drain; the document has ${names}`);
}

async function explainGiven(
  from: string,
  flags: ExplainFlags,
  { settings, document }: Opened,
  io: Io,
): Promise<Explanation> {
  const { raw, drain: origin } = await readGivenRecord(from);
  const known = document.drains.find(({ name }) => name === origin)?.name;
  const drain = chooseDrain(document, flags.drain ?? known);
  const keys = readLineageKeys(drain.source, settings, io);
  const isUnproven = keys === null && hasHeader(raw, lineageHeaderName);
  const now = flags.at ?? systemClock.now();
  return explainRecord(drain, raw, {
    now,
    view: { state: "absent" },
    viewedAt: now,
    // Nothing that is signed with it leaves the process.
    lineageKeys: keys ?? ["no key"],
    ledgerNotAsked: "the record does not come from the queue",
    notes: present([
      isUnproven && `without the source's token its ${lineageHeaderName} header is not believed`,
      looksMasked(raw) && "it was masked when it was written: rules see *** for what was left out",
    ]),
    headerPrefix: settings.service.headerPrefix,
    checkItem: itemCheckOf(drain.source, settings),
    show: toShow(flags),
  });
}

/** A text: why there is none, behind its id. */
async function explainListed(
  id: string,
  flags: ExplainFlags,
  { settings, document }: Opened,
  io: Io,
): Promise<Explanation | string> {
  if (flags.at !== undefined) throw misused("--at goes with a file or stdin");
  const dlqId = id as DlqId;
  const { name } = chooseDrain(document, flags.drain);
  return withCore(io, { settings, document }, {}, async (core, teardown) => {
    const stop = createStop(io, teardown);
    const runtime = core.drains.get(name);
    if (runtime === undefined) throw new RedriverError("invariant-broken", `drain ${name} was not built`);
    const { config, source } = runtime;
    const progress = createProgressLine(io);
    const find = (select: Select): Promise<RawRecord | null> =>
      findRecord(dlqId, {
        source,
        select,
        signal: AbortSignal.any([stop.signal, stop.stopping]),
        onPage: (listed) => progress.show(`${listed} listed`),
      });
    const raw = await find(config.select);
    const unselected = raw === null ? await find({}) : null;
    progress.end();
    if (raw === null) return toMissing(config, unselected, source);
    const ledger = await askLedger(dlqId, raw, source, core);
    const isAsked = ledger.ledgerNotAsked === null && config.route.comparesBy.length > 0;
    const { newer } = isAsked
      ? await withNewer(runtime, await freezeRange(runtime, stop.signal), stop)
      : runtime;
    const now = serviceNow(source);
    return explainRecord(config, raw, {
      now,
      viewedAt: now,
      lineageKeys: source.lineageKeys(),
      notes: [],
      ...ledger,
      newer,
      headerPrefix: source.headerPrefix,
      checkItem: source.checkItem,
      show: toShow(flags),
    });
  });
}

function toMissing(drain: DrainConfig, raw: RawRecord | null, source: SourceRuntime): string {
  if (raw === null) return `is not in the queue of source ${source.config.name}`;
  const why = present([...whyUnselected(drain, raw), cameBackFrom(raw, source.lineageKeys())]);
  const because = why.length === 0 ? " a moment ago" : `: ${why.join("; ")}`;
  return `is in the queue of source ${source.config.name}, but drain ${drain.name} does not select it${because}`;
}

async function askLedger(
  dlqId: DlqId,
  raw: RawRecord,
  source: SourceRuntime,
  core: Core,
): Promise<Pick<ExplainConditions, "view" | "ledgerNotAsked" | "lineage"> & { readonly viewedAt?: number }> {
  const absent: LedgerView = { state: "absent" };
  try {
    if ((await openLedger(core)).ledger === "none") {
      return { view: absent, ledgerNotAsked: "none; set redis.url (REDRIVER_REDIS_URL)" };
    }
    const { views, at } = await source.ledger.peek([dlqId]);
    const lineage = await lineageOf(source, raw);
    return { view: views[0] ?? absent, viewedAt: at, lineage, ledgerNotAsked: null };
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    return { view: absent, ledgerNotAsked: `${error.code}; set redis.url (REDRIVER_REDIS_URL)` };
  }
}

/** Null: this machine can read neither the token nor the key, so a forged header could not be recognised. */
function readLineageKeys(source: SourceConfig, settings: Settings, io: Io) {
  const fixed = readLineageKey(settings);
  if (!fixed.ok) return null;
  const { value: key } = fixed;
  const token = readSecret(source.token, { env: io.env, settings });
  const secret = token.ok ? token.value : key;
  if (secret === undefined) return null;
  const { oldKeys } = settings.lineage;
  return createLineageKeys({ value: () => secret }, { key, oldKeys }, source.id)();
}
