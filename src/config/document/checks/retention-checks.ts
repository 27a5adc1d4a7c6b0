import { durationText } from "../../../rules/format-duration.ts";
import { parseDuration } from "../../../rules/patterns/parse-durations.ts";
import { toPathText, type Problem, type ValuePath } from "../../problem.ts";
import { builtIn } from "../effective.ts";
import { asMap, type Raw, type Report } from "../schema/raw.ts";
import { layersOf, spanIn, writtenIn, type Layers, type WrittenSpan } from "./layers.ts";

export interface RetentionConflict {
  /** `warned`: it does something, if probably not what was meant. */
  readonly kind: "refused" | "warned";
  readonly path: ValuePath;
  readonly problem: Pick<Problem, "expected" | "message"> & { readonly found: string };
}

interface Retention {
  readonly ms: number;
  /** For a person. */
  readonly where: string;
  readonly path: ValuePath;
}

/** A record leaves the queue when its retention is over, so a wait that is as long never ends. */
export function checkRetentions(document: Raw, report: Report): void {
  for (const { kind, path, problem } of findRetentionConflicts(document)) {
    if (kind === "refused") report(path, "value", problem.expected, problem);
  }
}

/**
 * Waits of a drain that are too long for its source's retention. Each is reported once, at the place where it
 * is written.
 */
export function findRetentionConflicts(document: Raw): readonly RetentionConflict[] {
  const conflicts = new Map<string, RetentionConflict>();
  for (const [name, drain] of Object.entries(asMap(document["drains"]))) {
    const retention = retentionOf(document, asMap(drain));
    if (retention === null) continue;
    for (const conflict of conflictsOf(layersOf(document, name), retention)) {
      const key = JSON.stringify(conflict.path);
      if (!conflicts.has(key)) conflicts.set(key, conflict);
    }
  }
  return [...conflicts.values()];
}

function conflictsOf(layers: Layers, retention: Retention): readonly RetentionConflict[] {
  const checks: readonly [RetentionConflict["kind"], readonly (WrittenSpan | null)[], then: string][] = [
    ["refused", [spanIn(layers, ["minAge"], builtIn.drain.minAge)], "no record is ever published or dropped"],
    ["refused", waitsOf(layers), "that redrive is never made"],
    ["refused", [everyOf(layers)], "records expire between two passes, unseen by the drain"],
    [
      "warned",
      [written(spanIn(layers, ["schedule", "full"], 0))],
      "what passes between two full ones do not look at again expires before the next",
    ],
    [
      "warned",
      [copiesNothing(layers) ? null : written(spanIn(layers, ["beforeExpiry", "within"], 0))],
      "every record is near its expiry as soon as it is seen",
    ],
  ];
  return checks.flatMap(([kind, spans, then]) =>
    spans
      .filter((span) => span !== null)
      .filter(({ ms }) => ms >= retention.ms)
      .map((span) => toConflict(kind, span, retention, then)),
  );
}

function toConflict(
  kind: RetentionConflict["kind"],
  span: WrittenSpan,
  retention: Retention,
  then: string,
): RetentionConflict {
  const found = durationText(span.ms);
  if (span.path === null) {
    const expected = `more than minAge as it is built in (${found})`;
    const own = durationText(retention.ms);
    const message = `expected ${expected}, got ${own}; else ${then}`;
    return { kind, path: retention.path, problem: { expected, found: own, message } };
  }
  const expected = `less than ${durationText(retention.ms)}, ${retention.where}`;
  const message = `expected ${expected}, got ${found}; else ${then}`;
  return { kind, path: span.path, problem: { expected, found, message } };
}

/** Null if the drain's source is not known, or its retention has a problem of its own. */
function retentionOf(document: Raw, drain: Raw): Retention | null {
  const sources = asMap(document["sources"]);
  const [first, ...others] = Object.keys(sources);
  const name = drain["source"] ?? (others.length === 0 ? first : undefined);
  if (typeof name !== "string" || !Object.hasOwn(sources, name)) return null;
  const path = ["sources", name, "retention"];
  const span = spanIn([{ keys: document, path: [] }], path, builtIn.source.retention);
  if (span === null || span.ms <= 0) return null;
  return { ms: span.ms, path, where: `${toPathText(path)}${span.path === null ? " as it is built in" : ""}` };
}

/** Only what somebody wrote: what is built in is shorter than any retention, or meant for a short one. */
function written(span: WrittenSpan | null): WrittenSpan | null {
  return span?.path === null ? null : span;
}

function waitsOf(layers: Layers): readonly WrittenSpan[] {
  const wait = writtenIn(layers, ["attempts", "wait"]);
  if (wait === null) return [];
  const listed: readonly unknown[] = Array.isArray(wait.value) ? wait.value : [wait.value];
  return listed.flatMap((value, index) => {
    const parsed = parseDuration(value);
    const path = Array.isArray(wait.value) ? [...wait.path, index] : wait.path;
    return parsed.ok ? [{ ms: parsed.value, path }] : [];
  });
}

/** A cron pattern in a layer above takes the interval's place. */
function everyOf(layers: Layers): WrittenSpan | null {
  const own = asMap(layers[0]?.keys["schedule"]);
  if (own["cron"] !== undefined && own["every"] === undefined) return null;
  return written(spanIn(layers, ["schedule", "every"], 0));
}

export function copiesNothing(layers: Layers): boolean {
  return writtenIn(layers, ["beforeExpiry", "then"])?.value === "nothing";
}
