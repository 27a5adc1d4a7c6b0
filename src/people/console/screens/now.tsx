/** What is going on: one sentence, the hours that led here, what needs a person, then destinations and drains. */
import { openAuditReader, openQueueSeries } from "../../../job/door.ts";
import { readChartMarks } from "../../read/chart-marks.ts";
import {
  chartRanges,
  isChartRange,
  readSamples,
  toChartMinutes,
  toQueueChart,
  type ChartRange,
  type Moved,
} from "../../read/queue-chart.ts";
import { toEarliestExpiry } from "../../read/expiring.ts";
import { toTotals, type Expired } from "../../read/totals.ts";
import { toQueueSample } from "../../read/queue-sample.ts";
import type { Status } from "../../operations/status/read.ts";
import { isAllPaused, toNowHeadline } from "../../operations/status/headline.ts";
import { toNeeds } from "../../operations/status/needs.ts";
import { toSharedText } from "../../operations/status/verdict.ts";
import { capitalised, toClock, toEnteredBy, toExactClock, toKnown } from "../../operations/phrases.ts";
import { pause as pauseAct } from "../../operations/acts/pause.ts";
import { resume as resumeAct } from "../../operations/acts/resume.ts";
import { ActForm } from "../parts/act-form.tsx";
import { Destinations } from "../parts/destinations.tsx";
import { ExpiringFirst, isStale, toExpiringHint } from "../parts/expiring.tsx";
import { PauseWords } from "../parts/lane.tsx";
import { Needs, OneNeed } from "../parts/needs.tsx";
import { Paused } from "../parts/paused.tsx";
import { QueueChartFigure } from "../parts/queue-chart.tsx";
import { Foreign } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { Tiles, type Tile } from "../parts/tiles.tsx";
import { toQuery } from "../query.ts";
import { defineScreen, live, type Drawn, type Html, type ScreenContext } from "../screen.ts";

type Model = Awaited<ReturnType<typeof readModel>>;

export const nowScreen = defineScreen<Model>({
  path: "/",
  area: "now",
  role: "viewer",
  title: () => "Now",
  heading: () => null,
  load: readModel,
  sections: [
    live("verdict", (model, context) => <Verdict {...{ model, context }} />),
    live("tiles", (model, { now }) => (
      <>
        <Numbers model={model} now={now} />
        <Shared status={model.status} />
      </>
    )),
    live("chart", ({ chart, marks, range, status, enteredBy }) => (
      <>
        <Ranges range={range} />
        <QueueChartFigure {...{ chart, marks, status, enteredBy }} />
      </>
    )),
    live("needs", ({ needs, told }, context) => {
      const isRest = told !== null;
      return <Needs title={`What ${isRest ? "else " : ""}needs a person`} {...{ needs, isRest, context }} />;
    }),
    live("paused", ({ status }, context) => <Paused {...{ status, context }} />),
    live("expiring", ({ status }, { now }) => <ExpiringFirst status={status} now={now} />),
    live("destinations", ({ status }) => <Destinations status={status} />),
    live("drains", ({ status }, context) => <Drains {...{ status, context }} />),
  ],
});

async function readModel({ core, reads, query, now }: ScreenContext) {
  const asked = query.get("range");
  const range = isChartRange(asked) ? asked : "6h";
  const minutes = toChartMinutes(range, now);
  const [status, facts, sampled, marks] = await Promise.all([
    reads.status(),
    reads.facts(),
    reads.kept(`samples ${range} ${minutes.at(-1)}`, async () =>
      readSamples(minutes, now, (await openQueueSeries(core)).read),
    ),
    reads.kept(`marks ${range}`, async () =>
      readChartMarks(await openAuditReader(core), (minutes[0] ?? 0) * 60_000),
    ),
  ]);
  const sample = toQueueSample(facts);
  const latest = sample === null ? null : { at: now, sample };
  const chart = toQueueChart(...sampled, latest);
  const enteredBy = toEnteredBy(facts.drains, now);
  const all = toNeeds(status);
  const headline = toNowHeadline(status, all);
  /** The need that the headline says; null: it says none. */
  const told = all[0]?.headline === headline.text ? all[0] : null;
  return { status, headline, told, needs: all.filter((one) => one !== told), range, chart, marks, enteredBy };
}

function Verdict({ model: { status, headline, told }, context }: Drawn<{ model: Model }>): Html {
  const { mood, text, hint } = headline;
  const byPerson = status.drains.some(({ paused }) => paused && "at" in paused && paused.drain === "*");
  return (
    <div class={`verdict ${mood}`}>
      <p role="status">
        <Foreign text={`${capitalised(text)}.`} isWhole />
        {hint === "" ? null : <span class="hint">{hint}</span>}
      </p>
      {told && <OneNeed need={told} isFirst said={capitalised(text)} context={context} />}
      {isAllPaused(status) && byPerson ? (
        <ActForm act={resumeAct} title="Resume all drains" values={{ all: "yes" }} context={context} />
      ) : null}
    </div>
  );
}

function Ranges({ range }: { readonly range: ChartRange }): Html {
  return (
    <p class="ranges">
      {chartRanges.map((one) => (
        <a href={`/?range=${one}`} aria-current={one === range ? "true" : undefined}>
          {one}
        </a>
      ))}
    </p>
  );
}

function Shared({ status }: Pick<Model, "status">): Html | null {
  const text = toSharedText(status);
  return text === "" ? null : <p class="hint">{text}.</p>;
}

function Numbers({
  model: { status, chart, enteredBy },
  now,
}: Readonly<{ model: Model; now: number }>): Html {
  const { drains, expiring } = status;
  const { sums, since } = chart;
  const { waiting, parked, wouldBeParked, expired } = toTotals(status);
  const oldest = drains.flatMap(({ oldestRecordAt, outlook }) =>
    outlook.waiting > 0 ? (oldestRecordAt ?? []) : [],
  );
  const toOldest = oldest.length === 0 ? "" : `, the first ${toClock(Math.min(...oldest), now)}`;
  const isCounting = drains.some(({ stillCounting }) => stillCounting);
  const toAsOf = ({ expiredSince: at }: Expired, more: string): string =>
    at === undefined ? `${enteredBy}${more}` : `at most: some expired since ${toClock(at, now)}`;
  // As the chart has them. What comes and comes back is known to the passes alone.
  const within = since === null ? "not counted yet" : `since ${toExactClock(since, now)}`;
  const met = since === null || enteredBy === "" ? within : `${within}, ${enteredBy}`;
  const movedOf = (name: Moved): number | null => (since === null ? null : sums[name]);
  const allParked = parked + wouldBeParked;
  const tiles: readonly Tile[] = [
    {
      name: "waiting",
      count: isCounting && waiting === 0 ? null : waiting,
      what: isCounting ? toCounting(waiting) : toAsOf(expired.waiting, toOldest),
      href: "/failures",
      line: "waiting",
    },
    {
      name: "parked",
      count: isCounting && allParked === 0 ? null : allParked,
      what: isCounting ? toCounting(allParked) : toAsOf(expired.parked, ", for a person"),
      href: "/parked",
    },
    {
      name: "expire in 24 h",
      count: expiring.count,
      what: toExpiringHint(expiring, now),
      ...(expiring.atLeast > 0 ? { href: "#expiring" } : {}),
      mood: expiring.unsent.atLeast > 0 ? "bad" : isStale(expiring, now) ? "stale" : "",
    },
    { name: "arrived", count: movedOf("arrived"), what: met, line: "arrived" },
    { name: "sent again", count: movedOf("published"), what: within, line: "published" },
    { name: "failed again", count: movedOf("failedAgain"), what: met, line: "failed-again" },
  ];
  return <Tiles of={tiles} />;
}

function Drains({ status: { drains }, context }: Drawn<{ status: Status }>): Html {
  const { core, now } = context;
  return (
    <>
      <h2>Drains</h2>
      <p class="hint">
        A drain works a part of the queue by rules of its own. Unproven: sent, and the service has not
        answered whether it took it. What it took is not unproven, also while its delivery is watched.
      </p>
      <Table
        caption="Drains"
        empty="The document has no drain."
        rows={drains}
        columns={({ column, amounts }) => [
          column("drain", ({ drain }) => <a href={`/failures${toQuery({ drain })}`}>{drain}</a>),
          column("mode", ({ mode }) => mode),
          amounts("waiting", ({ outlook, ...one }) => toKnown(outlook.waiting, one)),
          amounts("parked", ({ parked = 0, ...one }) => toKnown(parked, one)),
          amounts("unproven", ({ inDoubt, outlook }) =>
            inDoubt === undefined ? "–" : outlook.waitingForProof,
          ),
          column("none expires before", (drain) => {
            const at = toFirstExpiry(core, drain, now);
            return at <= now || at === Infinity ? null : <Ago at={at} now={now} />;
          }),
          column("next pass", ({ openPass, nextPassAt }) =>
            openPass ? "open now" : nextPassAt === null ? "none" : <Ago at={nextPassAt} now={now} />,
          ),
          column("act", (drain) => <DrainAct drain={drain} context={context} />),
        ]}
      />
    </>
  );
}

function toCounting(count: number): string {
  return count === 0 ? "not counted yet" : "at least: still counting";
}

/** Unix ms; Infinity: nothing is there. What is over says nothing. */
function toFirstExpiry(
  { sources }: ScreenContext["core"],
  { source, failures = [] }: Status["drains"][number],
  now: number,
): number {
  const { retentionMs = 0 } = sources.get(source)?.runtime.config ?? {};
  let first = Infinity;
  for (const one of failures) {
    // Its oldest is younger: of hundreds of kinds, few have their hours read.
    if (one.waiting + one.parked === 0 || (one.oldestAt ?? 0) + retentionMs >= first) continue;
    first = Math.min(first, toEarliestExpiry(one, retentionMs, now));
  }
  return first;
}

/** A pause of all drains is ended where all that is paused stands. */
function DrainAct({ drain: { drain, paused }, context }: Drawn<{ drain: Status["drains"][number] }>): Html {
  if (paused === null) {
    return <ActForm act={pauseAct} title={`Pause ${drain}`} values={{ drains: drain }} context={context} />;
  }
  if (!("at" in paused)) return <>paused by the document</>;
  if (paused.drain === "*") return <PauseWords pause={paused} />;
  return <ActForm act={resumeAct} title={`Resume ${drain}`} values={{ drains: drain }} context={context} />;
}
