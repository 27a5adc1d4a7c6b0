import { request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../../../emulator/index.ts";

interface ListPage {
  readonly cursor?: string;
  readonly messages: readonly { readonly dlqId: string }[];
}

test("100,000 generated dead letters of 2 KB are listed once each and take at most 1.6 times their bytes", async () => {
  const count = 100_000;
  const before = process.memoryUsage.rss();
  const emulator = await startEmulator({ clock: { now: () => Date.UTC(2026, 5, 1) } });
  onTestFinished(() => emulator.close());
  expect(await emulator.dlq.generate({ count })).toBe(count);
  const grown = process.memoryUsage.rss() - before;
  const seen = new Set<string>();
  let bytes = 0;
  let cursor = "";
  do {
    const headers = { Authorization: `Bearer ${emulator.token}` };
    const text = await (await request(`${emulator.url}/v2/dlq?${cursor}`, { headers })).body.text();
    const { messages, ...envelope } = JSON.parse(text) as ListPage;
    for (const { dlqId } of messages) seen.add(dlqId);
    // What a page has beside its records: its frame, and commas between them.
    const frame = JSON.stringify({ messages: [], ...envelope }).length + Math.max(0, messages.length - 1);
    bytes += Buffer.byteLength(text) - frame;
    cursor = envelope.cursor === undefined ? "" : `cursor=${envelope.cursor}`;
  } while (cursor !== "");
  expect(seen.size).toBe(count);
  expect(bytes / count).toBeGreaterThan(1_900);
  expect(grown / bytes).toBeLessThan(1.6);
}, 240_000);
