import { durationText } from "../duration-text.ts";
import type { Problem } from "../problem.ts";
import { findRedisConflicts } from "./redis-conflicts.ts";
import type { SettingName, SettingValues } from "./table.ts";

interface Conflict {
  readonly name: SettingName;
  readonly problem: Pick<Problem, "expected" | "message">;
}

/** Settings that are each in range and do not go together; those that could not be read are left out. */
export function findConflicts(values: Partial<SettingValues>): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  const report = (name: SettingName, expected: string, got: string) =>
    conflicts.push({ name, problem: { expected, message: `expected ${expected}, got ${got}` } });

  if (values["service.token"] !== undefined && values["service.tokenFile"] !== undefined) {
    report("service.tokenFile", "either service.token or service.tokenFile", "both");
  }
  if (values["lineage.key"] !== undefined && values["lineage.keyFile"] !== undefined) {
    report("lineage.keyFile", "either lineage.key or lineage.keyFile", "both");
  }
  for (const { name, expected, got } of findRedisConflicts(values)) report(name, expected, got);
  const { "http.port": httpPort, "callback.port": callbackPort } = values;
  if (httpPort !== undefined && httpPort !== 0 && httpPort === callbackPort) {
    report("callback.port", `another port than http.port (${httpPort}), or 0 for any free one`, "the same");
  }
  const { "shutdown.soft": softMs, "shutdown.hard": hardMs } = values;
  if (softMs !== undefined && hardMs !== undefined && hardMs < softMs) {
    report("shutdown.hard", `at least shutdown.soft (${durationText(softMs)})`, durationText(hardMs));
  }
  return conflicts;
}
