/**
 * What the HTTP client of a source costs beside plain undici: CPU of this process per message for GET, POST
 * and DELETE of 100 records each, one page after the other and 8 at once. The service is a lean HTTP server
 * in a process of its own on loopback. Node 20 runs no TypeScript, so it is compiled first:
 *
 *     npm run bench -- client [<messages per measurement>]
 *
 * Exits 1 if the client costs more than 1.25 times plain undici with 8 pages at once.
 */
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Pool } from "undici";
import { systemClock } from "../../src/system-world.ts";
import type { DlqId, RawRecord } from "../../src/job/message/dead-letter.ts";
import type { BatchOutcome } from "../../src/job/contracts/service.ts";
import { createMessageService } from "../../src/job/service/message-service.ts";
import { median } from "./timing.ts";

const pageSize = 100;
const rounds = 41;
const warmUp = 5;
const maxRatio = 1.25;
const token = "bench-token-of-some-length";

const idOf = (index: number): DlqId => `1760000000000-${index}` as DlqId;
const ids = Array.from({ length: pageSize }, (_, index) => idOf(index)) as [DlqId, ...DlqId[]];

type Page = () => Promise<void>;

function end(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": body.byteLength });
  response.end(body);
}

function serve(): void {
  const messages = Array.from({ length: pageSize }, (_, index) => ({
    dlqId: idOf(index),
    messageId: `msg_2b9f4c0a7e61d83f5a0c${String(index).padStart(6, "0")}`,
    url: "https://orders.example.com/hooks/paid",
    method: "POST",
    header: { "Content-Type": ["application/json"] },
    body: JSON.stringify({ order: index, text: "x".repeat(1_460) }),
    createdAt: 1_760_000_000_000,
    responseStatus: 503,
    responseBody: "unavailable",
  }));
  const page = Buffer.from(JSON.stringify({ messages, cursor: idOf(pageSize) }));
  const accepted = Buffer.from(JSON.stringify(messages.map(({ messageId }) => ({ messageId }))));
  const deleted = Buffer.from(JSON.stringify({ deleted: pageSize }));
  const server = createServer((request, response) => {
    if (request.method === "GET") end(response, page);
    else if (request.method === "DELETE") end(response, deleted);
    else request.resume().on("end", () => end(response, accepted));
  });
  // It ends with the process that started it.
  process.stdin.resume().on("end", () => process.exit());
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

async function compare(messages: number): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename, "serve"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [port] = await new Promise<string[]>((resolve) =>
    createInterface(child.stdout).on("line", (line) => resolve([line])),
  );
  const baseUrl = `http://127.0.0.1:${port}`;
  const undici = plainUndici(baseUrl);
  const client = ofSource(baseUrl);
  let ratio = 0;
  for (const atOnce of [1, 8]) {
    const pairs: { readonly plain: number; readonly ours: number }[] = [];
    for (let round = -warmUp; round < rounds; round += 1) {
      const plain = await cpuPerMessage(undici.page, messages, atOnce);
      const ours = await cpuPerMessage(client.page, messages, atOnce);
      if (round >= 0) pairs.push({ plain, ours });
    }
    // The two of a pair meet the same load of the machine.
    ratio = median(pairs.map(({ plain, ours }) => ours / plain));
    const [plain, ours] = [median(pairs.map((pair) => pair.plain)), median(pairs.map((pair) => pair.ours))];
    process.stdout.write(
      `${atOnce} at once: undici ${plain.toFixed(1)} µs of CPU per message, client ${ours.toFixed(1)}, ratio ${ratio.toFixed(2)}\n`,
    );
  }
  await undici.close();
  await client.close();
  child.kill();
  process.exitCode = ratio > maxRatio ? 1 : 0;
}

async function cpuPerMessage(page: Page, messages: number, atOnce: number): Promise<number> {
  let left = messages / pageSize;
  const before = process.cpuUsage();
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await page();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / messages;
}

/** The least that a drain can do with undici: no fence, no deadline, no classification. */
function plainUndici(baseUrl: string): { readonly page: Page; close(): Promise<void> } {
  const pool = new Pool(baseUrl, { connections: 8, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = async (method: "GET" | "POST" | "DELETE", path: string, body?: string): Promise<unknown> => {
    const answer = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
    return JSON.parse(await answer.body.text()) as unknown;
  };
  return {
    async page() {
      const { messages } = (await call("GET", "/v2/dlq?count=100&cursor=1")) as {
        readonly messages: readonly Readonly<Record<string, unknown>>[];
      };
      await call("POST", "/v2/batch", JSON.stringify(messages.map(toItem)));
      await call("DELETE", `/v2/dlq?dlqIds=${ids.join("&dlqIds=")}`);
    },
    close: () => pool.close(),
  };
}

function ofSource(baseUrl: string): { readonly page: Page; close(): Promise<void> } {
  const service = createMessageService({
    baseUrl,
    token: () => token,
    settings: { address: "service.url", token: "service.token" },
    timeoutsMs: { list: 10_000, batch: 30_000, delete: 10_000 },
    connectTimeoutMs: 5_000,
    maxAnswerBytes: 25_165_824,
    clock: systemClock,
    onAnswer: () => undefined,
  });
  const { signal } = new AbortController();
  const publish = (records: readonly RawRecord[]): Promise<BatchOutcome> =>
    service.publish(
      records.map((record) => JSON.stringify(toItem(record))),
      () => true,
      signal,
    );
  return {
    async page() {
      const { records } = await service.list({ select: {}, count: pageSize, cursor: "1" }, signal);
      const { kind } = await publish(records);
      if (kind !== "answered") throw new Error(`expected an answer, got ${kind}`);
      await service.remove(ids, signal);
    },
    close: () => service.close(),
  };
}

function toItem({ url, body }: Readonly<Record<string, unknown>>): unknown {
  return {
    destination: url,
    headers: { "Upstash-Method": "POST", "Content-Type": "application/json" },
    body,
  };
}

if (process.argv[2] === "serve") serve();
else await compare(Number(process.argv[2] ?? 2_000));
