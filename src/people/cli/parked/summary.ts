import type { Core } from "../../../job/door.ts";
import { systemClock } from "../../../system-world.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import type { Io } from "../io.ts";
import type { Stop } from "../with-core.ts";
import { cutMiddle } from "../../operations/destination-text.ts";
import { joined } from "../../operations/phrases.ts";
import { toJsonLine } from "../output/print.ts";
import { toFieldsText } from "../output/fields-text.ts";
import { wrapWords } from "../output/wrap.ts";
import {
  createParkedCount,
  type ParkedCount,
  type ParkedCounts,
  type ParkedReason,
  type Top,
} from "../../operations/parked/count.ts";
import { visitParked, type ParkedFilter } from "../../operations/parked/find.ts";
import { hasServiceRule, nextStepOf } from "../../operations/parked/next-step.ts";
import { showListed } from "../output/progress.ts";
import { toDrainName } from "./text.ts";

/** In the text, and in JSON. */
const shownKinds = 8;
const jsonKinds = 100;
/** So that a count, two times and a name fit a terminal. */
const maxName = 35;

/** Counts of all that is parked and fits. Answers how many. */
export async function summariseParked(
  core: Core,
  { json = false, ...filter }: ParkedFilter & { readonly json?: boolean },
  stop: Stop,
  io: Io,
): Promise<number> {
  const counts = createParkedCount();
  await showListed(io, stop, (search) =>
    visitParked(core, { filter, listing: "always" }, search, counts.add),
  );
  const found = counts.read();
  const next: NextOf = (one) => nextStepOf(one, hasServiceRule(core.drains.get(one.drain)?.config));
  io.out(
    json ? toJsonLine(toSummaryJson(found, next)) : toSummaryText(found, next, io.columns, systemClock.now()),
  );
  return found.total;
}

type NextOf = (one: ParkedReason) => ReturnType<typeof nextStepOf>;

function toSummaryJson({ total, reasons, hosts, rules, failures }: ParkedCounts, next: NextOf): object {
  return {
    total,
    reasons: reasons().map(({ hasDrain, ...one }) => ({
      ...one,
      drainInDocument: hasDrain,
      next: next({ hasDrain, ...one }),
    })),
    rules: rules(jsonKinds),
    hosts: hosts(jsonKinds),
    failures: failures(jsonKinds),
  };
}

function toSummaryText(counts: ParkedCounts, next: NextOf, columns: number, now: number): string {
  const { total } = counts;
  if (total === 0) return "nothing is parked\n";
  const max = Number.isFinite(columns) ? maxName : Infinity;
  const reasons = counts.reasons();
  const expiries = reasons.flatMap(({ firstExpiryAt }) => firstExpiryAt ?? []);
  const shown = {
    parked: total,
    firstExpiryAt: expiries.length === 0 ? "none is in the queue" : Math.min(...expiries),
    reasons: reasons.map((one) => ({
      ...toRow(cutMiddle(toDrainName(one), max), one),
      gone: one.gone,
      for: one.reason,
    })),
    rulesNow: toRows(max, counts.rules(shownKinds), ({ rule }) => rule ?? "(none)"),
    hosts: toRows(max, counts.hosts(shownKinds), ({ host }) => host),
    failures: toRows(max, counts.failures(shownKinds), (kind) => `${kind.id} ${toAnswerText(kind)}`),
  };
  const texts = reasons.map((one) => toNext(one, next(one), columns));
  return joined(toFieldsText(columns, shown, now), "\nwhat to do next\n", ...texts);
}

function toRow(name: string, { count, oldestEnteredAt, firstExpiryAt }: ParkedCount): object {
  return { count, oldestEnteredAt, firstExpiryAt, of: name };
}

function toRows<Kind extends object>(
  max: number,
  { top, more }: Top<Kind>,
  toName: (kind: Kind) => string,
): readonly object[] {
  const others = { count: more.count, of: `${more.kinds} other kinds` };
  return [...top.map((one) => toRow(cutMiddle(toName(one), max), one)), ...(more.count > 0 ? [others] : [])];
}

function toNext(one: ParkedReason, { advice, command }: ReturnType<NextOf>, columns: number): string {
  return joined(
    wrapWords(columns, 2, "", `${toDrainName(one)}, ${one.reason} (${one.count}): ${advice}`),
    // In one line, to be copied.
    command !== null && `    ${command}\n`,
  );
}
