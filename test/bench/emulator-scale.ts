/**
 * What 1,000,000 dead letters of 2 KB cost: memory, and pages over HTTP beside a page without filters. Node
 * 20 runs no TypeScript, so it is compiled first:
 *
 *     npm run bench -- emulator [records]
 *
 * Exits 1 when a promise of docs/internals/emulator.md does not hold. Needs 3 GB of memory and some minutes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { request } from "undici";
import { startEmulator, type Emulator } from "../../dev/emulator/index.ts";
import { median, timeInTurn, type Timing } from "./timing.ts";

const records = Number(process.argv[2] ?? 1_000_000);
const recordBytes = 2_048;
const rounds = 200;
const hour = 3_600_000;

const bounds = { emptyStartMs: 1_000, rssPerByte: 1.5, rarePerPage: 5, firstRareMs: 1_000 };

interface ListPage {
  readonly cursor?: string;
  readonly messages: readonly { readonly dlqId: string }[];
}

const broken: string[] = [];
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
function hold(what: string, value: number, bound: number): void {
  if (!(value <= bound)) broken.push(`${what}: ${value.toFixed(2)} is over ${bound}`);
}

/** The body is read to its end and not parsed: what a client does with it is not what a page costs. */
async function call(emulator: Emulator, method: "GET" | "DELETE", query: string): Promise<Buffer> {
  const headers = { Authorization: `Bearer ${emulator.token}` };
  const { statusCode, body } = await request(`${emulator.url}/v2/dlq?${query}`, { method, headers });
  const bytes = Buffer.from(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`expected 200 for ${query}, got ${statusCode}`);
  return bytes;
}

const list = async (emulator: Emulator, query: string): Promise<ListPage> =>
  JSON.parse((await call(emulator, "GET", query)).toString()) as ListPage;

function report(timings: readonly Timing[], page: string): void {
  const base = timings.find(({ name }) => name === page)!.medianMs;
  for (const { name, medianMs, p95Ms } of timings) {
    const columns = [medianMs.toFixed(2), p95Ms.toFixed(2), (medianMs / base).toFixed(2)];
    print(`  ${name.padEnd(52)} ${columns.map((text) => text.padStart(8)).join(" ")}`);
    if (name.startsWith("rare"))
      hold(`${name}, in pages without filters`, medianMs / base, bounds.rarePerPage);
  }
}

/** Until the built command has printed where it listens. */
async function emptyStartMs(): Promise<number> {
  const main = join(import.meta.dirname, "../../../../dist/main.js");
  const args = [main, "emulator", "--port", "0", "--control-port", "0", "--json", "--stop-with-parent"];
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const tookMs = performance.now() - startedAt;
  child.stdin.end();
  await once(child, "close");
  return tookMs;
}

async function benchGenerated(): Promise<void> {
  const rssBefore = process.memoryUsage.rss();
  const startedAt = performance.now();
  await using emulator = await startEmulator({ generate: { count: records, recordBytes } });
  const fillMs = performance.now() - startedAt;
  const rss = process.memoryUsage.rss() - rssBefore;
  // Nearly all records have this size; the few smaller ones make the raw bytes a little less than that.
  const rawBytes = records * recordBytes;
  print(`fill: ${(fillMs / 1_000).toFixed(1)} s, ${((fillMs * 1_000) / records).toFixed(1)} µs a record`);
  print(
    `RSS: +${(rss / 1e6).toFixed(0)} MB for ${(rawBytes / 1e6).toFixed(0)} MB of JSON: ${(rss / rawBytes).toFixed(3)}`,
  );
  hold("RSS per byte of JSON", rss / rawBytes, bounds.rssPerByte);

  const now = Date.now();
  const cursors: string[] = [];
  for (let hours = 1; hours < 6; hours++) {
    const { cursor } = await list(emulator, `count=1&fromDate=${now - hours * hour}`);
    if (cursor !== undefined) cursors.push(cursor);
  }
  const doomed = cursors.map((cursor) => ({ cursor, ids: [] as string[] }));
  for (const each of doomed) {
    while (each.ids.length < (100 * rounds * 1.2) / doomed.length) {
      const page: ListPage = await list(emulator, `cursor=${each.cursor}`);
      each.ids.push(...page.messages.map(({ dlqId }) => dlqId));
      each.cursor = page.cursor!;
    }
  }
  const ids = doomed.flatMap((each) => each.ids);
  let turn = 0;
  const pages = (name: string, query: string) => ({ name, run: () => call(emulator, "GET", query) });
  report(
    await timeInTurn(
      [
        pages("page", ""),
        {
          name: "page at a deep cursor",
          run: () => call(emulator, "GET", `cursor=${cursors[turn++ % cursors.length]}`),
        },
        pages("page of one status", "responseStatus=503"),
        pages("rare: message id that is not there", "messageId=msg_none"),
        pages(
          "rare: three filters",
          "flowControlKey=tenant-f&scheduleId=scd_monthly&responseStatus=422&label=canary",
        ),
        pages(
          "rare: every queue and every group",
          "queueName=mail,orders,imports,nightly&topicName=order-events,billing,warehouse,audit",
        ),
        {
          name: "deletion of 100 ids",
          run: () => call(emulator, "DELETE", `dlqIds=${ids.splice(0, 100).join("&dlqIds=")}`),
        },
      ],
      rounds,
    ),
    "page",
  );
}

/** Two filters that half of the records match each, and one in ten thousand both. */
async function benchHalves(): Promise<void> {
  await using emulator = await startEmulator();
  const body = "x".repeat(recordBytes - 420);
  for (let from = 0; from < records; from += 1_000) {
    emulator.dlq.seed(
      Array.from({ length: Math.min(1_000, records - from) }, (_, n) => {
        const isLeft = (from + n) % 2 === 0;
        const isBoth = (from + n) % 10_007 === 0;
        return {
          body,
          queueName: isLeft || isBoth ? "left" : "none",
          label: isLeft && !isBoth ? "none" : "right",
        };
      }),
    );
  }
  const pages = (name: string, query: string) => ({ name, run: () => call(emulator, "GET", query) });
  const startedAt = performance.now();
  await call(emulator, "GET", "queueName=left&label=right");
  const firstMs = performance.now() - startedAt;
  print(`  the first page of a rare combination: ${firstMs.toFixed(0)} ms`);
  hold("the first page of a rare combination in ms", firstMs, bounds.firstRareMs);
  report(
    await timeInTurn(
      [
        pages("page", ""),
        pages("page of one half", "queueName=left"),
        pages("rare: both halves", "queueName=left&label=right"),
        pages(
          "rare: both halves, answered with one record",
          "queueName=left&label=right&responseStatus=500&count=1",
        ),
        pages("rare: neither", "queueName=none&label=none"),
      ],
      rounds,
    ),
    "page",
  );
}

const starts: number[] = [];
for (let n = 0; n < 5; n++) starts.push(await emptyStartMs());
print(`empty start of the command: ${median(starts).toFixed(0)} ms`);
hold("empty start in ms", median(starts), bounds.emptyStartMs);
print(
  `${records} records of ${recordBytes} bytes; ms over HTTP: median, 95th percentile, pages without filters`,
);
await benchGenerated();
print("two halves");
await benchHalves();
for (const each of broken) process.stderr.write(`does not hold: ${each}\n`);
process.exitCode = broken.length === 0 ? 0 : 1;
