import { parseInfo } from "../../../src/job/redis/judge-server.ts";
import type { RedisServer } from "../../support/redis-servers.ts";

/** What Redis has done so far, or in a time. */
export interface RedisUsage {
  readonly cpuMs: number;
  /** How often it wrote answers to a client. What a pipeline gets at once is one. */
  readonly answersWritten: number;
  /** Of all commands that it read. */
  readonly bytesRead: number;
  /** What it holds at the end. */
  readonly memoryBytes: number;
}

export async function readRedisUsage({ admin }: RedisServer): Promise<RedisUsage> {
  const info = parseInfo(await admin.info());
  const number = (name: string): number => Number(info.get(name));
  return {
    cpuMs: 1_000 * (number("used_cpu_user") + number("used_cpu_sys")),
    answersWritten: number("total_writes_processed"),
    bytesRead: number("total_net_input_bytes"),
    memoryBytes: number("used_memory"),
  };
}

export function usedSince(before: RedisUsage, after: RedisUsage): RedisUsage {
  return {
    cpuMs: after.cpuMs - before.cpuMs,
    answersWritten: after.answersWritten - before.answersWritten,
    bytesRead: after.bytesRead - before.bytesRead,
    memoryBytes: after.memoryBytes,
  };
}
