import { RedriverError, misused } from "../../../job/contracts/errors.ts";
import { readPlan, type PlanFile, type PlanHead } from "../../plan/plan-file.ts";
import { isNewAct, type PlanRecord } from "../../plan/plan-file-record.ts";
import { readNamedFile } from "../input/named-file.ts";
import { systemClock } from "../../../system-world.ts";
import { createDecidedCount } from "../../plan/decided-count.ts";
import type { Io } from "../io.ts";
import { printResult } from "../output/print.ts";
import { counted, joined, toAge, toTime } from "../../operations/phrases.ts";
import { toAnswerText } from "../output/fields-text.ts";
import { toDecidedFields, toFilterFields, toRuleFields } from "./text.ts";

/**
 * Reads a whole plan; `-` is stdin. Throws `plan-invalid` for a file that is no plan or was changed, and
 * `command-misused` for one that cannot be read. Nothing may be done about a record before the answer.
 */
export async function readPlanFile(
  file: string,
  onRecord: (record: PlanRecord) => void = () => undefined,
): Promise<PlanFile> {
  // What comes by a pipe comes once.
  const piped: Buffer[] = [];
  const read = async function* (): AsyncGenerator<Buffer> {
    if (piped.length > 0) return yield* piped;
    for await (const chunk of readNamedFile(file)) {
      if (file === "-") piped.push(chunk);
      yield chunk;
    }
  };
  try {
    const reading = await readPlan(read(), onRecord);
    if (reading.ok) return { ...reading, read };
    throw new RedriverError("plan-invalid", `${file === "-" ? "the plan" : file}: ${reading.problem}`);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw misused(`${file} cannot be read: ${String(cause.code)}`, { cause });
  }
}

type ShownPlan = Omit<PlanHead, "redriverPlan" | "drains"> & { readonly drains: readonly FrozenDrain[] };
export type FrozenDrain = ReturnType<ReturnType<typeof createFileSummary>["drains"]>[number];

/** Flags of `plan` that only a queue can answer. */
const notOfFiles = ["records", "out", "showContent", "keep"] as const;

/** Sums a plan's file up, without settings, document, Redis or network. Throws as `readPlanFile` does. */
export async function showPlan(
  file: string,
  selected: object,
  flags: { readonly json?: boolean } & { readonly [Name in (typeof notOfFiles)[number]]?: unknown },
  io: Io,
): Promise<void> {
  if (Object.keys(selected).length > 0 || notOfFiles.some((name) => flags[name] !== undefined)) {
    throw misused("--show is of a whole file; only --json goes with it");
  }
  const now = systemClock.now();
  const summary = createFileSummary(now);
  const { head } = await readPlanFile(file, summary.add);
  const { createdAt, version, documentHash, flags: asked } = head;
  const drains = summary.drains(head);
  const shown = { createdAt, version, documentHash, flags: asked, drains };
  printResult(io, flags.json, shown, () => toShownPlanText(io.columns, shown, now));
}

const createPart = () => ({ decided: createDecidedCount(), acts: 0 });

/** Sums of bounded size for any number of records. `now`, Unix ms: the basis of expiry. */
function createFileSummary(now: number) {
  const byDrain = new Map<string, ReturnType<typeof createPart>>();
  return {
    add(record: PlanRecord): void {
      const part = byDrain.get(record.drain) ?? createPart();
      byDrain.set(record.drain, part);
      part.decided.add(record, now);
      if (isNewAct(record)) part.acts += 1;
    },
    /** `acts`: of those planned, records that an apply would act on. */
    drains: (head: PlanHead) =>
      head.drains.map((planned) => {
        const { decided, acts } = byDrain.get(planned.drain) ?? createPart();
        return { ...planned, acts, ...decided.report([]) };
      }),
  };
}

/** `now`, Unix ms: ages and what is left of a retention go by it. */
function toShownPlanText(columns: number, plan: ShownPlan, now: number): string {
  const { createdAt, flags, documentHash, version } = plan;
  const verdict = `Plan of ${toTime(createdAt)} (${toAge(createdAt, now)} ago), read from its file alone.`;
  const head = {
    document: documentHash.slice(0, 12),
    "made by": `redriver ${version}`,
    ...toFilterFields(flags),
    "with content": joined(flags.showContent && "header values, bodies and whole URLs are in it"),
  };
  const drains = plan.drains.map((drain) => {
    const { host = "an address that it does not name", planned, acts, source, address } = drain;
    const view = {
      entered: `until ${toTime(drain.to)}`,
      source: `${source}, address ${address}, rules ${drain.rulesHash.slice(0, 12)}`,
      ...toDecidedFields(drain, now, "apply"),
      ...toRuleFields(drain.rules, now),
    };
    const heading = `${drain.drain} on ${host}: ${counted(planned, "record")}, ${acts} to act on`;
    return `\n${toAnswerText(columns, heading, view, now)}`;
  });
  return joined(toAnswerText(columns, verdict, head, now), ...drains);
}
