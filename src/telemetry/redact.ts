import { parseJson } from "../job/message/json-value.ts";

/** Shorter secrets stay: they would be found in ordinary words. */
const minSecretLength = 6;
const replacement = "[redacted]";

/**
 * Redacts by value, in any place: as it is, as JSON escapes it, percent-encoded, and in base64 and base64url at any
 * of the three alignments, so also inside a Basic header. `secrets` is called for every line: tokens change.
 */
export function createRedact(secrets: () => readonly string[]): (line: string) => string {
  let known: readonly string[] = [];
  let pattern: RegExp | null = null;

  return (line) => {
    const current = secrets();
    if (current.length !== known.length || current.some((secret, i) => secret !== known[i])) {
      known = [...current];
      pattern = toPattern(known);
    }
    if (pattern === null || line.search(pattern) < 0) return line;
    return redactJson(line, pattern) ?? line.replace(pattern, replacement);
  };
}

/** Value by value, so that the line stays JSON also if a secret of digits is inside a number. */
function redactJson(line: string, pattern: RegExp): string | null {
  const value = parseJson(line);
  if (value === undefined) return null;
  const redacted = JSON.stringify(redactValue(value, pattern));
  const end = line.endsWith("\n") ? "\n" : "";
  return redacted.search(pattern) < 0 ? redacted + end : JSON.stringify({ msg: replacement }) + end;
}

function redactValue(value: unknown, pattern: RegExp): unknown {
  if (typeof value === "string") return value.replace(pattern, replacement);
  if (typeof value === "number") return String(value).search(pattern) < 0 ? value : replacement;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, pattern));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.replace(pattern, replacement),
      redactValue(item, pattern),
    ]),
  );
}

function toPattern(secrets: readonly string[]): RegExp | null {
  const forms = new Set(
    secrets
      .flatMap((secret) => [secret, secret.trim()])
      .filter((secret) => secret.length >= minSecretLength)
      .flatMap(toForms),
  );
  if (forms.size === 0) return null;
  // Longest first: one secret may be the beginning of another.
  const alternatives = [...forms].toSorted((a, b) => b.length - a.length).map(escapeForPattern);
  return new RegExp(alternatives.join("|"), "g");
}

function toForms(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  const inJson = escapeForJson(secret);
  return [
    secret,
    inJson,
    // A body or an answer in a field: JSON inside the line's JSON.
    escapeForJson(inJson),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    percent.replaceAll("%20", "+"),
    ...toBase64Forms(secret),
  ];
}

/**
 * A byte at offset k of a text shares its base64 characters with its neighbours. With k bytes before it (k = 0, 1,
 * 2) the first ceil(8k / 6) characters and the last incomplete one depend on them.
 */
function toBase64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const bits = (before + bytes.length) * 8;
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function escapeForJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
