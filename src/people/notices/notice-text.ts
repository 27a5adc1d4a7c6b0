import type { Notice, NoticeItem, NoticeKind } from "../../job/contracts/notices.ts";
import { formatDuration } from "../../job/rules/durations.ts";

/** More lines of one notice are counted. */
const maxLines = 5;

/** What was true so long ago has its time in front: it has waited for its turn. */
const lateMs = 60_000;

/** What a person reads of one notice, a line for each thing. `now`: when it is sent, Unix ms. */
export function toNoticeLines(
  { event, items, more, at, source }: Notice,
  consoleUrl?: string,
  now = at,
): readonly string[] {
  const shown = items.slice(0, maxLines);
  const left = items.length - shown.length + more;
  const when = now - at < lateMs ? "" : `${toMinute(at)} UTC: `;
  const lines = shown.flatMap((item) => {
    const step = toFirstStep(event, item);
    const link = toLink(item, source, consoleUrl);
    const page = link === null ? "" : `, or ${link}`;
    const firstStep =
      step === null ? `Nothing to do${page.replace("or", "see")}` : `First step: \`${step}\`${page}`;
    if (event === "digest") return [...toDigestLines(item, at, source), firstStep];
    const sentence = toSentence(event, item, at, source);
    return event === "test" ? sentence : `${when}${sentence}. ${firstStep}`;
  });
  return left === 0 ? lines : [...lines, `… and ${left} more`];
}

/** The page of the console that a notice is about. Null: nobody has said where the console is (`console.url`). */
export function toLink(
  { drain, destination, failure }: NoticeItem,
  source: string,
  consoleUrl: string | undefined,
): string | null {
  if (consoleUrl === undefined) return null;
  if (failure !== null) return `${consoleUrl}/failures/${failure}?${new URLSearchParams({ source })}`;
  const query = new URLSearchParams({
    ...(drain === null ? {} : { drain }),
    ...(destination === null ? {} : { host: destination }),
  });
  return query.size === 0 ? `${consoleUrl}/` : `${consoleUrl}/failures?${query}`;
}

/** The command that shows more; null: there is nothing to do. */
export function toFirstStep(event: NoticeKind, { drain, failure, figures }: NoticeItem): string | null {
  switch (event) {
    case "destination.resumed":
    case "test":
      return null;
    case "backlog.ended": {
      const { parked = 0, heldByRules = 0, forPerson = 0 } = figures ?? {};
      if (parked > 0) return `redriver parked list --drain ${drain}`;
      return heldByRules + forPerson > 0 ? `redriver status ${drain}` : null;
    }
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

function toSentence(
  event: Exclude<NoticeKind, "digest">,
  item: NoticeItem,
  at: number,
  source: string,
): string {
  const { drain, destination, cause, count, figures = {} } = item;
  const where = destination === null ? (drain ?? source) : destination.replace(/^https:\/\//, "");
  const of = drain === null || destination === null ? "" : ` (drain ${drain})`;
  const because = cause === null ? "" : `: ${cause}`;
  // A lane may move before the first pages are counted.
  const counted = count === 0 ? "" : `; ${letters(count)} ${count === 1 ? "waits" : "wait"}`;
  switch (event) {
    case "backlog.began": {
      const most = destination === null ? "" : `, most of them for ${where}`;
      const waits = `${letters(count)} ${count === 1 ? "waits" : "wait"}`;
      const known = figures["stillCounting"] === 1 ? `at least ${waits}, still counting` : waits;
      return `${drain}: a backlog began: ${known}${most}${because}`;
    }
    case "backlog.ended": {
      const { published = 0, failedAgain = 0, parked = 0, durationMs = 0 } = figures;
      const { heldByRules = 0, forPerson = 0, cooling = 0 } = figures;
      const held = [
        heldByRules > 0 && `, ${number(heldByRules)} held by rules`,
        forPerson > 0 && `, ${number(forPerson)} left to a person`,
        cooling > 0 && `, ${number(cooling)} refused and tried rarely`,
      ]
        .filter((part) => part !== false)
        .join("");
      return `${drain}: drained after ${formatDuration(durationMs)}: ${number(published)} sent again, ${number(failedAgain)} failed again, ${number(parked)} newly parked${held}${cause === null ? "" : `; it began with ${where}${because}`}`;
    }
    case "destination.halted":
      return `${where} is halted${of} and gets only probes${toNextProbe(figures, at)}${counted}${because}`;
    case "destination.resumed":
      return `${where} is no longer halted, and gets messages again${of}${counted}`;
    case "failure.new":
      return `new failure at ${where}${of}: ${figures["atLeast"] === 1 ? "at least " : ""}${letters(count)} arrived${because}`;
    case "parked.new":
      return `${letters(count)} newly parked for a person, at ${where}${of}${because}`;
    case "expiring.soon": {
      const { expiresAt, withoutCopy } = figures;
      if (withoutCopy !== undefined) return `${source}: ${letters(withoutCopy)} near expiry without a copy`;
      const when = expiresAt === undefined ? "soon" : toMoment(expiresAt, at);
      const most = destination === null ? "" : `, most of them for ${where}`;
      const atLeast = figures["stillCounting"] === 1 ? "at least " : "";
      return `${drain}: ${atLeast}${letters(count)} ${count === 1 ? "expires" : "expire"} soon, the first ${when}${most}${because}`;
    }
    case "test":
      return "a test of redriver: this target works";
    default:
      return event satisfies never;
  }
}

/** Each fits a terminal of 80 columns, unless the name of the source is long. */
function toDigestLines({ figures = {} }: NoticeItem, at: number, source: string): readonly string[] {
  const { since, published = 0, failedAgain = 0, newFailures = 0 } = figures;
  const { waiting = 0, heldByRules = 0, parked = 0, withoutCopy = 0, expiresAt } = figures;
  const held = heldByRules === 0 ? "" : `, ${number(heldByRules)} of them held by rules`;
  const kinds = `${number(newFailures)} new ${newFailures === 1 ? "kind" : "kinds"} of failure`;
  const expiring = [
    expiresAt !== undefined && `the oldest ${toMoment(expiresAt, at)}`,
    withoutCopy > 0 && `${number(withoutCopy)} soon, without a copy`,
  ].filter((part) => part !== false);
  return [
    `${source} ${since === undefined ? "so far" : `since ${toMinute(since)} UTC`}`,
    `• done: ${number(published)} sent again, ${number(failedAgain)} failed again, ${kinds}`,
    `• waits: ${waiting === 0 ? "nothing" : `${letters(waiting)}${held}`}`,
    `• parked: ${parked === 0 ? "nothing" : `${letters(parked)}, for a person`}`,
    `• expires: ${expiring.length === 0 ? "nothing" : expiring.join("; ")}`,
  ];
}

/** `, the next in 5m, at 2026-11-26 08:05 UTC`. */
function toNextProbe({ nextProbeAt }: Readonly<Record<string, number>>, at: number): string {
  return nextProbeAt === undefined ? "" : `, the next ${toMoment(nextProbeAt, at)}`;
}

function letters(count: number): string {
  return `${number(count)} ${count === 1 ? "dead letter" : "dead letters"}`;
}

function number(count: number): string {
  return count.toLocaleString("en-US");
}

function toMoment(at: number, now: number): string {
  return at <= now ? "now" : `in ${formatDuration(at - now)}, at ${toMinute(at)} UTC`;
}

function toMinute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
