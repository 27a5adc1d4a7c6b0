/** What is going on, in one sentence, then the numbers, then the destinations in trouble. */
import { namesOfOrigin } from "../../../job/message/destination-names.ts";
import { hostPausesOf, type HostPause } from "../../../job/contracts/pauses.ts";
import { toQuery } from "../query.ts";
import type { Status } from "../../operations/status/read.ts";
import { toVerdict } from "../../operations/status/verdict.ts";
import { defineScreen, type Html, type ScreenContext } from "../screen.ts";
import { pauseAct, resumeAct } from "../acts/forms.ts";
import { ActForm } from "../parts/act-form.tsx";
import { LaneWords, PauseWords } from "../parts/lane.tsx";
import { PausedHostActs, PausedHosts, toPausedHosts } from "../parts/paused-hosts.tsx";
import { PausedKindActs, PausedKinds, toPausedKinds } from "../parts/paused-kinds.tsx";
import { number, toClock } from "../../operations/phrases.ts";
import { Foreign } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Ago, toAgo } from "../parts/time.tsx";

export const nowScreen = defineScreen<Status>({
  path: "/",
  area: "now",
  role: "viewer",
  title: () => "Now",
  load: ({ reads }) => reads.status(),
  sections: [
    { id: "verdict", isLive: true, render: (status) => <Verdict status={status} /> },
    { id: "tiles", isLive: true, render: (status, { now }) => <Tiles status={status} now={now} /> },
    {
      id: "paused-kinds",
      isLive: true,
      render: ({ sources }) => <PausedKinds paused={toPausedKinds(sources)} />,
    },
    {
      id: "paused-kind-acts",
      isLive: false,
      render: ({ sources }, context) => <PausedKindActs paused={toPausedKinds(sources)} context={context} />,
    },
    {
      id: "paused-hosts",
      isLive: true,
      render: ({ sources }) => <PausedHosts paused={toPausedHosts(sources)} />,
    },
    {
      id: "paused-host-acts",
      isLive: false,
      render: ({ sources }, context) => <PausedHostActs paused={toPausedHosts(sources)} context={context} />,
    },
    {
      id: "expiring",
      isLive: true,
      render: ({ expiring }, { now }) => <ExpiringFirst expiring={expiring} now={now} />,
    },
    { id: "destinations", isLive: true, render: (status) => <Destinations status={status} /> },
    { id: "drains", isLive: true, render: (status, context) => <Drains {...{ status, context }} /> },
    { id: "drain-acts", isLive: false, render: (status, context) => <DrainActs {...{ status, context }} /> },
  ],
});

function Verdict({ status }: { readonly status: Status }): Html {
  const verdict = toVerdict(status);
  return (
    <>
      <p class={`verdict ${toMood(verdict)}`} role="status">
        <Foreign text={`${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}.`} isWhole />
      </p>
      <p class="hint">
        <a href="#drain-acts">Stop it, or let it go on</a>
      </p>
    </>
  );
}

function toMood(verdict: string): string {
  if (/halted|not running|reject|cannot|expire/.test(verdict)) return "bad";
  if (/paused|parked|index|problem|not every|is behind/.test(verdict)) return "warn";
  return verdict.startsWith("all clear") ? "good" : "";
}

interface Tile {
  readonly name: string;
  /** Null: not known yet. */
  readonly count: number | null;
  readonly what: string;
  readonly mood?: "bad" | "warn";
  readonly href?: string;
}

function Tiles({
  status: { drains, sources, expiring },
  now,
}: {
  readonly status: Status;
  readonly now: number;
}): Html {
  const all = drains.flatMap((drain) => drain.destinations);
  const waiting =
    sum(drains, ({ outlook }) => outlook.waiting) - sum(sources, ({ shared }) => shared?.waiting ?? 0);
  const oldest = drains.flatMap(({ oldestRecordAt, outlook }) =>
    outlook.waiting > 0 ? (oldestRecordAt ?? []) : [],
  );
  const uncopied = sum(sources, ({ census }) => census?.expiringUnarchived ?? 0);
  const tiles: readonly Tile[] = [
    { name: "arrived", count: sum(all, ({ arrived }) => arrived), what: "since it is counted" },
    { name: "redriven", count: sum(all, ({ published }) => published), what: "published again" },
    {
      name: "failed again",
      count: sum(all, ({ failedAgain }) => failedAgain),
      what: "after a redrive",
    },
    {
      name: "waiting",
      count: waiting,
      what: oldest.length === 0 ? "in the queue" : `the oldest failed ${toAgo(Math.min(...oldest), now)}`,
      href: "/failures",
    },
    {
      name: "parked",
      count: sum(drains, ({ parked }) => parked ?? 0) - sum(sources, ({ shared }) => shared?.parked ?? 0),
      what: "for a person",
      href: "/parked",
    },
    {
      name: "expire in 24 h",
      count: expiring.count,
      what: uncopied > 0 ? `${number(uncopied)} near it without a copy` : toExpiringHint(expiring, now),
      ...(expiring.atLeast > 0 ? { href: "#expiring" } : {}),
      ...(uncopied > 0 ? { mood: "bad" as const } : {}),
    },
  ];
  return (
    <ul class="tiles">
      {tiles.map(({ name, count, what, mood = "", href }) => (
        <li>
          <strong class={mood}>{count === null ? "–" : number(count)}</strong>{" "}
          {href === undefined ? name : <a href={href}>{name}</a>}
          <span class="hint">{what}</span>
        </li>
      ))}
    </ul>
  );
}

function toExpiringHint({ count, atLeast, by, asOf }: Status["expiring"], now: number): string {
  if (count === null) return atLeast > 0 ? `at least ${number(atLeast)}, still counting` : "not counted yet";
  return `by ${toClock(by, now)}${asOf === null ? "" : `, counted ${toAgo(asOf, now)}`}`;
}

const expiringShown = 20;

function ExpiringFirst({
  expiring: { groups, by },
  now,
}: {
  readonly expiring: Status["expiring"];
  readonly now: number;
}): Html | null {
  const [first] = groups;
  if (first === undefined) return null;
  const more = groups.length - expiringShown;
  return (
    <>
      <h2>Expire by {toClock(by, now)}</h2>
      <Table
        caption="What expires first"
        empty=""
        rows={groups.slice(0, expiringShown)}
        columns={[
          { title: "first", cell: ({ earliestAt }) => <Ago at={earliestAt} now={now} /> },
          { title: "expire", isNumber: true, cell: ({ count }) => number(count) },
          {
            title: "failure",
            cell: ({ failure, origin }) =>
              failure === null ? (
                "of no drain"
              ) : (
                <a href={`/failures/${failure}`}>
                  <Foreign text={origin ?? failure} />
                </a>
              ),
          },
          { title: "drain", cell: ({ drain }) => drain },
          {
            title: "what saves them",
            cell: ({ saves }) => (
              <>
                {saves.map(({ act, command }) =>
                  command === null ? <span>{act}: a copy is kept</span> : <code>{command}</code>,
                )}
              </>
            ),
          },
        ]}
      />
      {more > 0 ? <p class="hint">and {number(more)} more</p> : null}
    </>
  );
}

const destinationsShown = 50;

type DestinationRow = Status["drains"][number]["destinations"][number] & {
  readonly drain: string;
  readonly pauses: readonly HostPause[];
  /** Its drain only reports. */
  readonly isPlan: boolean;
};

function Destinations({ status }: { readonly status: Status }): Html {
  const rows = toDestinationRows(status);
  const more = rows.length - destinationsShown;
  return (
    <>
      <h2>Destinations</h2>
      <Table
        caption="Destinations by trouble"
        empty="Nothing waits at any destination, and nothing is parked."
        rows={rows.slice(0, destinationsShown)}
        columns={[
          {
            title: "destination",
            cell: ({ origin }) => (
              <a href={`/failures${toQuery({ host: origin })}`}>
                <Foreign text={origin} />
              </a>
            ),
          },
          { title: "waiting", isNumber: true, cell: ({ waiting }) => number(waiting) },
          { title: "parked", isNumber: true, cell: ({ parked }) => number(parked) },
          { title: "failed again", isNumber: true, cell: ({ failedAgain }) => number(failedAgain) },
          {
            title: "lane",
            cell: (row) => <LaneCell {...row} />,
          },
          { title: "drain", cell: ({ drain }) => drain },
          {
            title: "act",
            cell: ({ origin, drain }) => (
              <a href={`/failures${toQuery({ host: origin, drain })}#destinations`}>pause, probe</a>
            ),
          },
        ]}
      />
      {more > 0 ? <p class="hint">and {number(more)} more</p> : null}
    </>
  );
}

function LaneCell({ drain, pauses: [pause], lane, isPlan }: DestinationRow): Html | null {
  if (isPlan) {
    return (
      <>
        {lane?.state === "halted" ? (
          <>
            <LaneWords lane={lane} />
            {" · "}
          </>
        ) : null}
        plan mode: <a href={`/plans${toQuery({ drain })}`}>plan and apply</a>
      </>
    );
  }
  if (pause !== undefined) return <PauseWords pause={pause} />;
  return lane && <LaneWords lane={lane} />;
}

/** Those that somebody or something stopped come first, then most waiting. */
export function toDestinationRows({ drains, sources }: Status): readonly DestinationRow[] {
  return drains
    .flatMap(({ drain, source, mode, destinations }) => {
      const pauses = sources.find((one) => one.source === source)?.hostPauses ?? [];
      const own = hostPausesOf(pauses, drain);
      return destinations.map((one) => {
        const names = namesOfOrigin(one.origin);
        return {
          ...one,
          drain,
          isPlan: mode === "plan",
          pauses: own.filter(({ host }) => names.includes(host)),
        };
      });
    })
    .filter(({ waiting, parked }) => waiting + parked > 0)
    .toSorted(
      (one, other) => Number(isStopped(other)) - Number(isStopped(one)) || other.waiting - one.waiting,
    );
}

function isStopped({ lane, isPaused }: DestinationRow): boolean {
  return isPaused || lane?.state === "halted";
}

function Drains({
  status: { drains },
  context: { core, now },
}: {
  readonly status: Status;
  readonly context: ScreenContext;
}): Html {
  return (
    <>
      <h2 data-phase={toPausePhase(drains)}>Drains</h2>
      <Table
        caption="Drains"
        empty="The document has no drain."
        rows={drains}
        columns={[
          {
            title: "drain",
            cell: ({ drain }) => <a href={`/failures${toQuery({ drain })}`}>{drain}</a>,
          },
          { title: "mode", cell: ({ mode }) => mode },
          { title: "paused", cell: ({ paused }) => toPaused(paused) },
          { title: "waiting", isNumber: true, cell: ({ outlook }) => number(outlook.waiting) },
          { title: "parked", isNumber: true, cell: ({ parked }) => number(parked ?? 0) },
          { title: "in doubt", isNumber: true, cell: ({ inDoubt }) => number(inDoubt ?? 0) },
          {
            title: "oldest expires",
            cell: (drain) => {
              const at = toFirstExpiry(core, drain);
              return at === null ? null : <Ago at={at} now={now} />;
            },
          },
          {
            title: "next pass",
            cell: ({ openPass, nextPassAt }) =>
              openPass ? "open now" : nextPassAt === null ? "none" : <Ago at={nextPassAt} now={now} />,
          },
        ]}
      />
    </>
  );
}

/** Of what waits or is parked, as the last passes have met it: Unix ms; null: nothing is there. */
function toFirstExpiry(
  { sources }: ScreenContext["core"],
  { source, outlook, parked = 0, oldestRecordAt }: Status["drains"][number],
): number | null {
  const retentionMs = sources.get(source)?.runtime.config.retentionMs;
  if (retentionMs === undefined || !oldestRecordAt || outlook.waiting + parked === 0) return null;
  return oldestRecordAt + retentionMs;
}

/** What the forms below go by. */
function toPausePhase(drains: Status["drains"]): string {
  return drains.map(({ drain, paused }) => `${drain} ${toNotResumed(paused) ?? "can be resumed"}`).join("; ");
}

function toPaused(paused: Status["drains"][number]["paused"]): Html | string {
  if (paused === null) return "no";
  return "at" in paused ? <PauseWords pause={paused} /> : "by the document";
}

function DrainActs({
  status: { drains },
  context,
}: {
  readonly status: Status;
  readonly context: ScreenContext;
}): Html | null {
  if (drains.length === 0) return null;
  const isAnyPaused = drains.some(({ paused }) => paused !== null && "at" in paused);
  const isAnyPausedWithAll = drains.some(
    ({ paused }) => paused !== null && "at" in paused && paused.drain === "*",
  );
  const isAllPaused = drains.every(({ paused }) => paused !== null);
  return (
    <>
      <h2>Pause and resume</h2>
      {drains.length === 1 && !isAnyPausedWithAll ? null : (
        <div class="acts">
          <ActForm
            act={pauseAct}
            title="Pause all drains"
            values={{ all: "yes" }}
            context={context}
            disabled={isAllPaused ? "all are paused" : null}
          />
          <ActForm
            act={resumeAct}
            title="Resume all drains"
            values={{ all: "yes" }}
            context={context}
            disabled={isAnyPaused ? null : "none is paused"}
          />
        </div>
      )}
      {drains.map(({ drain, paused }) => (
        <div class="acts">
          <ActForm
            act={pauseAct}
            title={`Pause ${drain}`}
            values={{ drains: drain }}
            context={context}
            disabled={paused === null ? null : `${drain} is paused`}
          />
          <ActForm
            act={resumeAct}
            title={`Resume ${drain}`}
            values={{ drains: drain }}
            context={context}
            disabled={toNotResumed(paused)}
          />
        </div>
      ))}
    </>
  );
}

function toNotResumed(paused: Status["drains"][number]["paused"]): string | null {
  if (paused === null) return "it is not paused";
  if (!("at" in paused)) return "the document pauses it (paused: true)";
  return paused.drain === "*" ? "it is paused with all others: resume all" : null;
}

function sum<One>(all: readonly One[], of: (one: One) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
