/**
 * `X-Redriver: v1.<payload>.<tag>` travels with a redriven message and comes back when it dies again.
 *
 *   payload = base64url of JSON {
 *             a attempt, r root id, c root createdAt, m root maxRetries, d root destination,
 *             p parent dlqId, b SHA-256 of the body sent,
 *             s step "<lane>.<number>", k 1: sent as a canary, h 1: that was the probe of a halted lane,
 *             g 1: a canary of this root was forgiven,
 *             f status that the parent had failed with, 0: no answer,
 *             w flow control of the root, if it is sent with another: [key, parallelism, rate, period in ms],
 *             0: it had none }
 *   tag     = base64url of HMAC-SHA256(key, "v1." + payload), so it covers the body through its hash
 *
 * The body's hash is inside the payload because a reader must distinguish a header of ours over another body
 * (`inherited`) from a forged one (`untrusted`).
 *
 * s, k, h, g, f and w may be absent: an older version neither writes nor reads them. A value of a wrong form
 * counts as absent and spoils nothing else. A canary is k 1 for every version, so all versions judge steps
 * alike. A version without h and g forgives each canary, so beside it one more may be forgiven.
 */
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { comeBackKindOf } from "./come-back-kind.ts";
import type { DeadLetter, DlqId, MessageId } from "./dead-letter.ts";
import { withoutCredentials } from "./destination-url.ts";
import { hmacSha256 } from "./hmac.ts";
import { lineageHeaderName, valuesOf } from "./headers.ts";
import type { FlowControl } from "./item-changes.ts";
import { toJsonText } from "./json-text.ts";
import { isCount, isObject, parseJson } from "./json-value.ts";

export interface Lineage {
  /** Redrives with this one. Forgiven canaries, and probes that came back `down`, do not count. */
  readonly attempt: number;
  readonly rootId: MessageId;
  readonly rootCreatedAt: number;
  readonly rootMaxRetries: number | null;
  readonly rootDestination: string;
  readonly parentDlqId: DlqId;
  readonly step: LineageStep | null;
  /** A canary of this root that was no probe came back `down` and spent no attempt. That happens once. */
  readonly isForgiven: boolean;
  /** HTTP status of its parent's failure; 0: no answer; null: the header has none. */
  readonly statusBefore: number | null;
  /** The root's, null: it had none. Absent: the message is sent with its root's, and its record lists it. */
  readonly rootFlowControl?: FlowControl | null;
}

/** The step that a message was published in, so that its come-back names it (docs/lanes.md). */
export interface LineageStep {
  /** Short hash of drain and origin. */
  readonly lane: string;
  /** Counts up from the second (Unix time) in which the lane was first asked. */
  readonly step: number;
  /** Sent without retries and delay, so that it comes back within its watch if at all. */
  readonly isCanary: boolean;
  readonly isProbe: boolean;
}

/** No step has a longer name, so none makes an item larger. */
export const maxStep = { lane: "x".repeat(64), step: 999_999_999_999_999 } as const;

/**
 * `come-back`: tag and body are ours, so its parent was published. `inherited`: our tag over another body; a
 * receiver passed the header on. `untrusted`: a wrong tag; its attempt count may only make us more careful.
 */
export type LineageReading =
  | { readonly kind: "none" }
  | { readonly kind: "come-back"; readonly lineage: Lineage }
  | { readonly kind: "inherited" }
  | { readonly kind: "untrusted"; readonly attempt: number };

export type LineageKey = string;

/** Limit of free redrives: a message that fails as in an outage would otherwise go as a probe for ever. */
const maxFreeMs = 7 * 86_400_000;

/** Far above any attempts.max, so that it counts as exhausted, and small enough to be added to. */
const maxUntrustedAttempt = 1_000;
/** 64 KiB: a header of ours is a URL and 300 bytes more. A longer one is not read. */
const maxHeaderLength = 65_536;

/** The default signing key of a source, derived from its token; the token itself never signs. */
export function toLineageKey(secret: string, sourceId: string): string {
  const text = `redriver lineage key v1 ${sourceId}`;
  return createHmac("sha256", secret).update(text).digest("base64url");
}

/** The header's value. `bodyHash` is `hashBody` of the body that is sent with it. */
export function signLineage(lineage: Lineage, bodyHash: string, key: LineageKey): string {
  const payload = toPayload(lineage, bodyHash);
  const most = payload.length * maxBytesPerUnit;
  const bytes = most > kept.length ? Buffer.allocUnsafe(most) : kept;
  const signed = `v1.${bytes.toString("base64url", 0, bytes.write(payload))}`;
  return `${signed}.${hmacSha256(key, signed)}`;
}

/** As long as the header's value, unsigned. */
export function fillerOf(lineage: Lineage, bodyHash: string): string {
  const bytes = Buffer.byteLength(toPayload(lineage, bodyHash));
  return "x".repeat(3 + Math.ceil((bytes * 4) / 3) + 1 + tagLength);
}

/** Of a header that never was on its way, so unchecked. Null: another version has written it. */
export function lineageIn(header: string): Lineage | null {
  return toSigned(header.split(".")[1] ?? "")?.lineage ?? null;
}

function toPayload(lineage: Lineage, bodyHash: string): string {
  const { attempt, rootCreatedAt, rootMaxRetries, step, statusBefore, rootFlowControl } = lineage;
  let payload = `{"a":${attempt},"r":${toJsonText(lineage.rootId)},"c":${rootCreatedAt},"m":${rootMaxRetries}`;
  payload += `,"d":${toJsonText(lineage.rootDestination)},"p":${toJsonText(lineage.parentDlqId)}`;
  // A hash has no character that JSON escapes.
  payload += `,"b":"${bodyHash}"`;
  if (step !== null) {
    payload += `,"s":${toJsonText(`${step.lane}.${step.step}`)}`;
    if (step.isCanary) payload += step.isProbe ? ',"k":1,"h":1' : ',"k":1';
  }
  if (lineage.isForgiven) payload += ',"g":1';
  if (statusBefore !== null) payload += `,"f":${statusBefore}`;
  if (rootFlowControl !== undefined) payload += `,"w":${JSON.stringify(writeFlowControl(rootFlowControl))}`;
  return `${payload}}`;
}

/** A payload has some 300 characters, so its bytes need no buffer of their own. */
const kept = Buffer.alloc(4_096);
const maxBytesPerUnit = 3;

/** Under any of the keys. Copies must agree; an empty key signs nothing. Never throws. */
export function readLineage(
  letter: Pick<DeadLetter, "header" | "body" | "bodyBase64">,
  keys: readonly LineageKey[],
): LineageReading {
  const listed = valuesOf(letter.header, lineageHeaderName);
  if (listed.length === 0) return { kind: "none" };
  // A relay may have joined copies with commas, which do not occur in a header of ours.
  const copies = [
    ...new Set(
      listed.flatMap((value) => value.slice(0, maxHeaderLength).split(",")).map((text) => text.trim()),
    ),
  ];
  const [only] = copies;
  if (copies.length === 1 && only !== undefined && listed.every((value) => value.length <= maxHeaderLength)) {
    const parts = /^v1\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(only);
    if (
      parts !== null &&
      keys.some((key) => key.length > 0 && isEqual(parts[2]!, hmacSha256(key, `v1.${parts[1]!}`)))
    ) {
      const signed = toSigned(parts[1]!);
      if (signed !== null) {
        return signed.bodyHash === hashBody(letter.body) && letter.bodyBase64 === ""
          ? { kind: "come-back", lineage: signed.lineage }
          : { kind: "inherited" };
      }
    }
  }
  return {
    kind: "untrusted",
    attempt: copies.reduce((most, copy) => Math.max(most, claimedAttempt(copy)), 0),
  };
}

/** A come-back keeps its root. `attemptBefore`: redrives made, the larger of header and ledger. */
export function nextLineage(
  letter: DeadLetter,
  reading: LineageReading,
  attemptBefore: number,
  root: Root = rootOf(letter, reading),
): Lineage {
  const known = reading.kind === "come-back" ? reading.lineage : null;
  const isForgivenNow = known !== null && isFree(letter, known) && known.step?.isProbe === false;
  return {
    attempt: Math.max(attemptBefore, root.attempt) + 1,
    rootId: known === null ? letter.messageId : known.rootId,
    rootCreatedAt: known === null ? letter.createdAt : known.rootCreatedAt,
    rootMaxRetries: known === null ? (letter.maxRetries ?? null) : known.rootMaxRetries,
    // The header goes to whatever address a rule sets.
    rootDestination: known === null ? withoutCredentials(letter.url) : known.rootDestination,
    parentDlqId: letter.dlqId,
    step: null,
    isForgiven: known?.isForgiven === true || isForgivenNow,
    statusBefore: letter.responseStatus ?? 0,
  };
}

export interface Root {
  readonly rootCreatedAt: number;
  /** Redrives already made, as far as the header knows. A free one gives its number to the next. */
  readonly attempt: number;
  /** The minimum of redrives that this body has been through; 0 only if none is known. */
  readonly redrives: number;
  readonly maxRetries: number | null;
}

export function rootOf(letter: DeadLetter, reading: LineageReading): Root {
  if (reading.kind === "come-back") {
    const { rootCreatedAt, attempt: redrives, rootMaxRetries: maxRetries } = reading.lineage;
    const attempt = isFree(letter, reading.lineage) ? redrives - 1 : redrives;
    return { rootCreatedAt, attempt, redrives, maxRetries };
  }
  const attempt = reading.kind === "untrusted" ? reading.attempt : 0;
  return {
    rootCreatedAt: letter.createdAt,
    attempt,
    redrives: attempt,
    maxRetries: letter.maxRetries ?? null,
  };
}

/**
 * True if the redrive behind this come-back spent no attempt. A canary that failed again as `down` was sent
 * without its retries into an outage. A probe was sent in that knowledge. Any other canary may have met the
 * beginning of the outage, once. Repeated failures mean that the message is the cause.
 */
function isFree(
  { responseStatus, enteredAt }: DeadLetter,
  { step, isForgiven, rootCreatedAt }: Lineage,
): boolean {
  return (
    step?.isCanary === true &&
    (step.isProbe || !isForgiven) &&
    comeBackKindOf(responseStatus) === "down" &&
    Math.abs(enteredAt - rootCreatedAt) <= maxFreeMs
  );
}

export function hashBody(body: string): string {
  return hash("sha256", body, "base64url");
}

const tagLength = 43;

/** Compares the texts, not the decoded bytes: base64url spells the same bytes in more than one way. */
function isEqual(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

function toSigned(payload: string): { lineage: Lineage; bodyHash: string } | null {
  const { a, r, c, m, d, p, b, s, k, h, g, f, w } = toFields(payload);
  if (!isCount(a) || a < 1 || !isCount(c) || !(m === null || isCount(m))) return null;
  if (typeof r !== "string" || typeof d !== "string" || typeof p !== "string" || typeof b !== "string")
    return null;
  return {
    lineage: {
      attempt: a,
      rootId: r as MessageId,
      rootCreatedAt: c,
      rootMaxRetries: m,
      rootDestination: d,
      parentDlqId: p as DlqId,
      step: toStep(s, k, h),
      isForgiven: g === 1,
      statusBefore: isCount(f) ? f : null,
      ...readFlowControl(w),
    },
    bodyHash: b,
  };
}

function toStep(s: unknown, k: unknown, h: unknown): LineageStep | null {
  const [, lane, number] =
    (typeof s === "string" ? /^([A-Za-z0-9_-]{1,64})\.([1-9]\d{0,14})$/.exec(s) : null) ?? [];
  if (lane === undefined) return null;
  return { lane, step: Number(number), isCanary: k === 1, isProbe: k === 1 && h === 1 };
}

function writeFlowControl(flow: FlowControl | null): unknown {
  return flow === null ? 0 : [flow.key, flow.parallelism ?? null, flow.rate ?? null, flow.periodMs ?? null];
}

function readFlowControl(w: unknown): Pick<Lineage, "rootFlowControl"> {
  if (w === 0) return { rootFlowControl: null };
  if (!Array.isArray(w)) return {};
  const [key, parallelism, rate, periodMs] = w as readonly unknown[];
  if (
    typeof key !== "string" ||
    ![parallelism, rate, periodMs].every((one) => one === null || typeof one === "number")
  )
    return {};
  const bounds = Object.entries({ parallelism, rate, periodMs }).filter(([, value]) => value !== null);
  return { rootFlowControl: { key, ...Object.fromEntries(bounds) } };
}

function claimedAttempt(header: string): number {
  const { a } = toFields(header.split(".")[1] ?? "");
  return isCount(a) ? Math.min(a, maxUntrustedAttempt) : 0;
}

function toFields(payload: string): Readonly<Record<string, unknown>> {
  const value = parseJson(Buffer.from(payload, "base64url").toString());
  return isObject(value) ? value : {};
}

/** The key that signs, then those that verify, made for this source: no other's redrive is a come-back. */
export function createLineageKeys(
  token: { value(): string },
  fixed: { readonly key: string | undefined; readonly oldKeys: readonly string[] },
  sourceId: string,
): () => readonly [string, ...string[]] {
  const derived = new Map<string, string>();
  const toKey = (secret: string): string => {
    const key = derived.get(secret) ?? toLineageKey(secret, sourceId);
    derived.set(secret, key);
    return key;
  };
  const old = fixed.oldKeys.map(toKey);
  const toKeys = (secret: string): readonly [string, ...string[]] => {
    const key = toKey(secret);
    return [key, ...new Set([...derived.values(), ...old].filter((other) => other !== key))];
  };
  let last: { readonly ofToken: string; readonly keys: readonly [string, ...string[]] } | null = null;
  return () => {
    const ofToken = token.value();
    if (last?.ofToken !== ofToken) {
      // Keys of this process's tokens verify, so that messages under way survive a rotation, and the first fixed key.
      toKey(ofToken);
      last = { ofToken, keys: toKeys(fixed.key ?? ofToken) };
    }
    return last.keys;
  };
}
