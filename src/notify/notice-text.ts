import type { Notice, NoticeItem, NoticeKind } from "../ports/notices.ts";
import { formatDuration } from "../rules/durations.ts";

/** More lines of one notice are counted. */
const maxLines = 5;

/** What a person reads of one notice, a line for each thing. */
export function toNoticeLines({ event, items, more, at, source }: Notice): readonly string[] {
  const shown = items.slice(0, maxLines);
  const left = items.length - shown.length + more;
  const lines = shown.map((item) => {
    const step = toFirstStep(event, item);
    return `${toSentence(event, item, at, source)}${step === null ? "" : `. First step: \`${step}\``}`;
  });
  return left === 0 ? lines : [...lines, `… and ${left} more`];
}

/** The command that shows more; null: there is nothing to do. */
export function toFirstStep(event: NoticeKind, { drain, failure, figures }: NoticeItem): string | null {
  switch (event) {
    case "destination.resumed":
    case "test":
      return null;
    case "backlog.ended":
      return (figures?.["parked"] ?? 0) > 0 && drain !== null
        ? `redriver parked list --drain ${drain}`
        : null;
    case "backlog.began":
    case "destination.halted":
    case "failure.new":
    case "parked.new":
    case "expiring.soon":
    case "digest":
      if (failure !== null) return `redriver failures show ${failure}`;
      return drain === null ? "redriver status" : `redriver status ${drain}`;
    default:
      return event satisfies never;
  }
}

function toSentence(event: NoticeKind, item: NoticeItem, at: number, source: string): string {
  const { drain, destination, cause, count, figures = {} } = item;
  const where = destination === null ? (drain ?? source) : destination.replace(/^https:\/\//, "");
  const of = drain === null || destination === null ? "" : ` (drain ${drain})`;
  const because = cause === null ? "" : `: ${cause}`;
  switch (event) {
    case "backlog.began": {
      const most = destination === null ? "" : `, most of them for ${where}`;
      const waits = `${letters(count)} ${count === 1 ? "waits" : "wait"}`;
      const known = figures["stillCounting"] === 1 ? `at least ${waits}, still counting` : waits;
      return `${drain}: a backlog began: ${known}${most}${because}`;
    }
    case "backlog.ended": {
      const { published = 0, failedAgain = 0, parked = 0, durationMs = 0, heldByRules = 0 } = figures;
      const held = heldByRules === 0 ? "" : `, ${number(heldByRules)} held by rules`;
      return `${drain}: drained after ${formatDuration(durationMs)}: ${number(published)} published, ${number(failedAgain)} failed again, ${number(parked)} newly parked${held}`;
    }
    case "destination.halted":
      return `${where} is halted${of}, it gets only probes: ${letters(count)} ${count === 1 ? "waits" : "wait"}${because}`;
    case "destination.resumed":
      return `${where} takes messages again${of}: ${letters(count)} ${count === 1 ? "waits" : "wait"}`;
    case "failure.new":
      return `new failure at ${where}${of}: ${letters(count)} arrived${because}`;
    case "parked.new":
      return `${letters(count)} newly parked for a person, at ${where}${of}${because}`;
    case "expiring.soon": {
      const { expiresAt, withoutCopy } = figures;
      if (withoutCopy !== undefined) return `${source}: ${letters(withoutCopy)} near expiry without a copy`;
      const when = expiresAt === undefined ? "soon" : toMoment(expiresAt, at);
      return `${drain}: ${letters(count)} still there, and the oldest expires ${when}${because}`;
    }
    case "digest": {
      const { since, published = 0, failedAgain = 0, newFailures = 0 } = figures;
      const { waiting = 0, parked = 0, withoutCopy = 0, expiresAt } = figures;
      const from = since === undefined ? "so far" : `since ${toMinute(since)} UTC`;
      const next = expiresAt === undefined ? "" : `; the oldest expires ${toMoment(expiresAt, at)}`;
      return `${source} ${from}: ${number(published)} published, ${number(failedAgain)} failed again, ${number(newFailures)} new failures; now ${number(waiting)} waiting, ${number(parked)} parked, ${number(withoutCopy)} near expiry without a copy${next}`;
    }
    case "test":
      return "a test of redriver: this target works";
    default:
      return event satisfies never;
  }
}

function letters(count: number): string {
  return `${number(count)} ${count === 1 ? "dead letter" : "dead letters"}`;
}

/** `12,480`. */
function number(count: number): string {
  return count.toLocaleString("en-US");
}

function toMoment(at: number, now: number): string {
  return at <= now ? "now" : `in ${formatDuration(at - now)}, at ${toMinute(at)} UTC`;
}

function toMinute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
