/** Makes a plan that the replicas share: the survey of `redriver plan --out`, with its file kept in Redis. */
import type { Core, DrainRuntime, ListingSignals } from "../../../job/door.ts";
import { RedriverError, toFailure } from "../../../job/contracts/errors.ts";
import type { Clock } from "../../../job/contracts/clock.ts";
import {
  planLimits,
  type PlanBook,
  type PlanClaim,
  type PlanFilter,
  type PlanMaking,
} from "../../../job/contracts/plans.ts";
import { isAct } from "../../plan/plan-file-record.ts";
import { toShellWord } from "../shell-word.ts";
import { freezePlan } from "./freeze-plan.ts";
import { keepSigning, toWhyStopped } from "./keep-signing.ts";

export interface MakeRun {
  readonly core: Core;
  readonly book: PlanBook;
  readonly clock: Pick<Clock, "sleep">;
  readonly claim: PlanClaim;
  readonly drains: readonly DrainRuntime[];
  readonly filter: PlanFilter;
  readonly version: string;
  readonly signals: ListingSignals;
}

/** Some 500 records; packed, a part is a tenth of that. */
const partCharacters = 256 * 1_024;

/** Never throws: how it ended is in the plan's row. */
export async function makePlan(run: MakeRun): Promise<void> {
  const { core, book, clock, claim, drains, filter, version } = run;
  let making: PlanMaking = { drain: null, listed: 0, planned: 0 };
  /** Of the drains before. */
  let before = { listed: 0, planned: 0 };
  let acts = 0;
  let records = 0;
  const signing = keepSigning(book, clock, claim, () => making);
  const { signal } = run.signals;
  const signals = { signal, stopping: AbortSignal.any([run.signals.stopping, signing.signal]) };
  const file = createParts(book, claim, () =>
    tooMany(drains, filter, "would be larger than all shared plans may be"),
  );
  try {
    const { report } = await freezePlan({
      core,
      drains,
      filter,
      show: "masked",
      signals,
      version,
      write: file.write,
      onRecord: (_record, line) => {
        records += 1;
        if (records > planLimits.records) {
          throw tooMany(
            drains,
            filter,
            `has more than ${planLimits.records} records, the most of a shared plan`,
          );
        }
        if (isAct(line)) acts += 1;
      },
      onPage: (drain, page) => {
        if (making.drain !== drain) before = { listed: making.listed, planned: making.planned };
        const { listed, planned } = page;
        making = { drain, listed: before.listed + listed, planned: before.planned + planned };
      },
    });
    if (!report.complete) return await signing.end("interrupted", toWhyStopped(signals.stopping));
    const { sha256 } = JSON.parse(file.lastLine()) as { readonly sha256: string };
    const decisions: Record<string, number> = {};
    for (const drain of report.drains) {
      for (const [then, count] of Object.entries(drain.decisions)) {
        decisions[then] = (decisions[then] ?? 0) + count;
      }
    }
    const parts = await file.flush();
    const summary = JSON.stringify({ version, report });
    await book.complete(claim, { records, acts, decisions, sha256 }, summary, parts);
    await signing.close();
  } catch (error) {
    if (signals.stopping.aborted) return signing.end("interrupted", toWhyStopped(signals.stopping));
    const { code, message } = toFailure(error);
    await signing.end("failed", `${code}: ${message}`);
  }
}

/** Keeps lines in parts of bounded size. */
function createParts(book: PlanBook, claim: PlanClaim, toFull: () => RedriverError) {
  let text = "";
  let last = "";
  let parts = 0;
  const flush = async (): Promise<number> => {
    if (text === "") return parts;
    const answer = await book.append(claim, parts, text);
    if (answer === "full") throw toFull();
    if (answer === "lost")
      throw new RedriverError("plan-refused", "the plan is gone from Redis, or another replica has it");
    text = "";
    parts += 1;
    return parts;
  };
  return {
    async write(line: string): Promise<void> {
      last = line;
      text += line;
      if (text.length >= partCharacters) await flush();
    },
    flush,
    lastLine: () => last,
  };
}

function tooMany(drains: readonly DrainRuntime[], filter: PlanFilter, what: string): RedriverError {
  return new RedriverError(
    "plan-refused",
    `the plan ${what}; narrow it, or use a file: ${toPlanCommand(
      drains.map(({ config }) => config.name),
      filter,
    )} --out plan.ndjson, then redriver apply plan.ndjson`,
  );
}

/** The command that selects the same. */
export function toPlanCommand(
  drains: readonly string[],
  { rules = [], host, failure, limit, discard }: PlanFilter,
): string {
  return [
    "redriver plan",
    ...drains,
    ...rules.map((rule) => `--rule ${toShellWord(rule)}`),
    ...(host === undefined ? [] : [`--host ${toShellWord(host)}`]),
    ...(failure === undefined ? [] : [`--failure ${toShellWord(failure)}`]),
    ...(limit === undefined ? [] : [`--limit ${limit}`]),
    ...(discard === undefined ? [] : ["--discard"]),
  ].join(" ");
}
