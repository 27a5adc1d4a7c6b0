import type { CallbackOutcome } from "../job/contracts/callbacks.ts";
import { errorTable, type ErrorCode } from "../job/contracts/errors.ts";
import type { EventOf, Events, RedriverEvent, RequestOutcome } from "../job/contracts/events.ts";
import type { LineLevel, Logger } from "./logger.ts";

/** The message is made only if its level is on. */
type Line = readonly [level: LineLevel, message: () => string];

/** For events that are rare, so that their text may be made in any case. */
const said = (level: LineLevel, message: string): Line => [level, () => message];
const failed = (code: ErrorCode | "unexpected", message: string): Line =>
  said(code === "unexpected" ? "error" : errorTable[code].level, message);

type RecordsEvent = Extract<RedriverEvent, { readonly records: readonly unknown[] }>;

export function createEventLog(logger: Logger): Events {
  let isRedisFit = true;
  return {
    emit(event) {
      if (event.type === "redis:unfit" || event.type === "redis:fit") isRedisFit = event.type === "redis:fit";
      if ("records" in event) {
        if (logger.isOn("debug")) logRecords(logger, event);
        return;
      }
      const [ownLevel, message] = lines[event.type](event as never);
      const level = !isRedisFit && saysOnlyUnfit(event) ? "debug" : ownLevel;
      if (!logger.isOn(level)) return;
      const { type, ...fields } = "notices" in event ? withIds(event) : event;
      logger[level]({ event: type, ...fields }, message());
    },
  };
}

/** A notice has no place in a line beside its id. */
function withIds(event: EventOf<"notice:delivered" | "notice:dropped">) {
  return { ...event, notices: event.notices.map(({ id }) => id) };
}

function logRecords(logger: Logger, event: RecordsEvent): void {
  const { type, drain, source } = event;
  const common = { event: type, drain, source };
  switch (type) {
    case "record:decided":
      for (const { dlqId, decision, explain } of event.records) {
        const { then, reason, rule } = decision;
        // Not the decision's changes: a rule may set headers, and their values are for the receiver alone.
        const fields = { ...common, dlqId, mode: event.mode, decision: then, reason, rule };
        logger.debug(fields, explain());
      }
      break;
    case "record:published":
      for (const one of event.records) {
        logger.debug({ ...common, ...one }, `republished, attempt ${one.attempt}`);
      }
      break;
    case "record:come-back":
      for (const one of event.records) {
        logger.debug({ ...common, ...one }, `came back after attempt ${one.attempt}`);
      }
      break;
  }
}

/** While Redis is unfit, each job fails so every few seconds. `redis:unfit` has reported it, with the fix. */
function saysOnlyUnfit(event: RedriverEvent): boolean {
  return (
    (event.type === "job:failed" || event.type === "console:page-failed") &&
    (event.code === "redis-unavailable" || event.code === "redis-unsuitable")
  );
}

const requestLevels: Readonly<Record<RequestOutcome, LineLevel>> = {
  ok: "debug",
  refused: "info",
  "rate-limited": "info",
  unauthorised: "error",
  misconfigured: "error",
  unavailable: "warn",
  timeout: "warn",
  unreadable: "error",
  "not-sent": "info",
  unknown: "warn",
  stopped: "info",
};

/** Anybody may call, as often as they like: only the first call in a minute warns. */
const warningCallbacks: ReadonlySet<CallbackOutcome> = new Set([
  "unverified",
  "unreadable",
  "too-large",
  "busy",
  "chain-failed",
]);

const volumeLevels = { fit: "debug", doubtful: "warn", unfit: "error" } as const;

/**
 * The line of each event. Lines of one record are at debug, for a queue may hold a hundred thousand of them; the pass
 * and the sweep sum them up at info. A record that needs a person is above debug.
 */
const lines: {
  readonly [Type in Exclude<RedriverEvent["type"], RecordsEvent["type"]>]: (event: EventOf<Type>) => Line;
} = {
  "pass:opened": ({ kind, drain }) => ["debug", () => `${kind} pass of ${drain} opened`],
  "pass:closed": ({ drain, outcome, counts }) => {
    const { listed, republished, deleted, due, held, parked, inDoubt, comeBacks } = counts;
    const hasActed = republished + deleted + inDoubt > 0;
    const came = comeBacks === 0 ? "" : `, ${comeBacks} came back`;
    return [
      // One line for all come-backs: their receiver is not well yet.
      outcome !== "complete" || comeBacks > 0 ? "warn" : hasActed ? "info" : "debug",
      () =>
        `pass of ${drain} closed: ${outcome}, ${listed} listed, ${republished} republished, ${deleted} deleted; left ${due} due, ${held} held, ${parked} parked, ${inDoubt} in doubt${came}`,
    ];
  },
  "window:failed": ({ code, drain, message }) => failed(code, `window of ${drain} failed: ${message}`),
  "record:unworkable": ({ code, drain, dlqId, message }) =>
    said("error", `${dlqId} of ${drain} breaks its page (${code}): ${message}`),
  "record:settled": ({ count }) => ["debug", () => `settled ${count}`],
  "newest:limited": ({ drain, letters }) => [
    "warn",
    () => `${letters} dead letters of ${drain} are not compared with newer ones: there are too many values`,
  ],
  "record:passed-over": ({ source, date }) =>
    failed(
      "answer-too-large",
      `a record of ${source} from ${new Date(date).toISOString()} (${date}) is larger than service.maxAnswerBytes (REDRIVER_SERVICE_MAX_ANSWER_BYTES) and is passed over, with what is listed behind it in that millisecond`,
    ),
  "outcome:unknown": ({ why }) => ["warn", () => `outcome unknown: ${why}`],
  "double:declared": ({ why }) => ["warn", () => `may be published twice: ${why}`],
  "double:found": ({ first, second }) => ["error", () => `published twice: as ${first} and as ${second}`],
  "delete:short": ({ deleted, asked }) => ["warn", () => `deleted ${deleted} of ${asked}`],
  "source:halted": ({ source, callClass, code, message }) =>
    failed(code, `source ${source} halted${callClass === "batch" ? " for publishing" : ""}: ${message}`),
  "source:resumed": ({ source }) => ["info", () => `source ${source} resumed`],
  "source:waiting": ({ source, callClass, until, why }) =>
    said("info", `source ${source}: no ${callClass} calls until ${new Date(until).toISOString()}: ${why}`),
  "source:token-read": ({ changed }) =>
    changed ? ["info", () => "token read, changed"] : ["debug", () => "token read, unchanged"],
  "source:secret-refused": ({ source, problem }) =>
    said("error", `a secret of source ${source} is refused, the one from before stays: ${problem}`),
  "source:dates-learned": ({ source, meaning }) => said("info", `dates of source ${source} mean ${meaning}`),
  "source:calls": ({ source }) => ["debug", () => `calls of source ${source} in flight`],
  "service:answered": ({ operation, outcome }) => [requestLevels[outcome], () => `${operation}: ${outcome}`],
  "ledger:lost-writes": () => failed("ledger-lost-writes", errorTable["ledger-lost-writes"].meaning),
  "sweep:finished": ({ settled, reconciled, left }) => [
    settled + reconciled > 0 ? "info" : "debug",
    () => `sweep: ${settled} settled, ${reconciled} reconciled, ${left} left`,
  ],
  "sweep:failed": ({ code, source, message }) => failed(code, `sweep of ${source} failed: ${message}`),
  "archive:copied": ({ count, drain, source }) =>
    said("warn", `${count} near expiry of ${drain ?? "no drain"} on ${source} copied to the archive`),
  "console:failed": ({ message }) => ["warn", () => message],
  "console:tokens-rejected": ({ file, why }) =>
    said("error", `file of tokens rejected, the tokens from before stay: ${file}: ${why}`),
  "console:page-failed": ({ code, place, message }) => failed(code, `console, ${place}: ${message}`),
  "archive:failed": ({ message }) => ["error", () => `archive: ${message}`],
  "archive:volume-seen": ({ verdict, complaint }) =>
    said(volumeLevels[verdict], complaint || "the archive is on a volume that lasts, or need not"),
  "census:taken": ({ source, depth, unselected, expiringUnarchived }) =>
    said(
      expiringUnarchived > 0 ? "warn" : "info",
      `census of ${source}: ${depth} in the queue, ${unselected} of no drain, ${expiringUnarchived} near expiry without a copy`,
    ),
  "census:failed": ({ code, source, message }) => failed(code, `census of ${source} failed: ${message}`),
  "document:adopted": ({ hash, before, warnings }) => {
    const after = before === null ? "" : `, before it ${before}`;
    const adoption =
      before === hash
        ? `drains document means the same as before, ${hash}`
        : `drains document ${hash} in force${after}`;
    return [warnings.length > 0 ? "warn" : "info", () => [adoption, ...warnings].join("\n")];
  },
  "document:rejected": ({ hash, problems }) =>
    said("error", [`drains document rejected, ${hash} stays in force`, ...problems].join("\n")),
  "guard:closed": (event) => ["warn", () => toGuardText(event, "closed")],
  "guard:opened": (event) => ["info", () => toGuardText(event, "open")],
  "lane:moved": ({ drain, origin, from, to, size, why }) => {
    const next = to === "halted" || to === "open" ? to : `${to}, next ${size}`;
    const resumed = from === "halted" && to !== "halted" ? "resumed, " : "";
    return [
      to === "halted" && from !== "halted" ? "warn" : "info",
      () => `lane ${origin} of ${drain}: ${resumed}${next}: ${why}`,
    ];
  },
  "deliveries:asked": ({ source, outcome, why }) => [
    outcome === "absent" ? "warn" : outcome === "unknown" ? "info" : "debug",
    () =>
      outcome === "absent"
        ? `${source}: watchDeliveries is off, the service has no /v2/globalParallelism: silence judges canaries`
        : `${source}: deliveries under way: ${why ?? "not known"}`,
  ],
  "brake:switched-off": ({ source }) =>
    said("warn", `${source}: brake is off, the service has no /v2/flowControl: only new publishes are held`),
  "service-retry:switched-off": ({ source, why }) =>
    said("warn", `${source}: serviceRetry is off, the service has no /v2/dlq/retry: ${why}`),
  "callback:received": ({ source, outcome, why, isNews }) => [
    isNews && warningCallbacks.has(outcome) ? "warn" : "debug",
    () => `callback of ${source}: ${outcome}${why === null ? "" : `: ${why}`}`,
  ],
  "statistics:read": ({ index }) => ["debug", () => `statistics of ${index} read`],
  "statistics:failed": ({ code, index, message }) => failed(code, `statistics of ${index}: ${message}`),
  "notice:delivered": ({ target, notices }) => said("info", `notify.${target} was told: ${namesOf(notices)}`),
  "notice:dropped": ({ target, notices, why }) =>
    said("warn", `notify.${target} was not told: ${namesOf(notices)}: ${why}`),
  "job:failed": ({ code, kind, givenUp, message }) =>
    failed(code, `${kind} job ${givenUp ? "given up" : "failed"}: ${message}`),
  "redis:lost": ({ message }) => failed("redis-unavailable", `Redis lost: ${message}`),
  "redis:ready": () => ["info", () => "Redis ready"],
  "redis:unfit": ({ problems }) =>
    said("warn", `Redis is not fit, and nothing new is begun: ${problems.join("; ")}`),
  "redis:fit": () => ["info", () => "Redis is fit again"],
  "log:dropped": ({ lines: count }) =>
    said("warn", `${count} lines of the log were dropped: nobody read it fast enough`),
  "process:warned": ({ name, message }) => ["warn", () => `${name}: ${message}`],
  "daemon:started": ({ version }) => ["info", () => `redriver ${version} started`],
  "daemon:reloading": ({ why }) => ["info", () => `${why}: reads the document and secrets again`],
  "daemon:stopping": ({ why }) => ["info", () => `stopping: ${why}`],
  "daemon:stopped": ({ clean }) =>
    clean ? ["info", () => "stopped"] : ["warn", () => "stopped with work unfinished"],
};

function namesOf(notices: EventOf<"notice:delivered">["notices"]): string {
  return notices.map(({ event }) => event).join(", ");
}

function toGuardText(event: EventOf<"guard:closed" | "guard:opened">, state: "closed" | "open"): string {
  const { drain, index, field, value } = event;
  const reading = value === null ? `no fresh reading of ${field}` : `${field} is ${value}`;
  return `guard of ${drain} ${state}: index ${index}: ${reading}`;
}
