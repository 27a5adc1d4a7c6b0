/**
 * What the pure part of one dead letter costs, step by step: CPU of this process, µs per message, warm. Node
 * 20 runs no TypeScript, so it is compiled first: `npm run bench -- prepare [<messages>]`. Bodies have 1.5 KB,
 * 20 rules are asked and the last one matches. Every message is another one, as in a queue.
 */
import { createHash } from "node:crypto";
import { serviceNow } from "../../src/job/contracts/service.ts";
import { loadDocument } from "../../src/config/document/load-document.ts";
import type { RawRecord } from "../../src/job/message/dead-letter.ts";
import { createItemCheck } from "../../src/job/message/item-policy.ts";
import { toLineageKey } from "../../src/job/message/lineage.ts";
import type { DrainConfig } from "../../src/job/contracts/drains-document.ts";
import type { LedgerLimits } from "../../src/job/contracts/ledger-limits.ts";
import { decide } from "../../src/job/page/decide.ts";
import { decideLetter, type DecidingRuntime } from "../../src/job/page/decide-letter.ts";
import { toQuery } from "../../src/job/page/gates/capacity.ts";
import type { Letter } from "../../src/job/page/letter.ts";
import { see } from "../../src/job/page/look-up.ts";
import { parsePage } from "../../src/job/page/parse-page.ts";
import type { DrainRuntime } from "../../src/job/runtime.ts";
import { builtInPolicy } from "../support/item-checks.ts";
import { encodedOf, itemOf, sendAsCanary } from "../../src/job/page/publish/canary-variant.ts";

const messages = Number(process.argv[2] ?? 20_000);
/** As many as a page has. */
const pageSize = 100;
const enteredAt = 1_760_000_000_000;
const now = enteredAt + 3_600_000;
const key = toLineageKey("a token of the bench", "default");
const headerPrefix = "Upstash-";

/** 19 rules that ask for something else, and the one that republishes. */
const rules = Array.from({ length: 19 }, (_, n) =>
  [
    `{ responseStatus: [${510 + n}-${520 + n}, ${400 + n}], queueName: queue-${n} }`,
    `{ path: { prefix: /v${n}/ }, method: POST }`,
    `{ label: [label-${n}, other-${n}], attempt: "< 3" }`,
    `{ header: { X-Tenant: tenant-${n} }, age: "> 5m" }`,
    `{ host: "*.region-${n}.example.com" }`,
  ].at(n % 5),
);
const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: live
    lane: none
    rules:
${rules.map((when, n) => `      - { name: rule-${n}, when: ${when}, then: park }`).join("\n")}
      - { name: outage, when: { responseStatus: 500-599 }, then: republish }
`;

function drainOf(text: string): DrainConfig {
  const outcome = loadDocument(text, "bench.yaml");
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return outcome.document.drains[0]!;
}

const text = (seed: string, characters: number): string => {
  let hash = seed;
  let all = "";
  while (all.length < characters) all += hash = createHash("sha256").update(hash).digest("hex");
  return all.slice(0, characters);
};

/** As the service lists it. */
function recordOf(n: number): RawRecord {
  const items = Array.from({ length: 14 }, (_, at) => ({
    sku: text(`${n}.${at}`, 24),
    count: at,
    price: 9.5 * at,
  }));
  const body = JSON.stringify({ order: n, tenant: "acme", note: text(`${n}`, 600), items });
  return {
    dlqId: `${enteredAt + n}-0`,
    messageId: `msg_${text(`m${n}`, 26)}`,
    topicName: "",
    url: `https://api-${n % 4}.example.com/orders`,
    method: "POST",
    header: {
      "Content-Type": ["application/json"],
      "Content-Length": [String(Buffer.byteLength(body))],
      "User-Agent": ["Upstash-QStash"],
      "X-Tenant": ["acme"],
      "X-Request-Id": [text(`r${n}`, 32)],
      Traceparent: [`00-${text(`t${n}`, 32)}-${text(`s${n}`, 16)}-01`],
      "Upstash-Message-Id": [`msg_${text(`m${n}`, 26)}`],
      "Upstash-Retried": ["3"],
      "Upstash-Signature": [text(`j${n}`, 200)],
    },
    body,
    createdAt: enteredAt + n - 60_000,
    maxRetries: 3,
    callerIP: "203.0.113.7",
    responseStatus: 503,
    responseHeader: {
      "Content-Type": ["text/plain"],
      Date: ["Thu, 09 Oct 2025 08:53:20 GMT"],
      Server: ["envoy"],
    },
    responseBody: "upstream connect error or disconnect/reset before headers. reset reason: overflow",
    responseBodyBase64: "",
  };
}

const answer = { views: [], at: now, epoch: "epoch" } as unknown as Parameters<typeof see>[1];
const limits = {} as LedgerLimits;
function runtimeOf(config: DrainConfig): DecidingRuntime {
  return {
    config,
    source: {
      clock: { now: () => now },
      service: { clockOffsetMs: () => 0 },
      headerPrefix,
      lineageKeys: () => [key],
      checkItem: createItemCheck(builtInPolicy, headerPrefix, undefined),
    },
  };
}
const plain = runtimeOf(drainOf(document));
/** As far as a query of capacity asks for it. */
const atWork = {
  config: plain.config,
  source: { config: plain.config.source, deliveryWatch: { isOn: () => false } },
} as unknown as DrainRuntime;
const withLane = runtimeOf(drainOf(document.replace("lane: none", "lane: { canary: 5 }")));
const sendAs = {
  step: { lane: "3f1c2d8e1a", step: 1_760_000_000 },
  isProbe: false,
  timeoutMs: 45_000,
  endsAt: Infinity,
};

const spent = new Map<string, number>();
let done = 0;
function timed<Result>(step: string, run: () => Result): Result {
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  spent.set(step, (spent.get(step) ?? 0) + user + system);
  return result;
}

/** Parsed and looked up: they are not decided yet. */
function lettersOf(texts: readonly string[]): readonly Letter[] {
  const { letters } = parsePage(
    texts.map((json) => JSON.parse(json) as RawRecord),
    [key],
  );
  see(letters, answer, limits);
  return letters;
}

/** A come-back of a message that was published, as the service lists it. */
function backOf(letter: Letter, raw: RawRecord): string {
  const { headers, body, destination } = itemOf(letter, 1);
  const header = {
    "X-Redriver": [headers["Upstash-Forward-X-Redriver"]],
    "Content-Type": ["application/json"],
  };
  return JSON.stringify({ ...raw, url: destination, body, header });
}

function page(first: number): void {
  const texts = Array.from({ length: pageSize }, (_, n) => JSON.stringify(recordOf(first + n)));
  const raws = timed("JSON.parse", () => texts.map((json) => JSON.parse(json) as RawRecord));
  const { letters } = timed("parsePage", () => parsePage(raws, [key]));
  timed("see (no call)", () => see(letters, answer, limits));
  timed("decide", () => letters.map((one) => decide(plain.config, one, serviceNow(plain.source))));
  timed("decideLetter", () => decideAll(plain, letters));
  timed("toQuery (no call)", () => toQuery(atWork, letters));
  timed("encode for the POST", () => letters.map((one) => encodedOf(one, 1)));
  const inLane = lettersOf(texts);
  timed("decideLetter, with a lane", () => decideAll(withLane, inLane));
  timed("as a canary, encode", () => inLane.map((one) => encodedOf(asSent(one), 1)));
  const backs = letters.map((one, n) => JSON.parse(backOf(one, raws[n]!)) as RawRecord);
  timed("parsePage of come-backs", () => parsePage(backs, [key]));
  done += pageSize;
}

function decideAll(drain: DecidingRuntime, letters: readonly Letter[]): void {
  for (const one of letters) decideLetter(drain, one);
}

function asSent(letter: Letter): Letter {
  sendAsCanary(letter, sendAs);
  return letter;
}

for (let n = 0; n < 3; n += 1) page(n * pageSize);
spent.clear();
done = 0;
while (done < messages) page(done);
for (const [step, micros] of spent) {
  process.stdout.write(`${step.padEnd(36)} ${(micros / done).toFixed(2).padStart(7)} µs\n`);
}
