import { reachRedis } from "../../../job/compose/open-core.ts";
import type { RedisConnection } from "../../../job/redis/connect.ts";
import { checkFitness } from "../../../job/redis/check-fitness-and-room.ts";
import { findMissingRights } from "../../../job/redis/find-missing-rights.ts";
import { parseInfo } from "../../../job/redis/judge-server.ts";
import { failed, judgeClock, messageOf, ok, warning, type DoctorFinding } from "./finding.ts";

const subject = "redis";

/** Reachable, fit for a ledger, durable, and on time. */
export async function lookAtRedis(
  redis: RedisConnection,
  sources: readonly string[],
): Promise<readonly DoctorFinding[]> {
  try {
    await reachRedis(redis);
    const missing = await findMissingRights(redis, sources);
    const isReadable = !missing.some(({ message }) => message.includes("+info"));
    const { problems } = isReadable ? await checkFitness(redis) : { problems: [] };
    const findings = [...missing, ...problems].map(({ weight, message }) =>
      weight === "refuse" ? failed(subject, message) : warning(subject, message),
    );
    if (findings.length === 0) findings.push(ok(subject, "it answers, and it is fit for a ledger"));
    if (missing.length > 0) return findings;
    return [...findings, await lookAtDurability(redis), await lookAtClock(redis)];
  } catch (error) {
    return [failed(subject, messageOf(error))];
  }
}

/** A ledger that a restart empties knows no longer what was published: see docs/redis.md. */
async function lookAtDurability(redis: RedisConnection): Promise<DoctorFinding> {
  const servers = (await redis.askMasters("INFO", "persistence")).map(({ reply }) => parseInfo(reply));
  if (servers.every((info) => info.get("aof_enabled") === "1")) {
    return ok(subject, "it writes an append-only file, so a restart keeps the ledger");
  }
  return warning(
    subject,
    "it writes no append-only file: a restart may lose the ledger of the last minutes; see docs/redis.md. A hosted Redis may keep its data in another way",
  );
}

async function lookAtClock(redis: RedisConnection): Promise<DoctorFinding> {
  const before = Date.now();
  const [seconds, micros] = (await redis.command("TIME")) as readonly [string, string];
  const ours = (before + Date.now()) / 2;
  return judgeClock(subject, "its", Number(seconds) * 1_000 + Number(micros) / 1_000 - ours);
}
