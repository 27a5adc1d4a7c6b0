import type { ErrorCode } from "../ports/errors.ts";
import type { RequestOutcome } from "../ports/events.ts";
import type { BatchOutcome } from "../ports/service.ts";

export function outcomeOfBatch(outcome: BatchOutcome): RequestOutcome {
  switch (outcome.kind) {
    case "answered":
      return "ok";
    case "refused":
      return "refused";
    case "unknown":
      return "unknown";
    case "misconfigured":
      return outcome.status === 401 || outcome.status === 403 ? "unauthorised" : "misconfigured";
    case "not-sent":
      return outcome.why === "rate-limited" || outcome.why === "stopped" ? outcome.why : "not-sent";
  }
}

const outcomes: Partial<Record<ErrorCode, RequestOutcome>> = {
  "service-unavailable": "unavailable",
  "service-timeout": "timeout",
  "rate-limited": "rate-limited",
  unauthorised: "unauthorised",
  "source-misconfigured": "misconfigured",
  "answer-unreadable": "unreadable",
  "answer-too-large": "unreadable",
  "request-refused": "refused",
  stopped: "stopped",
};

export function outcomeOfError(code: ErrorCode): RequestOutcome {
  return outcomes[code] ?? "unavailable";
}
