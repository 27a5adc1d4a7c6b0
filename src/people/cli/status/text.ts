import { formatDuration } from "../../../job/rules/durations.ts";
import { laneStates, type LaneState } from "../../../job/contracts/lanes.ts";
import {
  counted,
  ifAny,
  joined,
  present,
  toAge,
  toIn,
  toOwnersText,
  type Part,
  cut,
} from "../../operations/phrases.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import type { OpenPass } from "../../../job/contracts/passes.ts";
import { maxName, toModeText, toNextText } from "./drain-words.ts";
import type { LaneStatus, Status } from "../../operations/status/read.ts";
import { cutMiddle, toDestinationText } from "../../operations/destination-text.ts";
import { toHostPausesText, toPausedBy } from "./pauses-text.ts";
import { toCount } from "./overview.ts";
import { toTable } from "../output/table.ts";
import { wrapList, wrapText, wrapWords } from "../output/wrap.ts";

/** What `redriver status <drain>` prints: a table of the drains, then the lines of each part. */
export function toStatusText(columns: number, status: Status): string {
  const { drains, sources, replicas, at } = status;
  const table = toTable(drains, {
    drain: ({ drain }) => (Number.isFinite(columns) ? cut(drain, maxName) : drain),
    mode: toModeText,
    due: ({ due }) => due ?? "-",
    held: ({ held }) => held ?? "-",
    parked: ({ parked, stillCounting }) => (parked === undefined ? "-" : toCount(parked, stillCounting)),
    unproven: ({ inDoubt, outlook }) => (inDoubt === undefined ? "-" : outlook.waitingForProof),
    "next pass": (drain) => toNextText(drain, replicas, at),
  });
  const sections = [
    toDocumentText(columns, status),
    table,
    ...drains.map((drain) => toDrainText(columns, drain, at)),
    ...sources.map((source) => toSourceText(columns, source, status)),
    toReplicaText(columns, status),
  ];
  return sections.join("\n");
}

type DrainStatus = Status["drains"][number];
type SourceStatus = Status["sources"][number];
type ReplicaStatus = Status["replicas"][number];

/** So that it fits a line beside the name; `--json` has the whole. */
const maxOrigin = 44;

function toDocumentText(columns: number, { documentHash, documentProblems, replicas }: Status): string {
  if (documentHash !== null) return `document ${documentHash}\n`;
  const hashes = [...new Set(replicas.map((replica) => replica.documentHash))];
  const running = hashes.length === 0 ? "" : `; replicas go on under ${hashes.join(", ")}`;
  const problems = `${counted(documentProblems, "problem")}, see redriver rules check`;
  const text = `document does not load: ${problems}; modes and guards are not known here${running}`;
  return wrapWords(columns, 0, "", text);
}

function toDrainText(columns: number, drain: DrainStatus, now: number): string {
  // What waits for its drop is counted as due, and waits for no publish.
  const { "archive-missing": drops = 0, ...due }: Counts = drain.reasons?.due ?? {};
  // Those of the last passes may be over. `waiting` has what holds destinations now.
  const {
    "lane-halted": _halted,
    "lane-watched": _watched,
    "host-paused": _paused,
    ...held
  }: Counts = drain.reasons?.held ?? {};
  const closed = drain.guards.filter(({ effect }) => effect === "closed");
  const heading = `${drain.drain}: ${toModeText(drain)}, source ${drain.source}\n`;
  return toSection(columns, heading + toPauseText(columns, drain.paused, now), [
    ["due", toReasons(due)],
    ["drops", [drops > 0 && `archive-missing ${drops}`, drops > 0 && "due once the archive can be written"]],
    ["held", toReasons(held)],
    ...toWaitRows(drain, now),
    ["parked", toReasons(drain.reasons?.parked)],
    ["guards", closed.map(({ index }) => `index ${index} holds it back`)],
    ["passes", toPassItems(drain, now)],
  ]);
}

type ListRow = readonly [label: string, items: readonly Part[], indent?: number];

function toSection(columns: number, heading: string, rows: readonly ListRow[]): string {
  const lists = rows.map(([label, items, indent = 2]) => wrapList(columns, indent, label, items));
  return [heading, ...lists].join("");
}

function toPauseText(columns: number, paused: DrainStatus["paused"], now: number): string {
  if (paused === null) return "";
  const byPerson = "reason" in paused && toPausedBy(paused, now);
  return wrapText(columns, 2, "paused    ", byPerson || "by the drains document");
}

const maxWaits = 5;

/** By destination, the most first: its lane or a person's pause, read now. What rules hold is among `held`. */
function toWaitRows({ destinations }: DrainStatus, now: number): readonly ListRow[] {
  const held = destinations
    .map((one) => ({ ...one, waiting: one.waiting - one.heldByRules }))
    .filter(({ waiting, lane, pause }) => waiting > 0 && (pause !== null || (lane && isHolding(lane))))
    .toSorted((one, other) => other.waiting - one.waiting);
  const more = held.slice(maxWaits).reduce((sum, { waiting }) => sum + waiting, 0);
  const rows = held
    .slice(0, maxWaits)
    .map(({ origin, waiting, lane, pause, owners }): readonly Part[] => [
      `${waiting} for ${cutMiddle(toDestinationText(origin), maxOrigin)}`,
      ...(pause !== null ? ["paused by a person"] : lane === null ? [] : toStandingItems(lane)),
      toOwnersText(owners, now),
    ]);
  const others = more > 0 && [`${more} for ${counted(held.length - maxWaits, "more destination")}`];
  return [...rows, others || []].map((items, index) => [index === 0 ? "waiting" : "", items]);
}

function isHolding({ state, nextInMs }: LaneStanding): boolean {
  return state !== "open" || nextInMs > 0;
}

function toStandingItems({ state, sent, nextInMs }: LaneStanding): readonly string[] {
  if (state === "open") return [state, "goes on after a listing check that is due"];
  const next = state === "halted" ? (sent > 0 ? "a probe is out, result" : "next probe") : "next step";
  return [state, `${next} ${toIn(nextInMs)}`];
}

type Counts = Readonly<Record<string, number | undefined>>;

function toReasons(counts: Counts = {}): readonly string[] {
  return Object.entries(counts)
    .toSorted(([, one = 0], [, other = 0]) => other - one)
    .map(([reason, count = 0]) => `${reason} ${count}`);
}

function toPassItems(
  { lastSuccessAt, lastFullAt, lastOutcome, openPass, exact, stillCounting }: DrainStatus,
  now: number,
) {
  const items = present([
    ...(openPass ? toOpenPassItems(openPass, now) : []),
    lastOutcome && lastOutcome !== "complete" && `the last was ${lastOutcome}`,
    lastSuccessAt && `last complete ${toAge(lastSuccessAt, now)} ago`,
    lastFullAt && `last full ${toAge(lastFullAt, now)} ago`,
    openPass && stillCounting && "still counting: there may be more than these",
    lastSuccessAt &&
      (exact === true ? "counts are exact" : "counts are of then, with what came and went since"),
  ]);
  return items.length === 0 ? ["none has ended yet"] : items;
}

/** Its counts are of the pages that it has done. */
function toOpenPassItems({ startedAt, windowsLeft, soFar }: OpenPass, now: number): readonly Part[] {
  const { listed, republished, due, held, parked } = soFar;
  return [
    `one is open since ${toAge(startedAt, now)}`,
    `${listed} listed so far`,
    `${republished} sent again`,
    ifAny(due, "left due"),
    ifAny(held, "held"),
    ifAny(parked, "parked"),
    `${counted(windowsLeft, "window")} left`,
  ];
}

function toSourceText(columns: number, source: SourceStatus, { at: now, drains, replicas }: Status): string {
  const pauses = replicas.flatMap(({ replica, resting, seenAt }) =>
    resting
      .filter((one) => one.source === source.source)
      .flatMap(({ state, code }) => [
        `${replica} is ${state} (${code})`,
        `reported ${toAge(seenAt, now)} ago`,
      ]),
  );
  const section = toSection(columns, `source ${source.source}\n`, [
    ...toCensusRows(source, now),
    [
      "ledger",
      [
        `open ${source.open ?? "-"}`,
        `unknown ${source.unknown ?? "-"}`,
        `pending delete ${source.pendingDelete ?? "-"}`,
        source.oldestPendingAt && `the oldest ${toAge(source.oldestPendingAt, now)}`,
        source.failedDeletes && `failed deletes ${source.failedDeletes}`,
        source.settleGate === "closed" && "publishing waits until these are deleted",
      ],
    ],
    ...toLaneRows(source.lanes, now, (drain) => toStandstill(drain, drains, replicas)),
    // Each replica reports what it knows, so one that does not run reports none.
    ["pauses", pauses],
  ]);
  return section + toHostPausesText(columns, source.hostPauses, now);
}

function toExpiring(count: number, tail: string): Part {
  return count > 0 && `${count} ${count === 1 ? "expires" : "expire"} soon ${tail}`;
}

function toRecords(count: number): string {
  return counted(count, "record");
}

function toDepthText({ count, stillCounting }: NonNullable<SourceStatus["depth"]>): string {
  return stillCounting ? `at least ${toRecords(count)}, still counting` : toRecords(count);
}

function toCensusRows(
  { census, depth }: Pick<SourceStatus, "census" | "depth">,
  now: number,
): readonly ListRow[] {
  if (census === null) {
    return [
      ["queue", depth === null ? ["not counted yet"] : [toDepthText(depth), "no census has ended yet"]],
    ];
  }
  const isSince = depth !== null && depth.count !== census.depth;
  const counting = `counted ${toAge(census.at, now)} ago`;
  const { oldestEnteredAt, earliestExpiryAt: expiryAt, strayComeBacks } = census;
  const isExpired = expiryAt !== null && expiryAt < now;
  return [
    [
      "queue",
      [
        toRecords(isSince ? depth.count : census.depth),
        oldestEnteredAt !== null && `oldest ${toAge(oldestEnteredAt, now)}`,
        isExpired && "the first has expired",
        expiryAt !== null && !isExpired && `first expires in ${formatDuration(expiryAt - now)}`,
        toExpiring(census.expiringAccepted, "and no copy is wanted"),
        isSince ? `${census.depth} when ${counting}` : counting,
      ],
    ],
    [
      "!",
      [
        ifAny(census.unselected, "selected by no drain"),
        ifAny(strayComeBacks.count, "of them failed again after a redrive"),
        toExpiring(census.expiringUnarchived, "without a copy"),
      ],
    ],
    [
      "back from",
      strayComeBacks.top.map(
        ({ host, status, count }) => `${host} ${status ?? "without an answer"} (${count})`,
      ),
    ],
  ];
}

/** First those that something waits for. Of those that were not used lately, how many. */
function toLaneRows(
  lanes: SourceStatus["lanes"],
  now: number,
  standstillOf: (drain: string) => string | null,
): readonly ListRow[] {
  if (lanes === null) return [];
  const { counts, reported } = lanes;
  const shownOf = (state: LaneState): number => reported.filter((lane) => lane.state === state).length;
  const all = present(laneStates.map((state) => ifAny(counts[state], state)));
  const more = present(laneStates.map((state) => ifAny(counts[state] - shownOf(state), state)));
  return [
    ["lanes", all.length === 0 ? ["none yet"] : all],
    ...reported.map((lane): ListRow => ["", toLaneItems(lane, now, standstillOf(lane.drain)), 4]),
    ["", more.map((text, index) => (index === 0 ? `and ${text}` : text)), 4],
  ];
}

/** Why nothing begins in a drain's lanes, whatever these allow. Null: it does. */
function toStandstill(
  name: string,
  drains: readonly DrainStatus[],
  replicas: readonly ReplicaStatus[],
): string | null {
  if (replicas.length === 0) return "waits for a replica";
  const drain = drains.find((one) => one.drain === name);
  if (drain === undefined) return null;
  if (drain.paused !== null) return "waits for its drain to be resumed";
  return drain.mode === "plan" ? "its drain is in plan mode" : null;
}

function toLaneItems(lane: LaneStatus, now: number, standstill: string | null): readonly Part[] {
  const { origin, drain, state, since, why } = lane;
  return [
    `${cutMiddle(toDestinationText(origin), maxOrigin)} of ${cut(drain, maxName)}`,
    `${state} since ${toAge(since, now)}`,
    why,
    ...toLaneStep(lane),
    toLaneNext(lane, standstill),
  ];
}

/** The step of a halted lane is its probe. That of an open one is a sample of its messages. */
function toLaneStep({ state, size, sent, comeBacks }: LaneStatus): readonly string[] {
  const back = comeBacks.down + comeBacks.refused;
  if (state === "halted") return sent === 0 ? [] : ["a probe is out"];
  if (state === "open") {
    return [`${sent} of a sample of ${size} sent`, `${back} failed again`, "other messages are not counted"];
  }
  return [`${sent} of a step of ${size} sent`, `${back} failed again`, `${sent - back} not failed again yet`];
}

function toLaneNext(lane: LaneStatus, standstill: string | null): string | null {
  const { state, size, sent, nextInMs, awaitsLook } = lane;
  if (lane.hostPaused) return "waits for its host to be resumed";
  if (nextInMs === null) return null;
  if (standstill !== null) return standstill;
  if (state === "open") return "goes on after a listing check that is due";
  const next = state === "halted" ? "next probe" : "next step";
  if (awaitsLook) return `${next} after a listing check that is due`;
  if (nextInMs > 0) return `${next} in ${formatDuration(nextInMs)}`;
  return state === "halted" ? "next probe now" : `takes ${Math.max(0, size - sent)} more now`;
}

function toReplicaText(columns: number, { replicas, at: now }: Status): string {
  if (replicas.length === 0)
    return "no replica is running: no pass will begin, and nothing is counted anew\n";
  const table = toTable(replicas, {
    replica: ({ replica }) => replica,
    document: ({ documentHash }) => documentHash,
    for: ({ adoptedAt }) => toAge(adoptedAt, now),
    "seen ago": ({ seenAt }) => toAge(seenAt, now),
    "": toMark,
  });
  const toTrouble = (heading: string, text: string | null | undefined): string => {
    const lines = (text ?? "").split("\n").map((line) => wrapText(columns, 2, "", line));
    return text ? `${heading}:\n${lines.join("")}` : "";
  };
  return joined(
    table,
    ...replicas.map((one) => toTrouble(`${one.replica} rejects its drains document`, one.rejected)),
    ...replicas.map((one) => toTrouble(`${one.replica} cannot write to the archive`, one.archive)),
  );
}

function toMark({ sameDocument, rejected }: ReplicaStatus): string {
  return present([!sameDocument && "differs", rejected !== null && "rejected"]).join(", ");
}
