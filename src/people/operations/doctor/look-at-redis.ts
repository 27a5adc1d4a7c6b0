import { lookAtRedis, type Core } from "../../../job/door.ts";
import { failed, judgeClock, messageOf, ok, warning, type DoctorFinding } from "./finding.ts";

const subject = "redis";

/** Reachable, fit for a ledger, durable, and on time. */
export async function judgeRedis(core: Pick<Core, "redis" | "sources">): Promise<readonly DoctorFinding[]> {
  try {
    const { problems, server } = await lookAtRedis(core);
    const findings = problems.map(({ weight, message }) =>
      weight === "refuse" ? failed(subject, message) : warning(subject, message),
    );
    if (findings.length === 0) findings.push(ok(subject, "it answers, and it is fit for a ledger"));
    if (server === null) return findings;
    return [...findings, toDurability(server.isDurable), judgeClock(subject, "its", server.offMs)];
  } catch (error) {
    return [failed(subject, messageOf(error))];
  }
}

/** A ledger that a restart empties knows no longer what was published: see docs/redis.md. */
function toDurability(isDurable: boolean): DoctorFinding {
  if (isDurable) return ok(subject, "it writes an append-only file, so a restart keeps the ledger");
  return warning(
    subject,
    "it writes no append-only file: a restart may lose the ledger of the last minutes; see docs/redis.md. A hosted Redis may keep its data in another way",
  );
}
