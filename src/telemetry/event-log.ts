import type { CallbackOutcome } from "../ports/callbacks.ts";
import { errorTable, type ErrorCode } from "../ports/errors.ts";
import type { Events, RedriverEvent, RequestOutcome } from "../ports/events.ts";
import type { Logger, LineLevel } from "./logger.ts";

interface Line {
  readonly level: LineLevel;
  readonly message: string;
  /** What stands in the line besides `event` and the message; the event's own fields by default. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Writes one line per event. Levels of failures are the error table's. */
export function createEventLog(logger: Logger): Events {
  let isRedisFit = true;
  return {
    emit(event) {
      if (event.type === "redis:unfit" || event.type === "redis:fit") isRedisFit = event.type === "redis:fit";
      const { level, message, fields } = toLine(event);
      const { type, ...own } = event;
      const isTold = !isRedisFit && saysOnlyUnfit(event);
      logger[isTold ? "debug" : level]({ event: type, ...(fields ?? own) }, message);
    },
  };
}

/** Each job fails so while Redis is unfit, every few seconds; `redis:unfit` has told it, with what to do. */
function saysOnlyUnfit(event: RedriverEvent): boolean {
  return (
    event.type === "job:failed" && (event.code === "redis-unavailable" || event.code === "redis-unsuitable")
  );
}

function toAdoption({ hash, before }: Extract<RedriverEvent, { type: "document:adopted" }>): string {
  if (before === null) return `drains document ${hash} in force`;
  return before === hash
    ? `drains document means the same as before, ${hash}`
    : `drains document ${hash} in force, before it ${before}`;
}

function levelOf(code: ErrorCode | "unexpected"): LineLevel {
  return code === "unexpected" ? "error" : errorTable[code].level;
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

/** Of the first in a minute: anybody may call, and as often as they like. */
const callbackLevels: Readonly<Record<CallbackOutcome, LineLevel>> = {
  delivered: "debug",
  failed: "debug",
  retrying: "debug",
  unknown: "debug",
  unverified: "warn",
  unreadable: "warn",
  "too-large": "warn",
  busy: "warn",
  chained: "debug",
  "chain-failed": "warn",
};

/** Each pass is one line, also one that did nothing: who waits for a drain's next look waits for it. */
function toPassLevel({ outcome, counts }: Extract<RedriverEvent, { type: "pass:closed" }>): LineLevel {
  // What came back is told here once for all of them: their receiver is not well yet.
  return outcome !== "complete" || counts.comeBacks > 0 ? "warn" : "info";
}

function toPassText({ drain, outcome, counts }: Extract<RedriverEvent, { type: "pass:closed" }>): string {
  const { listed, republished, deleted, due, held, parked, inDoubt, comeBacks } = counts;
  const came = comeBacks === 0 ? "" : `, ${comeBacks} came back`;
  return `pass of ${drain} closed: ${outcome}, ${listed} listed, ${republished} republished, ${deleted} deleted; left ${due} due, ${held} held, ${parked} parked, ${inDoubt} in doubt${came}`;
}

/**
 * What is told per record is at debug, because a queue may hold a hundred thousand of them: the pass and the sweep sum it up at info,
 * and the audit's lines name every id that was acted on. A record that needs somebody is told above that.
 */
function toLine(event: RedriverEvent): Line {
  switch (event.type) {
    case "pass:opened":
      return { level: "debug", message: `${event.kind} pass of ${event.drain} opened` };
    case "pass:closed":
      return { level: toPassLevel(event), message: toPassText(event) };
    case "window:failed":
      return { level: levelOf(event.code), message: `window of ${event.drain} failed: ${event.message}` };
    case "record:decided": {
      const { drain, source, dlqId, mode, decision, explanation } = event;
      const { then, reason, rule } = decision;
      // Not the decision's changes: a rule may set headers, and their values are nobody's but the receiver's.
      return {
        level: "debug",
        message: explanation,
        fields: { drain, source, dlqId, mode, decision: then, reason, rule },
      };
    }
    case "record:published":
      return { level: "debug", message: `republished, attempt ${event.attempt}` };
    case "record:come-back":
      return { level: "debug", message: `came back after attempt ${event.attempt}` };
    case "record:settled":
      return { level: "debug", message: `settled ${event.count}` };
    case "record:passed-over": {
      const at = `${new Date(event.date).toISOString()} (${event.date})`;
      return {
        level: levelOf("answer-too-large"),
        message: `a record of ${event.source} from ${at} is larger than service.maxAnswerBytes (REDRIVER_SERVICE_MAX_ANSWER_BYTES) and is passed over, with what is listed behind it in that millisecond`,
      };
    }
    case "outcome:unknown":
      return { level: "warn", message: `outcome unknown: ${event.why}` };
    case "double:declared":
      return { level: "warn", message: `may be published twice: ${event.why}` };
    case "double:found":
      return { level: "error", message: `published twice: as ${event.first} and as ${event.second}` };
    case "delete:short":
      return { level: "warn", message: `deleted ${event.deleted} of ${event.asked}` };
    case "source:halted":
      return {
        level: levelOf(event.code),
        message: `source ${event.source} halted${event.callClass === "batch" ? " for publishing" : ""}: ${event.message}`,
      };
    case "source:resumed":
      return { level: "info", message: `source ${event.source} resumed` };
    case "source:waiting":
      return {
        level: "info",
        message: `source ${event.source}: no ${event.callClass} calls until ${new Date(event.until).toISOString()}: ${event.why}`,
      };
    case "source:token-read":
      return {
        level: event.changed ? "info" : "debug",
        message: event.changed ? "token read, changed" : "token read, unchanged",
      };
    case "source:dates-learned":
      return { level: "info", message: `dates of source ${event.source} mean ${event.meaning}` };
    case "service:answered":
      return { level: requestLevels[event.outcome], message: `${event.operation}: ${event.outcome}` };
    case "ledger:lost-writes":
      return { level: levelOf("ledger-lost-writes"), message: errorTable["ledger-lost-writes"].meaning };
    case "sweep:finished":
      return {
        level: event.settled + event.reconciled > 0 ? "info" : "debug",
        message: `sweep: ${event.settled} settled, ${event.reconciled} reconciled, ${event.left} left`,
      };
    case "sweep:failed":
      return { level: levelOf(event.code), message: `sweep of ${event.source} failed: ${event.message}` };
    case "archive:copied":
      return {
        level: "warn",
        message: `${event.count} near expiry of ${event.drain ?? "no drain"} on ${event.source} copied to the archive`,
      };
    case "archive:failed":
      return { level: "error", message: `archive: ${event.message}` };
    case "archive:volume-seen":
      return {
        level: event.verdict === "fit" ? "debug" : event.verdict === "doubtful" ? "warn" : "error",
        message:
          event.complaint === "" ? "the archive is on a volume that lasts, or need not" : event.complaint,
      };
    case "census:taken":
      return {
        level: event.expiringUnarchived > 0 ? "warn" : "info",
        message: `census of ${event.source}: ${event.depth} in the queue, ${event.unselected} of no drain, ${event.expiringUnarchived} near expiry without a copy`,
      };
    case "census:failed":
      return { level: levelOf(event.code), message: `census of ${event.source} failed: ${event.message}` };
    case "document:adopted":
      return {
        level: event.warnings.length > 0 ? "warn" : "info",
        message: [toAdoption(event), ...event.warnings].join("\n"),
      };
    case "document:rejected":
      return {
        level: "error",
        message: [`drains document rejected, ${event.hash} stays in force`, ...event.problems].join("\n"),
      };
    case "guard:closed":
    case "guard:opened": {
      const { type, drain, index, field, value } = event;
      const state = type === "guard:closed" ? "closed" : "open";
      const reading = value === null ? `no fresh reading of ${field}` : `${field} is ${value}`;
      return {
        level: type === "guard:closed" ? "warn" : "info",
        message: `guard of ${drain} ${state}: index ${index}: ${reading}`,
      };
    }
    case "lane:moved": {
      const { drain, origin, from, to, size, why } = event;
      const next = to === "halted" || to === "open" ? to : `${to}, next ${size}`;
      const resumed = from === "halted" && to !== "halted" ? "resumed, " : "";
      return {
        level: to === "halted" && from !== "halted" ? "warn" : "info",
        message: `lane ${origin} of ${drain}: ${resumed}${next}: ${why}`,
      };
    }
    case "callback:received": {
      const { source, outcome, why, isNews } = event;
      const because = why === null ? "" : `: ${why}`;
      return {
        level: isNews ? callbackLevels[outcome] : "debug",
        message: `callback of ${source}: ${outcome}${because}`,
      };
    }
    case "statistics:read":
      return { level: "debug", message: `statistics of ${event.index} read` };
    case "statistics:failed":
      return { level: levelOf(event.code), message: `statistics of ${event.index}: ${event.message}` };
    case "job:failed":
      return {
        level: levelOf(event.code),
        message: `${event.kind} job ${event.givenUp ? "given up" : "failed"}: ${event.message}`,
      };
    case "redis:lost":
      return { level: levelOf("redis-unavailable"), message: `Redis lost: ${event.message}` };
    case "redis:ready":
      return { level: "info", message: "Redis ready" };
    case "redis:unfit":
      return {
        level: "warn",
        message: `Redis is not fit, and nothing new is begun: ${event.problems.join("; ")}`,
      };
    case "redis:fit":
      return { level: "info", message: "Redis is fit again" };
    case "process:warned":
      return { level: "warn", message: `${event.name}: ${event.message}` };
    case "daemon:started":
      return { level: "info", message: `redriver ${event.version} started` };
    case "daemon:stopping":
      return { level: "info", message: `stopping: ${event.why}` };
    case "daemon:stopped":
      return event.clean
        ? { level: "info", message: "stopped" }
        : { level: "warn", message: "stopped with work unfinished" };
    default:
      return event satisfies never;
  }
}
