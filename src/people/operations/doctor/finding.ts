/** What one look found. */
export interface DoctorFinding {
  /** What was looked at: `redis`, `source orders`. */
  readonly subject: string;
  /** `failed`: a daemon would not work. `warning`: it would, and somebody should know. */
  readonly state: "ok" | "warning" | "failed";
  readonly message: string;
}

export const ok = (subject: string, message: string): DoctorFinding => ({ subject, state: "ok", message });
export const warning = (subject: string, message: string): DoctorFinding => ({
  subject,
  state: "warning",
  message,
});
export const failed = (subject: string, message: string): DoctorFinding => ({
  subject,
  state: "failed",
  message,
});

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const tolerableOffMs = 5_000;

/** `offMs`: another clock less ours. */
export function judgeClock(subject: string, whose: string, offMs: number): DoctorFinding {
  const off = Math.abs(offMs);
  const by = `${(off / 1_000).toFixed(1)} s ${offMs > 0 ? "ahead of" : "behind"} ours`;
  if (off <= tolerableOffMs) return ok(subject, `${whose} clock agrees with ours`);
  return warning(
    subject,
    `${whose} clock is ${by}; redriver goes by Redis's and the service's, but times in logs differ. Is NTP on?`,
  );
}
