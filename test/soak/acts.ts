import type { FaultDefinition } from "../../dev/emulator/index.ts";
import type { Share } from "../support/tcp-proxy.ts";
import { lyingAboutPositions } from "./emulator-faults.ts";

export type TcpHow = "cut" | "reset" | "stall" | "half-open" | "slow";

/** What the soak does to a part of the stand, for as long as it is planned; then it takes it back. */
export type Act =
  /** SIGKILL, and started again at the end. */
  | { readonly kind: "kill"; readonly daemon: number }
  /** SIGTERM, and started again at the end. */
  | { readonly kind: "terminate"; readonly daemon: number }
  /** SIGSTOP, and SIGCONT at the end. */
  | { readonly kind: "freeze"; readonly daemon: number }
  /** The wall clock of the one daemon that has a clock of its own. It stays so after the end. */
  | { readonly kind: "shift-clock"; readonly offsetMs: number }
  | { readonly kind: "redis-restart"; readonly signal: "SIGTERM" | "SIGKILL" }
  | { readonly kind: "redis-freeze" }
  /** Out of memory: refuses what writes. */
  | { readonly kind: "redis-full" }
  /** Refuses writes for want of replicas. */
  | { readonly kind: "redis-refuses-writes" }
  | { readonly kind: "redis-flush" }
  /** To a replica that has not got the last `lagMs` of writes. */
  | { readonly kind: "redis-failover"; readonly lagMs: number }
  | {
      readonly kind: "tcp-redis";
      readonly how: TcpHow;
      readonly daemons: readonly number[];
      readonly delayMs: number;
    }
  | { readonly kind: "tcp-service"; readonly how: TcpHow; readonly share: Share; readonly delayMs: number }
  | { readonly kind: "emulator"; readonly fault: FaultDefinition }
  /** The Date of its answers. */
  | { readonly kind: "service-clock"; readonly offsetMs: number }
  | {
      readonly kind: "service-rate-limit";
      readonly operation: "list" | "delete" | "batch";
      readonly perS: number;
    }
  | { readonly kind: "listing-order" }
  /** The old token is refused at once, and the file that the daemons read has the new one at the end. */
  | { readonly kind: "token-rotated" }
  /** Refuses all items until the daemons give up on the source; those are started again at the end. */
  | { readonly kind: "refuse-everything" }
  | { readonly kind: "receiver-down"; readonly status: 503 | 500 | 429 }
  /** Many dead letters at once. */
  | { readonly kind: "burst"; readonly count: number };

export interface PlannedAct {
  /** Ms since the start. */
  readonly at: number;
  readonly forMs: number;
  readonly act: Act;
}

const signals = { kill: "SIGKILL", terminate: "SIGTERM", freeze: "SIGSTOP" } as const;

/** Kind for people, and for counting. */
export function nameOf(act: Act): string {
  if (act.kind === "kill" || act.kind === "terminate" || act.kind === "freeze") return signals[act.kind];
  if (act.kind === "redis-restart") return `${act.kind} ${act.signal}`;
  if (act.kind === "tcp-redis" || act.kind === "tcp-service") return `${act.kind} ${act.how}`;
  return act.kind === "emulator" ? `${act.kind} ${act.fault.kind}` : act.kind;
}

/** After these the ledger may lack writes that were acknowledged. */
export function losesWrites(act: Act): boolean {
  return act.kind === "redis-flush" || act.kind === "redis-failover";
}

/**
 * What keeps all daemons from working: one such act at a time, or nothing would be under way for the others
 * to meet.
 */
const everybody = "everybody";

/** What an act has to itself while it lasts. */
export function claimsOf(act: Act): readonly string[] {
  switch (act.kind) {
    case "kill":
    case "terminate":
    case "freeze":
      return [`daemon ${act.daemon}`];
    case "redis-restart":
    case "redis-freeze":
    case "redis-full":
    case "redis-refuses-writes":
    case "redis-failover":
      return ["redis", everybody];
    case "redis-flush":
      return ["redis"];
    case "tcp-redis": {
      const paths = act.daemons.map((daemon) => `redis path ${daemon}`);
      return act.daemons.length > 1 && act.how !== "slow" ? [...paths, everybody] : paths;
    }
    case "tcp-service":
      return act.share === "all" && act.how !== "slow" ? ["service path", everybody] : ["service path"];
    case "service-rate-limit":
      return [act.kind, everybody];
    case "listing-order":
    case "token-rotated":
    case "receiver-down":
    case "shift-clock":
    case "service-clock":
    case "burst":
      return [act.kind];
    case "refuse-everything":
      return ["positions", everybody];
    case "emulator":
      return lyingAboutPositions.has(act.fault.kind) ? ["positions"] : [];
  }
}
