import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { start, type Ended } from "./command.ts";

/** An emulator with so many dead letters, and the settings of a command that works on them. */
export async function startWithBacklog(
  records: number,
  {
    drainsFile,
    redisUrl,
    name,
    bodyLength = 1_000,
  }: Readonly<Record<"drainsFile" | "redisUrl" | "name", string>> & { readonly bodyLength?: number },
): Promise<Readonly<Record<string, string>>> {
  const emulator = start(["emulator", "--port", "0", "--control-port", "0", "--json"]);
  const addresses = await emulator.line((line) => "controlUrl" in line);
  const at = Date.now() - 6 * 60 * 60_000;
  for (let first = 0; first < records; first += 2_000) {
    const answer = await fetch(`${String(addresses["controlUrl"])}/_control/dlq`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        records: Array.from({ length: 2_000 }, (_, index) => toRecord(at, first + index, bodyLength)),
      }),
    });
    expect(answer.status).toBe(201);
  }
  return {
    REDRIVER_SERVICE_URL: String(addresses["url"]),
    REDRIVER_SERVICE_TOKEN: String(addresses["token"]),
    REDRIVER_REDIS_URL: redisUrl,
    REDRIVER_REDIS_KEY_PREFIX: `${name}-${process.pid}`,
    REDRIVER_DRAINS_FILE: drainsFile,
  };
}

/** Runs a command to its end, and watches its memory. */
export async function watched(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended & { readonly peakMegabytes: number }> {
  const running = start(args, env);
  let peakKilobytes = 0;
  const watch = setInterval(() => {
    peakKilobytes = Math.max(peakKilobytes, peakOf(running.child.pid) ?? 0);
  }, 50);
  const ended = await running.ended;
  clearInterval(watch);
  return { ...ended, peakMegabytes: Math.round(peakKilobytes / 1_024) };
}

/** What varies from message to message varies here too: hosts, paths, answers, and bodies. */
function toRecord(at: number, index: number, bodyLength: number): object {
  const kind = index % 10;
  return {
    dlqId: `${at + index * 200}-0`,
    url: `https://${kind > 0 && kind < 4 ? "old.example.com" : `h${index % 5_000}.example.com`}/hook/${index}`,
    createdAt: at - 5_000,
    responseStatus: kind === 0 ? 422 : 503,
    responseBody: `request ${index} of tenant t${index % 3_000}x failed at ${new Date(at + index).toISOString()}`,
    maxRetries: 3,
    header: { "Content-Type": ["application/json"], "X-Request": [`r-${index}`] },
    body: JSON.stringify({ id: index, text: "x".repeat(bodyLength) }),
  };
}

/** The high-water mark of resident memory in KB, as the kernel keeps it; null once the process is gone. */
function peakOf(pid: number | undefined): number | null {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return null;
  }
}
