/** Kinds of failure: same destination, same status, same answer but for what varies. */
import { readFailureViews } from "../../read/read-failures.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { failureStates, isCurrent, type FailureState, type FailureView } from "../../read/failure-views.ts";
import { chooseDrains } from "../../operations/choose-drains.ts";
import { toStateText } from "../../operations/failures/state-text.ts";
import { toOriginTest } from "../../operations/failures/list.ts";
import { counted, number, toEnteredBy, toKnown } from "../../operations/phrases.ts";
import { ArrivalBars } from "../parts/arrivals.tsx";
import { DestinationActs } from "../parts/destination-acts.tsx";
import { Filters } from "../parts/filters.tsx";
import { LaneWords, PauseWords } from "../parts/lane.tsx";
import { toProber } from "../../operations/lane-words.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { pausesOfKind } from "../parts/paused.tsx";
import { Foreign } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { filterOf, toQuery } from "../query.ts";
import { defineScreen, live, still, type Drawn, type Html, type ScreenContext } from "../screen.ts";
import { OfNoDrainList } from "../parts/of-no-drain.tsx";
import { toOfNoDrain, type OfNoDrain } from "../../read/of-no-drain.ts";
import { toDestinationRows } from "../parts/destinations.tsx";

interface Filter {
  readonly host: string;
  readonly drain: string;
  readonly text: string;
  /** Empty: any. */
  readonly state: FailureState | "";
  readonly isAll: boolean;
  readonly page: number;
}

interface Model {
  readonly filter: Filter;
  readonly shown: readonly FailureView[];
  readonly arrivalsOf: (failure: FailureView) => HourlyArrivals;
  readonly pausesOf: (failure: FailureView) => readonly PauseRecord[];
  readonly total: number;
  /** How many fit and are not current. */
  readonly hidden: number;
  readonly ofNoDrain: readonly OfNoDrain[];
  /** There may be kinds that nobody has met yet. */
  readonly stillCounting: boolean;
  readonly enteredBy: string;
  readonly destinations: ReturnType<typeof toDestinationRows>;
}

/** A hundred rows took a browser 80 ms longer to lay out. */
const pageSize = 50;
/** Acts on more destinations than that are not offered on one page. */
const destinationsShown = 5;

export const failuresScreen = defineScreen<Model>({
  path: "/failures",
  area: "failures",
  role: "viewer",
  title: () => "Failures",
  load: readModel,
  sections: [
    still("filters", (_model, { core, query }) => (
      <Filters
        path="/failures"
        query={query}
        filters={[
          { name: "host", label: "Host (* for any part)" },
          { name: "drain", label: "Drain", choices: [...core.drains.keys()] },
          { name: "state", label: "State", choices: failureStates },
          { name: "text", label: "Answer, note or id" },
          { name: "all", label: "Also quiet for a day", choices: ["yes"] },
        ]}
      />
    )),
    live("failures-list", (model, { now }) => <List model={model} now={now} />),
    live("of-no-drain", ({ ofNoDrain }, { now }) => <OfNoDrainList {...{ ofNoDrain, now }} />),
    still("destinations", ({ destinations }, context) => <Destinations {...{ destinations, context }} />),
  ],
});

async function readModel({ core, reads, query, now }: ScreenContext): Promise<Model> {
  const filter = toFilter(query);
  const [views, arrivals, pauses, facts, destinations] = await Promise.all([
    readViews(filter),
    reads.arrivals(),
    reads.pauses(),
    reads.facts(),
    filter.host === "" ? [] : reads.status().then(toDestinationRows),
  ]);
  const met = views.map(({ origin }) => origin);
  const isOrigin = toOriginTest(filter.host || undefined, met);
  const hasState = ({ state }: FailureView): boolean => filter.state === "" || state === filter.state;
  const found = views.filter((one) => isOrigin(one.origin) && hasText(one, filter.text) && hasState(one));
  const pausesOf = ({ source, id }: FailureView): readonly PauseRecord[] =>
    pausesOfKind(pauses.get(source) ?? [], id);
  const isShown = (one: FailureView): boolean => isCurrent(one, now) || pausesOf(one).length > 0;
  const all = filter.isAll ? found : found.filter(isShown);
  const from = (filter.page - 1) * pageSize;
  return {
    filter,
    shown: all.slice(from, from + pageSize),
    arrivalsOf: ({ source, id }) => arrivals.get(source)?.get(id) ?? {},
    pausesOf,
    total: all.length,
    hidden: found.length - all.length,
    ofNoDrain: filter.drain === "" ? toOfNoDrain(core, facts, isOrigin) : [],
    enteredBy: toEnteredBy(
      facts.drains.filter(({ drain }) => filter.drain === "" || drain === filter.drain),
      now,
    ),
    stillCounting: facts.drains.some(({ stillCounting }) => stillCounting),
    destinations: destinations.filter(
      ({ origin, drain }) => isOrigin(origin) && (filter.drain === "" || drain === filter.drain),
    ),
  };

  async function readViews({ drain }: Filter): Promise<readonly FailureView[]> {
    if (drain === "") return reads.failures();
    const [chosen] = chooseDrains(core, [drain]);
    return readFailureViews(core, now, chosen?.config.name);
  }
}

function toFilter(query: URLSearchParams): Filter {
  const page = Number(query.get("page"));
  return {
    host: filterOf(query, "host") ?? "",
    drain: filterOf(query, "drain") ?? "",
    text: filterOf(query, "text") ?? "",
    state: failureStates.find((state) => state === query.get("state")) ?? "",
    isAll: filterOf(query, "all") !== undefined,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

function hasText(failure: FailureView, text: string): boolean {
  const { id, origin, note } = failure;
  const shown = [id, origin, toAnswerText(failure), note?.ticket ?? "", note?.text ?? ""];
  return text === "" || shown.join("\n").toLowerCase().includes(text.toLowerCase());
}

function toLink({ host, drain, text, state, isAll, page }: Filter): string {
  const fields = {
    host,
    drain,
    text,
    state,
    all: isAll ? "yes" : null,
    page: page > 1 ? String(page) : null,
  };
  return `/failures${toQuery(fields)}`;
}

function List({ model, now }: { readonly model: Model; readonly now: number }): Html {
  const { shown, arrivalsOf, pausesOf, total, hidden, filter, stillCounting: isCounting } = model;
  const isFiltered = filter.host !== "" || filter.drain !== "" || filter.text !== "" || filter.state !== "";
  return (
    <>
      <Table
        caption="Kinds of failure, by trouble"
        empty={
          isFiltered
            ? "No kind of failure fits these filters."
            : isCounting
              ? "No kind of failure was met so far. The first count goes on."
              : "All is well: no kind of failure waits or is parked, and none was seen within a day."
        }
        rows={shown}
        columns={({ column, amounts }) => [
          column("failure", (one) => <Kind failure={one} pauses={pausesOf(one)} now={now} />),
          column("arrived in 7 days", (one) => <ArrivalBars arrivals={arrivalsOf(one)} now={now} />),
          amounts("waiting", (one) => toKnown(one.waiting, one)),
          amounts("parked", (one) => toKnown(one.parked, one)),
          amounts("arrived", ({ arrived }) => arrived),
          amounts("sent again", ({ published }) => published),
          amounts("failed again", ({ failedAgain }) => failedAgain),
          column("failing since", ({ since }) => (since === null ? null : <Ago at={since} now={now} />)),
          column("last seen", ({ lastSeenAt }) => <Ago at={lastSeenAt} now={now} />),
        ]}
      />
      {model.enteredBy === "" ? null : <p class="hint">Counted is what {model.enteredBy}.</p>}
      <Pages filter={filter} total={total} />
      {hidden === 0 ? null : (
        <p class="hint">
          {counted(hidden, "kind has", "kinds have")} nothing waiting, and none for a day:{" "}
          <a href={toLink({ ...filter, isAll: true, page: 1 })}>show all</a>
        </p>
      )}
    </>
  );
}

function Kind({
  failure,
  pauses,
  now,
}: Readonly<{ failure: FailureView; pauses: readonly PauseRecord[]; now: number }>): Html {
  const { id, origin, isNew, isQuiet, quietEnded, note, state } = failure;
  return (
    <>
      <a href={`/failures/${id}`}>
        <Foreign text={toAnswerText(failure)} />
      </a>{" "}
      {isNew ? <span class="new">new</span> : null}
      {isQuiet ? <span class="mark">quiet</span> : null}
      {quietEnded !== null && quietEnded !== "time" ? <span class="mark">changed</span> : null} <br />
      <span class="hint">
        <Foreign text={origin} /> · {id}
      </span>
      {pauses.map((pause) => (
        <span class="note">
          <PauseWords pause={pause} />
          {pause.drain === "*" ? null : ` (drain ${pause.drain})`}
        </span>
      ))}
      {state === "open" ? null : (
        <span class="note">
          <Foreign text={toStateText(failure, now)} />
        </span>
      )}
      {note === null ? null : (
        <span class="note">
          {note.ticket === "" ? null : (
            <b>
              <Foreign text={note.ticket} />
            </b>
          )}{" "}
          <Foreign text={note.text} /> (<Foreign text={note.by} />)
        </span>
      )}
    </>
  );
}

function Pages({ filter, total }: { readonly filter: Filter; readonly total: number }): Html | null {
  const last = Math.ceil(total / pageSize);
  if (last <= 1) return null;
  const { page } = filter;
  return (
    <nav class="pages" aria-label="Pages of the list">
      {page > 1 ? <a href={toLink({ ...filter, page: page - 1 })}>Before</a> : null}
      <span>
        page {page} of {last}, {number(total)} kinds
      </span>
      {page < last ? <a href={toLink({ ...filter, page: page + 1 })}>Next</a> : null}
    </nav>
  );
}

function Destinations({
  destinations,
  context,
}: Drawn<{ destinations: Model["destinations"] }>): Html | null {
  if (destinations.length === 0) return null;
  const proberOf = (drain: string) => toProber(context.core.drains.get(drain as DrainName)?.config.mode);
  return (
    <>
      <h2>What can be done about {counted(destinations.length, "destination")}</h2>
      {destinations.slice(0, destinationsShown).map(({ drain, origin, lane, pauses, isPaused }) => (
        <>
          <h3>
            <Foreign text={origin} /> of {drain}
          </h3>
          <p>
            {lane === null ? (
              "no lane is known"
            ) : (
              <LaneWords lane={lane} hasNext={!isPaused && proberOf(drain) === "redriver"} />
            )}
            {pauses.map((pause) => (
              <>
                {" · "}
                <PauseWords pause={pause} />
              </>
            ))}
          </p>
          <DestinationActs {...{ drain, origin, lane, pauses, context }} />
        </>
      ))}
      {destinations.length > destinationsShown ? (
        <p class="hint">Name one host to act on the others.</p>
      ) : null}
    </>
  );
}
