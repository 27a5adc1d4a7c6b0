/** Keeps a plan in Redis, line by line as its file is, while it is made or read from a file. */
import type { Clock } from "../../../job/contracts/clock.ts";
import { planRefused, RedriverError, toFailure } from "../../../job/contracts/errors.ts";
import type { DrainName, Identities, PlanId } from "../../../job/contracts/ids.ts";
import {
  type PlanAbout,
  type PlanBook,
  type PlanClaim,
  planLimits,
  type PlanMaking,
} from "../../../job/contracts/plans.ts";
import { isNewAct, type PlanRecord } from "../../plan/plan-file-record.ts";
import { keepSigning, toWhyStopped } from "./keep-signing.ts";
import { toShownUrl } from "../../../job/message/show-masked-values.ts";
import { createPlanWriter, type PlanFile, readPlan } from "../../plan/plan-file.ts";

export interface KeepParts {
  readonly book: PlanBook;
  readonly clock: Pick<Clock, "sleep">;
  readonly identities: Pick<Identities, "token">;
  readonly replica: string;
  readonly version: string;
  /** Most records of the plans that are made or applied here at once: their orders are in memory. */
  readonly maxRecords?: number;
}

export type Keeper = ReturnType<typeof createKeeper>;

/** Some 500 records; packed, a part is a tenth of that. */
const partCharacters = 256 * 1_024;

export function newClaim({ identities }: KeepParts): PlanClaim {
  return { id: identities.token() as string as PlanId, token: identities.token() };
}

/** `isPassing`: nobody asked to keep it, so what keeps it from being kept ends nothing else. */
export async function beginKeeping(
  parts: KeepParts,
  claim: PlanClaim,
  about: PlanAbout,
  isPassing = false,
): Promise<Keeper> {
  if ((await parts.book.begin(claim, about, parts.replica, isPassing)) === "begun") {
    return createKeeper(parts, claim, isPassing);
  }
  throw planRefused(
    isPassing
      ? "others were asked for, and there is no room beside them"
      : "there are as many applied plans already as may be at once: remove one (redriver plans remove)",
  );
}

function createKeeper(parts: KeepParts, claim: PlanClaim, isPassing: boolean) {
  const { book, clock, version, maxRecords = planLimits.records } = parts;
  let making: PlanMaking = { drain: null, listed: 0, planned: 0 };
  let before = { listed: 0, planned: 0 };
  const decisions = { republish: 0, drop: 0, settle: 0, park: 0, hold: 0 };
  let records = 0;
  let acts = 0;
  let text = "";
  let last = "";
  let count = 0;
  let whyNot: string | null = null;
  const signing = keepSigning(book, clock, claim, () => making);

  const flush = async (): Promise<void> => {
    const answer = text === "" ? "kept" : await book.append(claim, count, text);
    if (answer === "full") throw planRefused("the plan would be larger than all plans may be: narrow it");
    if (answer === "lost") throw planRefused("the plan is gone from Redis, or another has it");
    if (text !== "") count += 1;
    text = "";
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (whyNot !== null) return;
    try {
      await work();
    } catch (error) {
      if (!isPassing) throw error;
      whyNot = toFailure(error).message;
      await end("failed", whyNot);
    }
  };
  const end = async (state: "interrupted" | "failed", why: string): Promise<void> => {
    await signing.end(state, why);
    // Nobody asked for it, so nobody asks what became of it.
    if (isPassing) await book.remove(claim.id).catch(() => undefined);
  };

  return {
    id: claim.id,
    /** Aborts with the reason, once a person has stopped it. */
    signal: signing.signal,
    whyNot: () => whyNot,
    write: (line: string): Promise<void> =>
      attempt(async () => {
        last = line;
        text += line;
        if (text.length >= partCharacters) await flush();
      }),
    count(record: PlanRecord): void {
      records += 1;
      decisions[record.then] += 1;
      if (isNewAct(record)) acts += 1;
      if (records > maxRecords) {
        throw planRefused(
          `the plan has more than ${maxRecords} records, the most of a replica: narrow it, or make and apply it by commands (redriver plan --keep, redriver apply), which have no such limit`,
        );
      }
    },
    onPage(
      drain: DrainName,
      { listed, planned }: { readonly listed: number; readonly planned: number },
    ): void {
      if (making.drain !== drain) before = { listed: making.listed, planned: making.planned };
      making = { drain, listed: before.listed + listed, planned: before.planned + planned };
    },
    /** `report`: null of a file, which has none. `sha256`: of that file, if not of the lines. */
    complete: (report: object | null, sha256?: string): Promise<void> =>
      attempt(async () => {
        const hash = sha256 ?? (JSON.parse(last) as { readonly sha256: string }).sha256;
        await flush();
        const made = { records, acts, decisions, sha256: hash };
        const answer = await book.complete(claim, made, JSON.stringify({ version, report }), count);
        if (answer === "lost") throw planRefused("the plan is gone from Redis, or another has it");
        await signing.close();
      }),
    async abandon(stopping: AbortSignal, error?: unknown): Promise<void> {
      if (stopping.aborted) return end("interrupted", toWhyStopped(stopping));
      const { code, message } = toFailure(error);
      await end("failed", `${code}: ${message}`);
    },
  };
}

const never = new AbortController().signal;

/** Keeps the plan of a file, without the content that it may show. Throws `plan-invalid` if it is another file now. */
export async function importPlan({ head, sha256, read }: PlanFile, keeper: Keeper): Promise<void> {
  const { flags } = head;
  const writer = createPlanWriter();
  try {
    await keeper.write(writer.head({ ...head, flags: { ...flags, showContent: false } }));
    const reading = await readPlan(read(), async (record) => {
      const line = flags.showContent ? toMasked(record) : record;
      keeper.count(line);
      await keeper.write(writer.record(line));
    });
    if (!reading.ok || reading.sha256 !== sha256) {
      throw new RedriverError("plan-invalid", "the file was changed while it was read");
    }
    await keeper.write(writer.end());
    await keeper.complete(null, sha256);
  } catch (error) {
    await keeper.abandon(never, error);
    throw error;
  }
}

function toMasked({
  record: _record,
  becomes: _becomes,
  changes: _changes,
  ...line
}: PlanRecord): PlanRecord {
  return { ...line, url: toShownUrl(line.url, "masked") };
}
