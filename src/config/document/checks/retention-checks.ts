import { durationText } from "../../../rules/format-duration.ts";
import { parseDuration } from "../../../rules/patterns/parse-durations.ts";
import { toPathText, type Problem, type ValuePath } from "../../problem.ts";
import { builtIn } from "../describe/effective.ts";
import { asMap, type Raw, type Report } from "../schema/raw.ts";

export interface Misfit {
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

interface Said {
  readonly ms: number;
  /** Null: as it is built in. */
  readonly path: ValuePath | null;
}

/** A record leaves the queue when its retention is over, so a wait that is as long never ends. */
export function checkRetentions(document: Raw, report: Report): void {
  for (const { kind, path, problem } of findRetentionMisfits(document)) {
    if (kind === "refused") report(path, "value", problem);
  }
}

/** What a drain waits for that its source's retention has no room for; each is told once, where it is said. */
export function findRetentionMisfits(document: Raw): readonly Misfit[] {
  const misfits = new Map<string, Misfit>();
  const defaults = asMap(document["defaults"]);
  for (const [name, value] of Object.entries(asMap(document["drains"]))) {
    const drain = asMap(value);
    const retention = retentionOf(document, drain);
    if (retention === null) continue;
    const layers = [
      { keys: drain, path: ["drains", name] },
      { keys: defaults, path: ["defaults"] },
    ] as const;
    for (const misfit of misfitsOf(layers, retention)) {
      const key = JSON.stringify(misfit.path);
      if (!misfits.has(key)) misfits.set(key, misfit);
    }
  }
  return [...misfits.values()];
}

type Layers = readonly { readonly keys: Raw; readonly path: ValuePath }[];

function* misfitsOf(layers: Layers, retention: Retention): Generator<Misfit> {
  const minAge = saidOf(layers, ["minAge"]) ?? { ms: builtIn.minAgeMs, path: null };
  if (minAge.ms >= retention.ms) {
    yield toMisfit("refused", minAge, retention, "no record is ever published or dropped");
  }
  for (const wait of waitsOf(layers)) {
    if (wait.ms >= retention.ms) yield toMisfit("refused", wait, retention, "that redrive is never made");
  }
  const every = everyOf(layers);
  if (every !== null && every.ms >= retention.ms) {
    yield toMisfit("refused", every, retention, "records expire between two passes, unseen by the drain");
  }
  const full = saidOf(layers, ["schedule", "full"]);
  if (full !== null && full.ms >= retention.ms) {
    const then = "what passes between two full ones do not look at again expires before the next";
    yield toMisfit("warned", full, retention, then);
  }
  const within = saidOf(layers, ["beforeExpiry", "within"]);
  if (within !== null && within.ms >= retention.ms && !isNothing(layers)) {
    yield toMisfit("warned", within, retention, "every record is near its expiry as soon as it is seen");
  }
}

function toMisfit(kind: Misfit["kind"], said: Said, retention: Retention, then: string): Misfit {
  const found = durationText(said.ms);
  if (said.path === null) {
    const expected = `more than minAge as it is built in (${found})`;
    const own = durationText(retention.ms);
    const message = `expected ${expected}, got ${own}; else ${then}`;
    return { kind, path: retention.path, problem: { expected, found: own, message } };
  }
  const expected = `less than ${durationText(retention.ms)}, ${retention.where}`;
  return {
    kind,
    path: said.path,
    problem: { expected, found, message: `expected ${expected}, got ${found}; else ${then}` },
  };
}

/** Null where the drain's source is not known, or its retention has a problem of its own. */
function retentionOf(document: Raw, drain: Raw): Retention | null {
  const sources = asMap(document["sources"]);
  const [first, ...others] = Object.keys(sources);
  const name = drain["source"] ?? (others.length === 0 ? first : undefined);
  if (typeof name !== "string" || !Object.hasOwn(sources, name)) return null;
  const path = ["sources", name, "retention"];
  const said = asMap(sources[name])["retention"];
  const ms = said === undefined ? builtIn.sourceRetentionMs : toMs(said);
  if (ms === null || ms <= 0) return null;
  return { ms, path, where: `${toPathText(path)}${said === undefined ? " as it is built in" : ""}` };
}

/** The last word on a key; null where nobody speaks of it, or what is said has a problem of its own. */
function saidOf(layers: Layers, keys: readonly [string] | readonly [string, string]): Said | null {
  for (const layer of layers) {
    const [one, two] = keys;
    const value = two === undefined ? layer.keys[one] : asMap(layer.keys[one])[two];
    if (value === undefined) continue;
    const ms = toMs(value);
    return ms === null ? null : { ms, path: [...layer.path, ...keys] };
  }
  return null;
}

function waitsOf(layers: Layers): readonly Said[] {
  for (const { keys, path } of layers) {
    const wait = asMap(keys["attempts"])["wait"];
    if (wait === undefined) continue;
    const here = [...path, "attempts", "wait"];
    const listed: readonly unknown[] = Array.isArray(wait) ? wait : [wait];
    return listed.flatMap((value, index) => {
      const ms = toMs(value);
      return ms === null ? [] : [{ ms, path: Array.isArray(wait) ? [...here, index] : here }];
    });
  }
  return [];
}

/** A cron pattern in a layer above takes the interval's place. */
function everyOf(layers: Layers): Said | null {
  const own = asMap(layers[0]?.keys["schedule"]);
  return own["cron"] !== undefined && own["every"] === undefined
    ? null
    : saidOf(layers, ["schedule", "every"]);
}

function isNothing(layers: Layers): boolean {
  const then = layers.map(({ keys }) => asMap(keys["beforeExpiry"])["then"]);
  return then.find((said) => said !== undefined) === "nothing";
}

function toMs(value: unknown): number | null {
  const parsed = parseDuration(value);
  return parsed.ok ? parsed.value : null;
}
