import type { Core } from "../../../job/door.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { toSafeJson } from "../../../job/message/write-safe-json.ts";
import { isDecidedAgain, type LedgerView } from "../../../job/contracts/ledger-entries.ts";
import type { CommandContext } from "../command-context.ts";
import { toMaskedRecord } from "../../operations/records/masked-record.ts";
import { toJsonLine } from "../output/json.ts";
import { toFieldsText } from "../output/fields-text.ts";
import { createOldest, visitParked, type FoundParked } from "../../operations/parked/find.ts";
import { showListed } from "../output/progress.ts";
import { toParkedJson } from "./text.ts";
import { systemClock } from "../../../system-world.ts";
import type { Stop } from "../input/stop-on-signals.ts";

/** Of an id that is not parked it reports what the ledger knows, and ends with 1. */
export async function showParked(
  core: Core,
  ids: readonly string[],
  flags: { readonly json?: boolean; readonly showContent?: boolean },
  stop: Stop,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const records = new Map<string, RawRecord>();
  const oldest = createOldest<FoundParked>(Infinity);
  await showListed(io, stop, (search) =>
    visitParked(core, { filter: {}, ids, listing: "always" }, search, (one, raw) => {
      oldest.add(one);
      if (raw !== undefined) records.set(one.dlqId, raw);
    }),
  );
  const shown = oldest.read();
  for (const one of shown) {
    const raw = records.get(one.dlqId);
    const record = raw === undefined ? null : flags.showContent === true ? raw : toMaskedRecord(raw);
    if (flags.json === true) io.out(toJsonLine({ ...toParkedJson(one), record }));
    else {
      const shown = { ...toParkedJson(one), waitsFor: toWait(one) };
      io.out(toFieldsText(Infinity, shown, systemClock.now()));
      io.out(`${record === null ? "" : `${toSafeJson(record)}\n`}\n`);
    }
  }
  const others = ids.filter((id) => !shown.some(({ dlqId }) => dlqId === id));
  for (const id of others) io.err(`${await describeOther(core, id)}\n`);
  if (others.length > 0) exitWith(1);
}

function toWait({ view: { reason }, hasDrain }: FoundParked): string {
  if (reason === "rule" || reason === "otherwise") {
    return hasDrain ? "other rules in its drain, or a release" : "a release, or a drain of that name again";
  }
  if (reason === "malformed-record") return "a build that can read it";
  if (isDecidedAgain(reason)) return "other settings (publish.*), or another destination by a rule";
  return reason === "vanished" ? "being listed again, or a release" : "a release";
}

async function describeOther(core: Core, id: string): Promise<string> {
  for (const { runtime } of core.sources.values()) {
    const { views } = await runtime.ledger.peek([id as DlqId]);
    const [view] = views;
    if (view !== undefined && view.state !== "absent") {
      return `not parked: ${id} is ${toState(view)} in source ${runtime.config.id}; see redriver history ${id}`;
    }
  }
  return `not parked: ${id} is not known to the ledger`;
}

function toState(view: LedgerView): string {
  if (view.state === "published") return `published as ${toPrintable(view.as)}`;
  return view.state === "cool" && view.released !== false ? "released" : view.state;
}
