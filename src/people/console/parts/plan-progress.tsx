import type {
  PlanApplyDrain,
  PlanMade,
  PlanVerdict,
  SharedPlan,
  PlanState,
} from "../../../job/contracts/plans.ts";
import { defined } from "../../../job/message/defined.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { settledText, toNothing } from "../../operations/plans/decision-text.ts";
import { renewLaneWaitText, toWaitText } from "../../operations/lane-words.ts";
import { skippedOf } from "../../plan/skipped-by-apply.ts";
import type { Html } from "../screen.ts";
import { CameBackAs, type KindPages } from "./came-back-as.tsx";
import { Table } from "./table.tsx";
import { ifAny, number, toCountedBy, toCounts } from "../../operations/phrases.ts";
import { Foreign, Points } from "./text.tsx";
import { Time } from "./time.tsx";

const moodOfState: Readonly<Record<string, string>> = { applied: "good", interrupted: "warn", failed: "bad" };

interface Props {
  readonly plan: SharedPlan;
  readonly now: number;
  /** What goes to destinations that are halted now. `isWhole`: false if a few destinations are not looked at. */
  readonly halted: { readonly count: number; readonly isWhole: boolean };
  /** By kind of failure that has a page: its answer. */
  readonly kindPages: KindPages;
  /** As it is now. `destination`: as it is shown. */
  readonly laneOf: (drain: string, destination: string) => LaneStanding | undefined;
}

/** How far the making or the apply of a plan is. `data-phase`: a browser loads the page anew if it changes. */
export function PlanProgress({ plan, now, halted, kindPages, laneOf }: Props): Html {
  const { state, why, filter, making, apply, stoppedBy, replica } = plan;
  const parts = toParts(apply?.drains ?? []);
  const verdicts = parts.flatMap(({ drain, verdict, done, before, meanwhile = 0 }) =>
    verdict ? [{ drain, ...verdict, isOfOthers: done === 0 && before + meanwhile > 0 }] : [],
  );
  const nothing = apply && state === "applied" ? toNothing(apply.drains, filter.discard === true) : null;
  const isWaiting = state === "ready" && halted.count > 0;
  const moods = [
    moodOfState[state] ?? "",
    isWaiting || nothing !== null ? "warn" : "good",
    ...verdicts.map(moodOf),
  ];
  const worst = ["bad", "warn", ""].find((one) => moods.includes(one)) ?? "good";
  return (
    <>
      <p class={`verdict ${worst}`} role="status" data-phase={state}>
        The plan is {stateWords[state]}
        {state === "ready" && plan.made !== null ? toOutcome(plan.made, halted) : ""}
        {nothing === null ? "" : `, but ${nothing}`}
        {why === null ? null : (
          <>
            : <Foreign text={why} />
          </>
        )}
        {state === "stopping" && stoppedBy !== null ? (
          <>
            , by <Foreign text={stoppedBy} />
          </>
        ) : null}
        .
      </p>
      {verdicts.map(({ isOfOthers, drain, text, ...verdict }) => (
        <p class={`verdict ${moodOf(verdict)}`} role="status">
          {drain}: {isOfOthers ? "this apply sent nothing; of what was sent without it, " : ""}
          <Foreign text={text} />.
          <CameBackAs kinds={verdict.kinds} pages={kindPages} />
        </p>
      ))}
      {making === null ? null : (
        <p>
          {number(making.listed)} read, {number(making.planned)} in the plan
          {making.drain === null ? null : `, drain ${making.drain}`}. Replica {replica} works on it.
        </p>
      )}
      {apply === null ? null : (
        <>
          <h2>Apply</h2>
          <p>
            By <Foreign text={apply.by} />: <Foreign text={apply.why} />. Began{" "}
            <Time at={apply.startedAt} isExact />
            {apply.endedAt === null ? null : (
              <>
                , ended <Time at={apply.endedAt} isExact />
              </>
            )}
            , in replica {replica}.
          </p>
          {parts.map((drain) => (
            <Bar drain={drain} forMs={apply.endedAt === null ? now - apply.startedAt : null} />
          ))}
          <Drains drains={parts} now={now} laneOf={laneOf} />
        </>
      )}
    </>
  );
}

/** Without those that have nothing of the plan, if another has. */
function toParts(drains: readonly PlanApplyDrain[]): readonly PlanApplyDrain[] {
  const some = drains.filter(({ planned }) => planned > 0);
  return some.length > 0 ? some : drains;
}

/** The best that silence can give is neither green nor a warning. */
function moodOf({ state, isBad, cameBack, silent }: Omit<PlanVerdict, "text">): string {
  if (isBad) return "bad";
  if (cameBack > 0 || (state !== "told" && state !== "following")) return "warn";
  return silent > 0 ? "" : "good";
}

function toOutcome({ acts, records, decisions }: PlanMade, { count, isWhole }: Props["halted"]): string {
  const settled = ifAny(decisions["settle"] ?? 0, settledText);
  if (count === 0) {
    return `: ${number(acts)} of ${number(records)} were to be acted on when it was made${settled && `, ${settled}`}`;
  }
  const [atMost, atLeast] = isWhole ? ["", ""] : ["at most ", "at least "];
  const others = Math.max(0, acts - count);
  return `: ${atMost}${number(others)} can go at once; ${atLeast}${number(count)} wait: their destinations are halted`;
}

function Drains({
  drains,
  ...known
}: Pick<Props, "now" | "laneOf"> & { readonly drains: readonly PlanApplyDrain[] }): Html {
  return (
    <>
      <Table
        caption="Progress by drain"
        empty="It begins."
        rows={drains}
        columns={({ column, amounts }) => [
          column("drain", ({ drain }) => drain),
          column("phase", ({ phase }) => phaseWords[phase]),
          amounts("of", ({ planned }) => planned),
          amounts("done before it", ({ before }) => before),
          amounts("done by it", ({ done }) => done),
          amounts("done by others meanwhile", ({ meanwhile = 0 }) => meanwhile),
          amounts("skipped", ({ skipped }) => skippedOf(skipped)),
          amounts("left", ({ left }) => left),
          amounts("failed again", ({ failedAgain }) => failedAgain),
        ]}
      />
      {drains.map((drain) => (
        <Notes drain={drain} {...known} />
      ))}
    </>
  );
}

const phaseWords: Readonly<Record<PlanApplyDrain["phase"], string>> = {
  checking: "decided again",
  applying: "acted on",
  ended: "done or skipped",
};

function Bar({
  drain: { drain, phase, planned, checked, left, done, countedAt },
  forMs,
}: {
  readonly drain: PlanApplyDrain;
  /** Since the apply began; null: it has ended. */
  readonly forMs: number | null;
}): Html {
  const value = phase === "checking" ? checked : planned - left;
  const words = `${drain}: ${number(value)} of ${number(planned)} ${phaseWords[phase]}${toCountedBy(countedAt)}`;
  const rate = phase === "applying" && forMs !== null ? toRate(done, forMs) : "";
  return (
    <p class="progress">
      <progress aria-label={words} max={Math.max(1, planned)} value={value}>
        {value} of {planned}
      </progress>
      <span>
        {words}
        {rate}
      </span>
    </p>
  );
}

/** Empty if it is less than one a minute: a number would say more than is known. */
function toRate(done: number, forMs: number): string {
  const aMinute = Math.round((done * 60_000) / Math.max(1_000, forMs));
  if (aMinute < 1) return "";
  const isFast = aMinute >= 60;
  return `, ${number(isFast ? Math.round(aMinute / 60) : aMinute)} a ${isFast ? "second" : "minute"} since it began`;
}

function Notes({
  drain: { drain, phase, wait, left, leftReasons, skippedExamples },
  now,
  laneOf,
}: Pick<Props, "now" | "laneOf"> & { readonly drain: PlanApplyDrain }): Html {
  const isLeft = phase === "ended" && left > 0;
  const lanes = wait?.lanes?.map((told) => renewLaneWaitText(told, (one) => laneOf(drain, one), now));
  return (
    <>
      {wait === null ? null : (
        <p>
          {drain} waits for <Foreign text={toWaitText({ ...wait, ...defined({ lanes }) })} isWhole />.
        </p>
      )}
      {isLeft ? (
        <p>
          {drain} has {number(left)} left:{" "}
          <Foreign text={toCounts(leftReasons).join(", ") || "no reason is known"} />. An apply goes on with
          them
          {"lane-halted" in leftReasons ? ", with a probe first" : ""}.
        </p>
      ) : null}
      {skippedExamples.length === 0 ? null : (
        <>
          <p>Skipped in {drain}, for example:</p>
          <Points texts={skippedExamples} />
        </>
      )}
    </>
  );
}

export const stateWords: Readonly<Record<PlanState, string>> = {
  making: "being made",
  ready: "ready",
  applying: "being applied",
  stopping: "stopping at the end of the batch",
  applied: "applied",
  interrupted: "ended early",
  failed: "failed",
  unreadable: "not readable",
};
