/** What is going on, in one sentence, then the numbers, then the destinations in trouble. */
import type { Status } from "../../operations/status/read.ts";
import { toVerdict } from "../../operations/status/verdict.ts";
import { defineScreen, type Html } from "../screen.ts";
import { Foreign, number } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";

export const nowScreen = defineScreen<Status>({
  path: "/",
  area: "now",
  role: "viewer",
  title: () => "Now",
  load: ({ reads }) => reads.status(),
  sections: [
    { id: "verdict", isLive: true, render: (status) => <Verdict status={status} /> },
    { id: "tiles", isLive: true, render: (status) => <Tiles status={status} /> },
    { id: "destinations", isLive: true, render: (status) => <Destinations status={status} /> },
    { id: "drains", isLive: true, render: (status, { now }) => <Drains status={status} now={now} /> },
  ],
});

function Verdict({ status }: { readonly status: Status }): Html {
  const verdict = toVerdict(status);
  const mood = verdict.startsWith("all clear")
    ? "good"
    : /halted|not running|reject|cannot/.test(verdict)
      ? "bad"
      : "";
  return (
    <p class={`verdict ${mood}`} role="status">
      {verdict.charAt(0).toUpperCase() + verdict.slice(1)}.
    </p>
  );
}

function Tiles({ status: { drains, sources } }: { readonly status: Status }): Html {
  const destinations = drains.flatMap((drain) => drain.destinations);
  const tiles: readonly (readonly [string, number, string])[] = [
    ["arrived", sum(destinations, ({ arrived }) => arrived), "ever, as far as it is counted"],
    ["redriven", sum(destinations, ({ published }) => published), "published again, ever"],
    ["failed again", sum(destinations, ({ failedAgain }) => failedAgain), "came back after a redrive, ever"],
    ["waiting", sum(drains, ({ outlook }) => outlook.waiting), "in the queue, not parked"],
    ["parked", sum(drains, ({ parked }) => parked ?? 0), "wait for a person"],
    [
      "expire soon",
      sum(sources, ({ census }) => census?.expiringUnarchived ?? 0),
      "without a copy in the archive",
    ],
  ];
  return (
    <ul class="tiles">
      {tiles.map(([name, count, what]) => (
        <li title={what}>
          <strong>{number(count)}</strong> {name}
        </li>
      ))}
    </ul>
  );
}

function Destinations({ status: { drains } }: { readonly status: Status }): Html {
  const rows = drains
    .flatMap(({ drain, destinations }) => destinations.map((one) => ({ ...one, drain })))
    .filter(({ waiting, parked }) => waiting + parked > 0)
    .toSorted(
      (one, other) => Number(isStopped(other)) - Number(isStopped(one)) || other.waiting - one.waiting,
    );
  return (
    <>
      <h2>Destinations</h2>
      <Table
        caption="Destinations by trouble"
        empty="Nothing waits at any destination."
        rows={rows.slice(0, 50)}
        columns={[
          {
            title: "destination",
            cell: ({ origin }) => (
              <a href={`/failures?host=${encodeURIComponent(origin)}`}>
                <Foreign text={origin} />
              </a>
            ),
          },
          { title: "waiting", isNumber: true, cell: ({ waiting }) => number(waiting) },
          { title: "parked", isNumber: true, cell: ({ parked }) => number(parked) },
          { title: "failed again", isNumber: true, cell: ({ failedAgain }) => number(failedAgain) },
          { title: "lane", cell: (one) => (one.isPaused ? "paused" : (one.lane?.state ?? "-")) },
          { title: "drain", cell: ({ drain }) => drain },
        ]}
      />
    </>
  );
}

function isStopped({ lane, isPaused }: Status["drains"][number]["destinations"][number]): boolean {
  return isPaused || lane?.state === "halted";
}

function Drains({ status: { drains }, now }: { readonly status: Status; readonly now: number }): Html {
  return (
    <>
      <h2>Drains</h2>
      <Table
        caption="Drains"
        empty="The document has no drain."
        rows={drains}
        columns={[
          { title: "drain", cell: ({ drain }) => drain },
          { title: "mode", cell: ({ mode, paused }) => (paused === null ? mode : `${mode ?? ""}, paused`) },
          { title: "waiting", isNumber: true, cell: ({ outlook }) => number(outlook.waiting) },
          { title: "parked", isNumber: true, cell: ({ parked }) => number(parked ?? 0) },
          { title: "in doubt", isNumber: true, cell: ({ inDoubt }) => number(inDoubt ?? 0) },
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

function sum<One>(all: readonly One[], of: (one: One) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
