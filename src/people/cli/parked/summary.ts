import type { Core } from "../../../job/door.ts";
import { systemClock } from "../../../system-world.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import type { Io } from "../io.ts";
import type { Stop } from "../input/stop-on-signals.ts";
import { cutMiddle } from "../../operations/destination-text.ts";
import { joined, toMinute, toTime } from "../../operations/phrases.ts";
import { toJsonLine } from "../output/json.ts";
import { fitted, toTable } from "../output/table.ts";
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
  const reasons = counts.reasons();
  const expiries = reasons.flatMap(({ firstExpiryAt }) => firstExpiryAt ?? []);
  const expiry =
    expiries.length === 0
      ? "none is in the queue"
      : `the first expires ${toExpiry(Math.min(...expiries), now)}`;
  return joined(
    `${total} parked, ${expiry}\n\n`,
    fitted(columns, (max) =>
      toTable(reasons, {
        drain: (one) => cutMiddle(toDrainName(one), max),
        "parked for": ({ reason }) => reason,
        ...counted,
        gone: ({ gone }) => gone,
      }),
    ),
    toKinds(columns, counts.rules(shownKinds), "rule now", ({ rule }) => rule ?? "-"),
    toKinds(columns, counts.hosts(shownKinds), "host", ({ host }) => host),
    toKinds(columns, counts.failures(shownKinds), "failure", (kind) => `${kind.id} ${toAnswerText(kind)}`),
    "\nwhat to do next\n",
    ...reasons.map((one) => toNext(one, next(one), columns)),
  );
}

const counted = {
  count: ({ count }: ParkedCount) => count,
  "oldest (UTC)": ({ oldestEnteredAt: at }: ParkedCount) => orNone(at),
  "first expiry": ({ firstExpiryAt: at }: ParkedCount) => orNone(at),
};

function orNone(at: number | null): string {
  return at === null ? "-" : toMinute(at);
}

function toKinds<Kind>(
  columns: number,
  { top, more }: Top<Kind>,
  heading: string,
  toName: (kind: Kind) => string,
): string {
  if (top.length === 0) return "";
  const others = more.count > 0 && `${more.count} of ${more.kinds} other kinds\n`;
  const toText = (max: number): string =>
    toTable<Kind & ParkedCount>(top, {
      ...counted,
      [heading]: (kind) => cutMiddle(toPrintable(toName(kind)), max),
    });
  return joined("\n", fitted(columns, toText), others);
}

function toExpiry(at: number, now: number): string {
  return at <= now ? `before now, ${toTime(at)}` : `in ${formatDuration(at - now)}, ${toTime(at)}`;
}

function toNext(one: ParkedReason, { advice, command }: ReturnType<NextOf>, columns: number): string {
  return joined(
    wrapWords(columns, 2, "", `${toDrainName(one)}, ${one.reason} (${one.count}): ${advice}`),
    // In one line, to be copied.
    command !== null && `    ${command}\n`,
  );
}
