import type { DrainConfig } from "../../../job/contracts/drains-document.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import type { ParkedReason } from "./count.ts";

/** What comes before a release; for `settings`, `form` and `service` instead of one. */
const advice = {
  rules: "change the rules of the drain, or send them once:",
  settings: "allow it (publish.*), or change the destination by a rule; a release does not help",
  receiver: "if the cause is gone, send them once more:",
  doubt: "ask the receiver whether the messages came; if not, send them again:",
  loss: "if the loss may be, send them with it:",
  fault:
    "redriver cannot work them: report the error's code (redriver history), and release them after an update:",
  form: "nobody can read them: a newer build may, or delete them by hand; a release does not help",
  service:
    "no batch can carry them: add a rule `via: service` (serviceRetry of the source); until then a release does not help",
  copy: "they are copies to a test target, which failed there: discard them; a release does not help",
  workflow: "they are steps of workflow runs: start the run again, or discard them; a release does not help",
  message: "they cannot be sent as they are: change them by a rule (set), then release them:",
} as const;

type Step = keyof typeof advice;

const steps: Readonly<Record<ParkReason, Step>> = {
  rule: "rules",
  otherwise: "rules",
  "no-dlq-id": "form",
  "malformed-record": "form",
  unworkable: "fault",
  "binary-body": "service",
  redacted: "service",
  "bad-destination": "message",
  "destination-not-allowed": "settings",
  "over-limit": "settings",
  "unjoinable-header": "message",
  "callback-sealed": "message",
  workflow: "workflow",
  "test-copy": "copy",
  "body-length-differs": "message",
  "non-retryable": "receiver",
  "attempts-exhausted": "receiver",
  refused: "receiver",
  "too-large": "receiver",
  "outcome-unknown": "doubt",
  vanished: "doubt",
  "ledger-lost": "doubt",
  "body-numbers": "loss",
  "body-duplicate-keys": "loss",
  "body-not-editable": "message",
  "signed-body": "loss",
  "patch-not-idempotent": "loss",
  "encoded-body": "loss",
};

/** A release alone would only have these parked again, for the same reason: what to do first. */
const instead: Partial<Record<Step, string>> = {
  settings: "allow it (publish.*), or change the destination by a rule",
  form: "use a build that can read them, or delete them by hand",
  service: "add a rule `via: service` first (serviceRetry of the source)",
  copy: "discard them: they are copies to a test target",
  workflow: "start their workflow runs again, or discard them",
};

/** True if something about the record or the settings parked it, so that a release alone may not help. */
export function isOfRecord(reason: ParkReason, mayUseService = false): boolean {
  const step = steps[reason];
  return step === "message" || (step in instead && !(step === "service" && mayUseService));
}

export function isByRule(reason: ParkReason): boolean {
  return steps[reason] === "rules";
}

export function insteadOfRelease(reason: ParkReason): string {
  if (reason === "bad-destination") {
    return "change the destination by a rule (set), or see urlCredentials of the source";
  }
  return instead[steps[reason]] ?? "change them by a rule (set) first, if that can be";
}

export function hasServiceRule(config: Pick<DrainConfig, "rules"> | undefined): boolean {
  return config?.rules.some(({ via }) => via === "service") ?? false;
}

/** What a person does next about all that a drain with these rules parked for one reason. */
export function nextStepOf(
  { drain, reason, hasDrain }: Pick<ParkedReason, "drain" | "reason" | "hasDrain">,
  mayUseService: boolean,
): {
  readonly advice: string;
  /** As a shell takes it, but for the reason; null if no release helps. */
  readonly command: string | null;
} {
  const step = steps[reason];
  if (step in instead && !(step === "service" && mayUseService))
    return { advice: advice[step], command: null };
  const command = `redriver parked release --drain ${drain} --for ${reason} --reason "..."`;
  if (step === "service") return { advice: "a rule `via: service` may send them; release them:", command };
  return {
    advice: step === "rules" && !hasDrain ? "no rules decide them again; send them once:" : advice[step],
    command,
  };
}
