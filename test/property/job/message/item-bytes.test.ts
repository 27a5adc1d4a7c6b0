/**
 * The bytes of items are a promise: two builds that post one dead letter under one deduplication id send the same
 * message. 10,000 made letters go from the bytes of a listing to the bytes of their items, plain and as canaries.
 * A digest of each page was recorded once. A change that is meant to change items records them anew, with
 * `ITEM_BYTES=record`.
 *
 * The letters come from a generator of their own: another version of a library would make other letters.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { DrainConfig } from "../../../../src/job/contracts/drains-document.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import type { LedgerLimits } from "../../../../src/job/contracts/ledger-limits.ts";
import { decodeItem } from "../../../../src/job/message/encode-item.ts";
import { createItemCheck } from "../../../../src/job/message/item-policy.ts";
import { withOwnCallback } from "../../../../src/job/message/proof-callback-url.ts";
import { decideLetter } from "../../../../src/job/page/decide-letter.ts";
import { parsePage } from "../../../../src/job/page/parse-page.ts";
import { see } from "../../../../src/job/page/look-up.ts";
import { encodedOf } from "../../../../src/job/page/publish.ts";
import { sendAsCanary } from "../../../../src/job/page/publish/canary-variant.ts";
import { parseListPage } from "../../../../src/job/service/list-and-delete-answers.ts";
import { builtInPolicy } from "../../../support/item-checks.ts";
import { drainOf, withDrain } from "../../../support/loaded-document.ts";
import { textOfEncoded } from "../../../support/text-of-encoded.ts";

const pages = 100;
const perPage = 100;
const recorded = new URL("item-bytes.digests.json", import.meta.url);

const enteredAt = 1_760_000_000_000;
const now = enteredAt + 3_600_000;
const keys = ["the key of today", "the key of yesterday"];
const sendAs = { step: { lane: "3f1c2d8e1a", step: 1_760_000_000 }, isProbe: false, timeoutMs: 45_000 };

const drains = [
  drainWith("rules: [{ when: { not: { responseStatus: 404 } }, then: republish }]"),
  drainWith("rules: [{ when: any, then: republish }]", "onLoss: republish", "lane: none"),
  drainWith(
    "onLoss: republish",
    "rules:",
    "  - { when: { responseStatus: 404 }, then: republish, set: { body: { merge: { fixed: true, order: null } } } }",
    '  - { when: { body: { exists: true } }, then: republish, set: { body: { patch: [{ op: add, path: /n, value: "ü\\u2028" }] } } }',
    "  - { when: any, then: republish }",
  ),
  drainWith(
    "onLoss: republish",
    "flowControl: { key: redriven, parallelism: 5, rate: 20 }",
    'rules: [{ when: any, then: republish, set: { delay: { spread: 10m }, headers: { X-New: "a \\"b\\" ü", Cookie: null, Digest: null }, labels: [one, two] } }]',
  ),
  drainWith(
    "rules: [{ when: any, then: republish, set: { queue: fixed-q, method: PUT, retries: 1, retryDelay: 1000 * (1 + retried), timeout: 20s } }]",
  ),
  drainWith(
    "onLoss: republish",
    "rules: [{ when: any, then: republish, set: { destination: { host: other.example.com, path: /v2 }, queue: null, delay: 90s, callback: 'https://cb.example.com/ä', failureCallback: null, flowControl: null } }]",
  ),
  withCallbacks(drainWith("rules: [{ when: any, then: republish }]", "onLoss: republish")),
];

it("the items of 10,000 made letters have the bytes that they had when these were recorded", () => {
  const seen = { plain: 0, canary: 0, park: 0, other: 0, comeBack: 0, edited: 0, unusable: 0 };
  const digests: string[] = [];
  const random = createRandom(20_261_128);
  for (let page = 0; page < pages; page += 1) {
    const drain = drains[page % drains.length]!;
    const made = Array.from({ length: perPage }, (_, n) => makeLetter(random, page * perPage + n));
    const all = createHash("sha256");
    const say = (what: string, bytes: Buffer | string = ""): void =>
      void all.update(`${what}\n`).update(bytes);
    for (const one of work(drain, toListing(random, made), (at) => viewOf(random, at))) {
      if (typeof one === "string") {
        say(one);
        seen[one.startsWith("park") ? "park" : one.startsWith("unusable") ? "unusable" : "other"] += 1;
        continue;
      }
      const { plain, again, canary, bytes, isComeBack } = one;
      say(`${bytes} ${isComeBack}`, plain);
      say("again", again);
      seen.plain += 1;
      if (isComeBack) seen.comeBack += 1;
      if (canary !== null) {
        say("canary", canary);
        seen.canary += 1;
      }
      expect(Math.max(Buffer.byteLength(plain), Buffer.byteLength(canary ?? ""))).toBeLessThanOrEqual(bytes);
      if (plain.includes('\\"fixed\\":true')) seen.edited += 1;
      keepForComeBack(random, canary !== null && random.isOneIn(2) ? canary : plain);
    }
    digests.push(all.digest("hex").slice(0, 16));
  }
  if (process.env["ITEM_BYTES"] === "record") {
    writeFileSync(recorded, `${JSON.stringify(digests, null, 2)}\n`);
  }
  // Most letters give an item, and each kind of them is there.
  expect(seen.plain).toBeGreaterThan((pages * perPage) / 2);
  expect(seen.canary).toBeGreaterThan(1_000);
  for (const kind of ["park", "other", "comeBack", "edited", "unusable"] as const) {
    expect([kind, seen[kind] >= 50]).toEqual([kind, true]);
  }
  expect(digests).toEqual(JSON.parse(readFileSync(recorded, "utf8")));
});

interface Sent {
  readonly plain: string;
  readonly again: string;
  readonly canary: string | null;
  /** As it is counted for a batch. */
  readonly bytes: number;
  readonly isComeBack: boolean;
}

/** From the bytes of a listing to the bytes of items; a text for what gives none. */
function work(
  config: DrainConfig,
  listing: Buffer,
  toView: (index: number) => LedgerView,
): readonly (Sent | string)[] {
  const page = parseListPage(listing, "the token of the test");
  if (page.kind === "problem") throw new Error(page.problem);
  const raws = page.value.records.map((raw) => withOwnCallback(raw, keys));
  const { letters, unusable } = parsePage(raws, keys);
  const stamp = { views: letters.map((_, at) => toView(at)), at: now, epoch: "epoch" };
  see(letters, stamp as unknown as Parameters<typeof see>[1], {} as LedgerLimits);
  const drain = {
    config,
    source: {
      clock: { now: () => now },
      service: { clockOffsetMs: () => 0 },
      headerPrefix: "Upstash-",
      lineageKeys: () => keys as [string, ...string[]],
      checkItem: createItemCheck(
        builtInPolicy,
        "Upstash-",
        undefined,
        "https://us.example.com/callbacks/default",
      ),
    },
  };
  const sent = letters.map((letter): Sent | string => {
    decideLetter(drain, letter);
    const { decision, item, reading, dlqId } = letter;
    if (item === null) return `${decision.then} ${decision.reason} ${dlqId}`;
    const [plain, again] = [1, 3].map((suffix) => textOfEncoded(encodedOf(letter, suffix))) as [
      string,
      string,
    ];
    let canary: string | null = null;
    if (config.lane !== undefined && !item.isSentAhead) {
      sendAsCanary(letter, { ...sendAs, endsAt: Infinity });
      canary = textOfEncoded(encodedOf(letter, 2));
    }
    return { plain, again, canary, bytes: letter.bytes, isComeBack: reading.kind === "come-back" };
  });
  return [...sent, ...unusable.map(({ reason, dlqId }) => `unusable ${reason} ${dlqId}`)];
}

function drainWith(...lines: readonly string[]): DrainConfig {
  return drainOf(withDrain("mode: live", "minAge: 1s", ...lines));
}

function withCallbacks(drain: DrainConfig): DrainConfig {
  const callbacks = { url: "https://us.example.com/callbacks", keys: [] };
  return { ...drain, source: { ...drain.source, callbacks } };
}

/** As xorshift32. */
function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    isOneIn: (n: number): boolean => below(n) === 0,
    pick: <T>(list: readonly T[]): T => list[below(list.length)]!,
    many: <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make),
  };
}
type Random = ReturnType<typeof createRandom>;

const pieces = [
  "order", "Ünïcode", "€ 19.90", "日本語", "😀", "🏳️‍🌈", "\u0000", "\u001f", "\u007f", "\u0085", "\u2028\u2029", "\ufeff", "\ufffd", "\uffff",
  '"', "\\", "\\\"", "/", "</script>", "\n", "\r\n", "\t", "\b\f", "{}", '{"order":1,"tenant":"acme"}', "null", " ", "a,b", "x".repeat(300),
]; // prettier-ignore
/** Half of a character, which JSON can write and UTF-8 cannot. */
const broken = ["\ud83d", "\udc00", "\ud83d\ud83d", "a\udc00b"];

function textIn(random: Random, most: number): string {
  const text = random.many(most, () => random.pick(pieces)).join("");
  return random.isOneIn(400) ? text + random.pick(broken) : text;
}

/** Items that were sent, to die again. */
const sent: string[] = [];

function keepForComeBack(random: Random, item: string): void {
  if (!random.isOneIn(10) || item.length > 20_000) return;
  if (sent.length < 50) sent.push(item);
  else sent[random.below(50)] = item;
}

function bodyOf(random: Random): string {
  switch (random.below(12)) {
    case 0:
      return "";
    case 1:
      return textIn(random, 30);
    case 2:
      return JSON.stringify({ order: random.below(1e6), note: textIn(random, 10) });
    case 3:
      return JSON.stringify([textIn(random, 3)], null, 2);
    case 4:
      return `{"order":${random.pick(["1.0", "12345678901234567890", "1e3", "-0"])},"a":1,"a":2}`;
    case 5:
      return random.isOneIn(8)
        ? `${textIn(random, 3)}${"long ü ".repeat(random.pick([9_000, 10_000]))}`
        : "0";
    default:
      return JSON.stringify({
        order: random.below(1e6),
        lines: random.many(12, () => ({
          sku: `A-${random.below(9_999)}`,
          note: "gift wrap, no invoice",
          n: 2,
        })),
      });
  }
}

const headerNames = [
  "X-Tenant", "x-tenant", "X-Request-Id", "Traceparent", "Cookie", "Set-Cookie", "Authorization", "Digest", "Content-Encoding",
  "Accept", "accept", "User-Agent", "Host", "Upstash-Delay", "Upstash-Forward-X", "X-Ü", "X-Redriver", "X-Redriver-Message-Id", "X Y", "",
]; // prettier-ignore
const headerValues = [
  "acme", "a, b", 'W/"1"', "ü", "日本", "\\", "Bearer abc.def", "a=1; b=2", "gzip", "identity", "line\r\nbreak", "tab\there", "", "x".repeat(200),
]; // prettier-ignore

function headerOf(random: Random, body: string): Record<string, string[]> {
  const header: Record<string, string[]> = {};
  if (!random.isOneIn(5))
    header["Content-Type"] = [random.pick(["application/json", "text/plain; charset=utf-8"])];
  if (random.isOneIn(3)) {
    header["Content-Length"] = [String(Buffer.byteLength(body) + (random.isOneIn(30) ? 1 : 0))];
  }
  const plain = headerNames.slice(0, 4);
  const isOdd = random.isOneIn(4);
  for (const name of random.many(5, () => random.pick(isOdd ? headerNames : plain))) {
    const values = isOdd
      ? random.many(2, () => random.pick(headerValues))
      : [random.pick(headerValues.slice(0, 6))];
    header[name] = values;
  }
  return header;
}

type Fields = Record<string, unknown>;

const urls = [
  "https://orders.example.com/hooks/orders", "https://api.example.com:8443/x?q=1#f", "http://münchen.example/ä?ü=ö", "https://a.example/\"q\"",
]; // prettier-ignore
const oddUrls = [
  "https://user:secret@a.example/x", "ftp://a.example/", "", "https://127.0.0.1/x", "https://a.example/a b", "https://a.example/\\", "//a.example",
]; // prettier-ignore

/** Now and then; most fields of most letters are absent. */
function odd(random: Random, n: number, fields: () => Fields): Fields {
  return random.isOneIn(n) ? fields() : {};
}

function makeLetter(random: Random, number: number): Fields {
  const item = sent.length > 0 && random.isOneIn(6) ? decodeItem(random.pick(sent)) : null;
  const body = item === null ? bodyOf(random) : (item.body ?? "") + (random.isOneIn(12) ? "changed" : "");
  const header = headerOf(random, body);
  const lineage = item?.headers["Upstash-Forward-X-Redriver"];
  if (lineage !== undefined) header["X-Redriver"] = random.isOneIn(12) ? [`${lineage}x`] : [lineage];
  const callback = item?.headers["Upstash-Callback"];
  return {
    dlqId: random.isOneIn(200)
      ? random.pick(["", "nothing", "1-", 7])
      : `${enteredAt + number}-${number % 3}`,
    messageId: `msg_${number.toString(36)}${random.isOneIn(50) ? textIn(random, 2) : ""}`,
    topicName: "",
    url: random.isOneIn(40) ? random.pick(oddUrls) : (item?.destination ?? random.pick(urls)),
    ...odd(random, 2, () => ({ method: random.pick(["POST", "PUT", "get", "DELETE", "M SEARCH", ""]) })),
    header,
    body,
    createdAt: enteredAt + number - 60_000,
    ...odd(random, 2, () => ({ maxRetries: random.below(6) })),
    ...odd(random, 2, () => ({
      label: "orders",
      labels: ["orders", ...random.many(2, () => random.pick(["", "x", "a,b", "ü"]))],
    })),
    ...odd(random, 2, () => ({ callerIP: "203.0.113.7" })),
    ...odd(random, 6, () => ({ queueName: random.pick(["q", "Ünï", '"q"', ""]) })),
    ...odd(random, 6, () => ({ retryDelayExpression: random.pick(["1000 * (1 + retried)", 'a"b', ""]) })),
    ...odd(random, 8, () => ({ notBefore: random.pick([enteredAt, now + 5_000, now + 250_000_000]) })),
    ...odd(random, 6, () => ({
      callback: random.pick(urls),
      callbackHeader: headerOf(random, ""),
      failureCallback: random.pick([...urls, "none"]),
      failureCallbackHeader: random.isOneIn(2) ? headerOf(random, "") : null,
    })),
    ...(callback === undefined ? {} : { callback }),
    ...odd(random, 6, () => ({
      flowControlKey: random.pick(["partner", "ü", "a b"]),
      rate: random.below(3),
      period: random.below(3),
      parallelism: random.below(3),
    })),
    ...odd(random, 20, () => ({ scheduleId: "scd_1" })),
    ...odd(random, 20, () => ({ topicName: "group", endpointName: "one" })),
    ...odd(random, 100, () => ({ bodyBase64: "/w==", body: "" })),
    ...odd(random, 100, () => ({ workflowRunId: "wfr_1" })),
    ...odd(random, 100, () => ({ body: `${body} REDACTED:${"0f".repeat(32)}` })),
    ...odd(random, 200, () => ({ header: { "X-A": "one", "X-B": ["two", "three"] } })),
    ...odd(random, 200, () => ({
      [random.pick(["body", "header", "createdAt", "url", "labels"])]: random.pick([null, 7, [1]]),
    })),
    responseStatus: random.pick([500, 502, 503, 404, 429, 0]),
    responseHeader: { "Content-Type": ["text/plain"], Server: ["proxy"] },
    responseBody: random.isOneIn(3) ? textIn(random, 4) : "upstream connect error",
    ...odd(random, 9, () => ({ state: "failed", [`field-${textIn(random, 1)}`]: textIn(random, 4) })),
  };
}

const released = { state: "cool", dueAt: 0, refusedAlone: 0, attempt: 1, suffix: 1 } as const;

function viewOf(random: Random, at: number): LedgerView {
  if (!random.isOneIn(20)) return { state: "absent" };
  return { ...released, released: at % 2 === 0 ? "by-person" : false };
}

/** JSON as some service might write it: any character may be escaped. */
function toListing(random: Random, letters: readonly Fields[]): Buffer {
  const escapes = random.pick([0, 0, 0, 50, 5]);
  const texts = letters.map((letter) => JSON.stringify(letter));
  const written = escapes === 0 ? texts : texts.map((text) => withEscapes(random, text, escapes));
  const space = random.isOneIn(4) ? " " : "";
  return Buffer.from(`{"messages":${space}[${space}${written.join(`,${space}`)}]${space},"cursor":""}`);
}

/** Some of the characters that need no escape get one. Each of these is inside a text. */
function withEscapes(random: Random, text: string, oneIn: number): string {
  return text.replaceAll(/\P{ASCII}|(?<=[ <>;=()&%])[ a-z](?=[ a-z])|\//gu, (found) => {
    if (!random.isOneIn(oneIn)) return found;
    if (found === "/" && random.isOneIn(2)) return "\\/";
    return [...Array(found.length).keys()]
      .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join("");
  });
}
