import { systemClock } from "../../../system-world.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { createFileSummary, type FrozenDrain } from "../../plan/file-summary.ts";
import type { PlanHead } from "../../plan/plan-file.ts";
import type { Io } from "../io.ts";
import { printResult } from "../output/print.ts";
import { counted, joined, toAge, toTime } from "../../operations/phrases.ts";
import { wrapText } from "../output/wrap.ts";
import { readPlanFile } from "./file.ts";
import { toDecisionsText, toExpiryText, toRulesText } from "./decisions-text.ts";
import { toFilterText } from "./text.ts";

type ShownPlan = Omit<PlanHead, "redriverPlan" | "drains"> & { readonly drains: readonly FrozenDrain[] };

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
    throw new RedriverError("command-misused", "--show is of a whole file; only --json goes with it");
  }
  const now = systemClock.now();
  const summary = createFileSummary(now);
  const { head } = await readPlanFile(file, summary.add);
  const { createdAt, version, documentHash, flags: asked } = head;
  const drains = summary.drains(head);
  const shown: ShownPlan = allPrintable({ createdAt, version, documentHash, flags: asked, drains });
  printResult(io, flags.json, shown, () => toShownPlanText(io.columns, shown, now));
}

/** Anybody may have written the file, so a terminal gets no string of it as it is. */
function allPrintable<Value>(value: Value): Value {
  if (typeof value === "string") return toPrintable(value) as Value;
  if (Array.isArray(value)) return value.map(allPrintable) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, allPrintable(inner)])) as Value;
}

/** `now`, Unix ms: ages and what is left of a retention go by it. */
function toShownPlanText(columns: number, plan: ShownPlan, now: number): string {
  const { createdAt, flags } = plan;
  return joined(
    `Plan of ${toTime(createdAt)} (${toAge(createdAt, now)} ago), document ${plan.documentHash.slice(0, 12)}.\n`,
    `Made by redriver ${plan.version}; read from the file alone, nothing was asked.\n`,
    toFilterText(flags),
    flags.showContent && "With content: header values, bodies and whole URLs are in it.\n",
    ...plan.drains.map((drain) => `\n${toDrainText(columns, drain, now)}`),
  );
}

function toDrainText(columns: number, drain: FrozenDrain, now: number): string {
  const { host = "an address that it does not name" } = drain;
  const source = `${drain.source}, address ${drain.address}, rules ${drain.rulesHash.slice(0, 12)}`;
  return joined(
    `${drain.drain} on ${host}: ${counted(drain.planned, "record")}, ${drain.acts} to act on\n`,
    `  entered until ${toTime(drain.to)}\n`,
    wrapText(columns, 2, "source    ", source),
    toExpiryText(columns, 2, drain.expiry, now, "always"),
    toDecisionsText(columns, drain, now, { label: "apply" }),
    toRulesText(columns, drain.rules, now),
  );
}
