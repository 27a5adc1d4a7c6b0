/**
 * How a daemon is made to end at a failpoint. `kill`: SIGKILL. `kill-twice`: and the one that comes back is
 * killed again, in its recovery. `stop`: SIGTERM. `stop-twice`: and a second one as soon as it has heard the
 * first.
 */
export const killKinds = ["kill", "kill-twice", "stop", "stop-twice"] as const;
export type KillKind = (typeof killKinds)[number];

export interface Kill {
  readonly kind: KillKind;
  readonly failpoint: string;
  /** `power`: what was not synced is gone too. A daemon that is stopped ends its process alone. */
  readonly crash: "process" | "power";
  /** Where the second of `kill-twice` is killed. */
  readonly again?: string;
}

/** What one daemon has coming. */
export interface Fault {
  readonly target: string;
  readonly kind: Exclude<KillKind, "kill-twice">;
  readonly crash: Kill["crash"];
}

/** Of the first daemon, and of the one that comes back. */
export function toFaults(kill: Kill | null): readonly Fault[] {
  if (kill === null) return [];
  const { kind, failpoint: target, crash, again } = kill;
  if (kind !== "kill-twice") return [{ target, kind, crash }];
  const first: Fault = { target, kind: "kill", crash };
  return again === undefined ? [first] : [first, { ...first, target: again }];
}

/** As `npm run test:fault --` takes it. */
export function toOptions({ kind, failpoint, crash, again }: Kill, isTurnedUp: boolean): string {
  return [
    `--at "${failpoint}"`,
    ...(kind === "kill" ? [] : [`--kind ${kind}`]),
    ...(again === undefined ? [] : [`--again "${again}"`]),
    ...(crash === "process" ? [] : [`--crash ${crash}`]),
    ...(isTurnedUp ? ["--turned-up"] : []),
  ].join(" ");
}
