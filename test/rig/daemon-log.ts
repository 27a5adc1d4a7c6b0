import type { AuditEntryText, Declarations } from "./declarations.ts";
import type { Judge } from "./judge.ts";
import type { Secrets } from "./secrets.ts";

type Line = AuditEntryText & {
  readonly audit?: boolean;
  readonly event?: string;
  readonly code?: string;
  readonly msg?: string;
  readonly level?: string;
};

/** What the daemons log: what they declare, what they cannot do just now, and what they must never say. */
export function createDaemonLog(judge: Judge, declarations: Declarations, secrets: Secrets) {
  const halted = new Map<number, string>();
  const counts = new Map<string, number>();
  const count = (event: string): void => void counts.set(event, (counts.get(event) ?? 0) + 1);
  return {
    /** Code by daemon. */
    halted,
    /** How often each event was logged. */
    counts,
    ended: (daemon: number) => void halted.delete(daemon),
    line(daemon: number, text: string, from: "stdout" | "stderr"): void {
      for (const name of secrets.find(text)) {
        judge.broken("leaked", `${name} is in a line on ${from} of daemon ${daemon}`);
      }
      const line = from === "stderr" ? null : parseLine(text);
      // Of the document, at each start.
      if (from === "stderr" && text.startsWith("warning: ")) return;
      if (line === null) {
        judge.broken("unexpected-error", `daemon ${daemon} said on ${from}: ${text.slice(0, 500)}`);
        return;
      }
      if (line.audit === true) return declarations.record("log", line);
      const { event = "", code } = line;
      count(event);
      // A scheduled job that its process was stopped in, three times: its schedule brings the next.
      if (event === "job:failed" && /^(?:census|sweep) job .*its process ended/.test(String(line.msg)))
        return;
      if (code === "unexpected" || code === "invariant-broken" || line.level === "fatal") {
        judge.broken("unexpected-error", `daemon ${daemon}: ${event}: ${code}: ${line.msg}`);
      }
      if (event === "source:halted") halted.set(daemon, code ?? "");
      if (event === "source:resumed") halted.delete(daemon);
    },
  };
}

function parseLine(text: string): Line | null {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}
