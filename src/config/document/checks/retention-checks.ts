import { durationText } from "../../../job/rules/durations.ts";
import { toPathText, type ValuePath } from "../../problem.ts";
import { builtIn } from "../apply-defaults.ts";
import { duration } from "../schema/building-blocks.ts";
import {
  copiesNothing,
  layersOf,
  sourceNameOf,
  spanIn,
  writtenIn,
  type Layers,
  type WrittenSpan,
} from "./find-written-key.ts";
import { asMap, type Raw } from "./raw-document.ts";
import type { Report, Warn } from "./report-problem.ts";

interface Retention {
  readonly ms: number;
  readonly where: string;
  readonly path: ValuePath;
}

/**
 * A record leaves the queue when its retention is over, so a wait that is as long never ends. Some such waits do
 * something, if probably not what was meant: these are warnings. Each is reported once, where it is written.
 */
export function checkRetentions(document: Raw, report: Report, warn: Warn): void {
  const refuse: Warn = (path, message) => report(path, "value", message);
  const seen = new Set<string>();
  for (const [name, drain] of Object.entries(asMap(document["drains"]))) {
    const retention = retentionOf(document, asMap(drain));
    if (retention === null) continue;
    const layers = layersOf(document, name);
    const check = (say: Warn, spans: readonly (WrittenSpan | null)[], then: string): void => {
      for (const span of spans) {
        const key = JSON.stringify(span?.path ?? retention.path);
        if (span === null || span.ms < retention.ms || seen.has(key)) continue;
        seen.add(key);
        reportSpan(span, retention, then, say);
      }
    };
    check(
      refuse,
      [spanIn(layers, ["minAge"], builtIn.drain.minAge)],
      "no record is ever published or dropped",
    );
    check(refuse, waitsOf(layers), "that redrive is never made");
    check(refuse, [everyOf(layers)], "records expire between two passes, unseen by the drain");
    check(
      warn,
      [written(spanIn(layers, ["schedule", "full"], 0))],
      "what passes between two full ones do not look at again expires before the next",
    );
    check(
      warn,
      [copiesNothing(layers) ? null : written(spanIn(layers, ["beforeExpiry", "within"], 0))],
      "every record is near its expiry as soon as it is seen",
    );
  }
}

function reportSpan({ ms, path }: WrittenSpan, retention: Retention, then: string, say: Warn): void {
  const isBuiltIn = path === null;
  const expected = isBuiltIn
    ? `more than minAge as it is built in (${durationText(ms)})`
    : `less than ${durationText(retention.ms)}, ${retention.where}`;
  const found = durationText(isBuiltIn ? retention.ms : ms);
  say(path ?? retention.path, `expected ${expected}, got ${found}; else ${then}`);
}

function retentionOf(document: Raw, drain: Raw): Retention | null {
  const name = sourceNameOf(asMap(document["sources"]), drain);
  if (name === null) return null;
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
  const isList = Array.isArray(wait.value);
  return [wait.value].flat().flatMap((value: unknown, index) => {
    const { success, data } = duration.safeParse(value);
    return success ? [{ ms: data, path: isList ? [...wait.path, index] : wait.path }] : [];
  });
}

function everyOf(layers: Layers): WrittenSpan | null {
  const own = asMap(layers[0]?.keys["schedule"]);
  if (own["cron"] !== undefined && own["every"] === undefined) return null;
  return written(spanIn(layers, ["schedule", "every"], 0));
}
