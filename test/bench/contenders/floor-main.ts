/**
 * The calls of a drain with undici and nothing else: what no program can go below that uses it. So many lanes
 * in parallel, each with its own part of the dates.
 *
 *     node floor-main.js <url of the service> <in parallel> <from> <to>
 */
import { Pool } from "undici";

interface Letter {
  readonly dlqId: string;
  readonly url: string;
  readonly method: string;
  readonly header: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly maxRetries: number;
}

interface Page {
  readonly messages: readonly Letter[];
  readonly cursor?: string;
}

const [url = "", ...numbers] = process.argv.slice(2);
const [parallel = 1, from = 0, to = 0] = numbers.map(Number);
const pool = new Pool(url, { connections: parallel, pipelining: 1 });
const headers = { authorization: "Bearer bench", "content-type": "application/json" };

async function call(method: "GET" | "POST" | "DELETE", path: string, body?: string): Promise<unknown> {
  const answer = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
  const json = await answer.body.json();
  if (answer.statusCode !== 200) throw new Error(`${method} was answered ${answer.statusCode}`);
  return json;
}

function toItem({ dlqId, url, method, header, body, maxRetries }: Letter): object {
  const headers: Record<string, string> = {
    "Upstash-Method": method,
    "Upstash-Retries": String(maxRetries),
    "Upstash-Deduplication-Id": `again-${dlqId}`,
  };
  for (const [name, values] of Object.entries(header)) headers[`Upstash-Forward-${name}`] = values.join(", ");
  return { destination: url, headers, body };
}

async function drain(fromDate: number, toDate: number): Promise<void> {
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? "" : `&cursor=${cursor}`;
    const path = `/v2/dlq?count=100&fromDate=${fromDate}&toDate=${toDate}${next}`;
    const page = (await call("GET", path)) as Page;
    if (page.messages.length > 0) {
      await call("POST", "/v2/batch", JSON.stringify(page.messages.map(toItem)));
      await call("DELETE", `/v2/dlq?${page.messages.map(({ dlqId }) => `dlqIds=${dlqId}`).join("&")}`);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}

const cuts = Array.from(
  { length: parallel + 1 },
  (_, n) => from + Math.ceil(((to + 1 - from) * n) / parallel),
);
await Promise.all(cuts.slice(1).map((end, n) => drain(cuts[n]!, end - 1)));
await pool.close();
