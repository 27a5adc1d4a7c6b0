/** Where something waits or is parked, by what becomes of it: what is stopped comes first. */
import { toDestinationText } from "../../operations/destination-text.ts";
import { capitalised, counted, number, toKnown, toLeft, toOwnersText } from "../../operations/phrases.ts";
import { toOnceByOrigin, toOwnersOfKinds } from "../../operations/status/halted-needs.ts";
import type { Status } from "../../operations/status/read.ts";
import { toUnknown } from "../../operations/status/unknown.ts";
import { sumOf, toExpired, toTotals, type Certain } from "../../read/totals.ts";
import { toQuery } from "../query.ts";
import type { Html } from "../screen.ts";
import { toProber, type Prober } from "../../operations/lane-words.ts";
import { LaneWords, PauseWords } from "./lane.tsx";
import { ShareCell, toPercent } from "./share-bar.tsx";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";
import { Ago } from "./time.tsx";

const groups = ["halted", "paused", "only planned", "held", "drains", "parked"] as const;
type Group = (typeof groups)[number];

type DestinationRow = Status["drains"][number]["destinations"][number] & {
  readonly drain: string;
  readonly source: string;
  /** Of its drain: at least so many wait and are parked. */
  readonly stillCounting: boolean;
  /** Its drain; null: it is not. */
  readonly paused: Status["drains"][number]["paused"];
  readonly group: Group;
  readonly prober: Prober;
};

const openUpTo = 6;
const rowsShown = 50;

export function Destinations({ status }: { readonly status: Status }): Html {
  const rows = toDestinationRows(status);
  const { waiting } = toTotals(status);
  const unknown = toUnknown(status);
  return (
    <>
      <h2>Destinations</h2>
      {status.sources.some(({ shared }) => shared !== null) ? (
        <p class="hint">By drain: what several drains list stands in each of them.</p>
      ) : null}
      {rows.length === 0 ? (
        <p class="empty">
          {unknown === ""
            ? "Nothing waits at any destination, and nothing is parked."
            : `${capitalised(unknown)}.`}
        </p>
      ) : (
        <p class="hint">
          A lane sends a few messages to a destination first, more if they are delivered, and none if they
          fail.
        </p>
      )}
      {groups.map((group) => (
        <GroupOf
          group={group}
          rows={rows.filter((one) => one.group === group)}
          waiting={waiting}
          status={status}
        />
      ))}
    </>
  );
}

function GroupOf({
  group,
  rows,
  waiting,
  status,
}: Readonly<{
  group: Group;
  rows: readonly DestinationRow[];
  waiting: number;
  status: Status;
}>): Html | null {
  if (rows.length === 0) return null;
  const { drains, at: now } = status;
  const own = toOnceByOrigin(rows, drains, "waiting");
  const parked = toOnceByOrigin(rows, drains, "parked");
  const isCounting = rows.some(({ stillCounting }) => stillCounting);
  const isOnce = rows.every(({ again }) => again === undefined);
  const heldOf = (one: DestinationRow): number =>
    (group === "drains" || group === "only planned") && isOnce ? one.heldByRules : 0;
  const held = sumOf(rows, heldOf);
  const heldWords = held === 0 ? "" : `, ${toLeft(held, toExpired(rows, heldOf))} of them held by rules`;
  const toSum = ({ count, isExact, ...rest }: Certain): string =>
    toKnown(count, { stillCounting: isCounting || !isExact, ...rest });
  const words =
    group === "parked"
      ? `${toSum(parked)} parked`
      : `${toSum(own)} wait${heldWords}, ${toPercent(own.count / Math.max(1, waiting))} of all`;
  const more = rows.length - rowsShown;
  const [mood, one, many = one] = moods[group];
  return (
    <details class="group" open={rows.length <= openUpTo} data-fold={group}>
      <summary>
        <span class={`dot ${mood}`}></span> <strong>{counted(rows.length, one, many)}</strong>{" "}
        <span class="hint">{words}</span>
      </summary>
      <Table
        caption={`Destinations: ${group}`}
        empty=""
        rows={rows.slice(0, rowsShown)}
        columns={({ column, amounts }) => [
          column("destination", ({ origin, drain, source, owners, ownersOfKinds }) => (
            <>
              <a href={`/failures${toQuery({ host: origin, drain })}`}>
                <Foreign text={toDestinationText(origin)} />
              </a>
              {owners.length + ownersOfKinds.length === 0 ? null : (
                <span class="note">
                  <Foreign
                    text={toOwnersText(owners, now) || toOwnersOfKinds(status, source, ownersOfKinds)}
                    isWhole
                  />
                </span>
              )}
            </>
          )),
          column("waiting", (row) => (
            <ShareCell
              count={row.waiting}
              of={waiting}
              whole="all that waits"
              name={mood}
              text={toKnown(row.waiting, row)}
            />
          )),
          amounts("parked", (row) => toKnown(row.parked, row)),
          amounts("failed again", ({ failedAgain }) => failedAgain),
          column("failing since", ({ failingSince }) =>
            failingSince === null ? null : <Ago at={failingSince} now={now} />,
          ),
          column("lane", (row) => <LaneCell {...row} />),
          column("drain", ({ drain }) => drain),
        ]}
      />
      {more > 0 ? <p class="hint">and {number(more)} more</p> : null}
    </details>
  );
}

const moods: Readonly<
  Record<Group, readonly [mood: "bad" | "warn" | "good" | "", one: string, many?: string]>
> = {
  halted: ["bad", "halted"],
  paused: ["warn", "paused"],
  "only planned": ["", "only planned"],
  held: ["warn", "held by rules"],
  drains: ["good", "that drains", "that drain"],
  parked: ["warn", "with only parked messages"],
};

function LaneCell({ pause: hostPause, paused, lane, group, drain, ...rest }: DestinationRow): Html | null {
  const pause = hostPause ?? (paused !== null && "reason" in paused ? paused : undefined);
  if (pause === undefined && paused !== null) return <span class="warn">paused by the drains document</span>;
  if (group === "only planned") return <a href={`/plans${toQuery({ drain })}`}>plan and apply</a>;
  if (pause !== undefined) return <PauseWords pause={pause} />;
  if (group === "held") return <a href="/rules">which rules</a>;
  return lane && <LaneWords lane={lane} hasNext={goesOn(rest)} />;
}

/** Redriver sends something there by itself. */
export function goesOn({
  waiting,
  heldByRules,
  prober,
}: Pick<DestinationRow, "waiting" | "heldByRules" | "prober">): boolean {
  return prober === "redriver" && waiting > heldByRules;
}

/** In each group those with most that waits come first. */
export function toDestinationRows({ drains }: Status): readonly DestinationRow[] {
  return drains
    .flatMap(({ drain, source, mode, paused, stillCounting, destinations }) =>
      destinations.map((one): DestinationRow => ({
        ...one,
        drain,
        source,
        stillCounting,
        paused,
        prober: toProber(mode),
        group: toGroup(one, mode === "plan"),
      })),
    )
    .filter(({ waiting, parked }) => waiting + parked > 0)
    .toSorted(
      (one, other) =>
        groups.indexOf(one.group) - groups.indexOf(other.group) ||
        other.waiting - one.waiting ||
        other.parked - one.parked,
    );
}

function toGroup(
  { waiting, isPaused, isHeldByRules, lane }: Status["drains"][number]["destinations"][number],
  isPlan: boolean,
): Group {
  if (waiting === 0) return "parked";
  if (isPaused) return "paused";
  if (lane?.state === "halted") return "halted";
  if (isHeldByRules) return "held";
  return isPlan ? "only planned" : "drains";
}
