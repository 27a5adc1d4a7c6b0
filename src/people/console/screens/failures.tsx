/** Kinds of failure: same destination, same status, same answer but for what varies. */
import { readFailureViews } from "../../read/read-failures.ts";
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { failureStates, isCurrent, type FailureView } from "../../read/failure-views.ts";
import { chooseDrains } from "../../operations/choose-drains.ts";
import { toStateText } from "../../operations/failures/state-text.ts";
import { toOriginTest } from "../../operations/failures/list.ts";
import { counted, number, toEnteredBy, toKnown } from "../../operations/phrases.ts";
import { ArrivalBars } from "../parts/arrivals.tsx";
import { DestinationActs } from "../parts/destination-acts.tsx";
import { Filters } from "../parts/filters.tsx";
import { LaneWords, PauseWords } from "../parts/lane.tsx";
import { pausesOfKind } from "../parts/paused.tsx";
import { Foreign } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { filterOf, withQuery } from "../query.ts";
import { defineScreen, live, still, type Drawn, type Html, type ScreenContext } from "../screen.ts";
import { OfNoDrainList } from "../parts/of-no-drain.tsx";
import { toOfNoDrain } from "../../read/of-no-drain.ts";
import { goesOn, toDestinationRows } from "../parts/destinations.tsx";

const path = "/failures";
/** A hundred rows took a browser 80 ms longer to lay out. */
const pageSize = 50;
/** Acts on more destinations than that are not offered on one page. */
const destinationsShown = 5;

type Model = Awaited<ReturnType<typeof readModel>>;

export const failuresScreen = defineScreen<Model>({
  path,
  area: "failures",
  role: "viewer",
  title: () => "Failures",
  load: readModel,
  sections: [
    still("filters", (_model, { core, query }) => (
      <Filters
        path={path}
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
    live("failures-list", (model, context) => <List {...{ model, context }} />),
    live("of-no-drain", ({ ofNoDrain }, { now }) => <OfNoDrainList {...{ ofNoDrain, now }} />),
    still("destinations", ({ destinations }, context) => <Destinations {...{ destinations, context }} />),
  ],
});

async function readModel({ core, reads, query, now }: ScreenContext) {
  const [host, drain, text = ""] = ["host", "drain", "text"].map((name) => filterOf(query, name));
  const state = failureStates.find((one) => one === query.get("state"));
  const isOfDrain = (one: { readonly drain: string }): boolean => drain === undefined || one.drain === drain;
  const [views, arrivals, pauses, facts, destinations] = await Promise.all([
    drain === undefined
      ? reads.failures()
      : readFailureViews(core, now, chooseDrains(core, [drain])[0]?.config.name),
    reads.arrivals(),
    reads.pauses(),
    reads.facts(),
    host === undefined ? [] : reads.status().then(toDestinationRows),
  ]);
  const met = views.map(({ origin }) => origin);
  const isOrigin = toOriginTest(host, met);
  const found = views.filter(
    (one) => isOrigin(one.origin) && hasText(one, text) && (state ?? one.state) === one.state,
  );
  const pausesOf = ({ source, id }: FailureView) => pausesOfKind(pauses.get(source) ?? [], id);
  const isShown = (one: FailureView): boolean => isCurrent(one, now) || pausesOf(one).length > 0;
  const all = filterOf(query, "all") === undefined ? found.filter(isShown) : found;
  const lastPage = Math.max(1, Math.ceil(all.length / pageSize));
  const page = Math.min(lastPage, Math.max(1, Math.trunc(Number(query.get("page"))) || 1));
  return {
    isFiltered: [host, drain, text || undefined, state].some((one) => one !== undefined),
    page,
    lastPage,
    shown: all.slice((page - 1) * pageSize, page * pageSize),
    arrivalsOf: ({ source, id }: FailureView) => arrivals.get(source)?.get(id) ?? {},
    pausesOf,
    total: all.length,
    /** How many fit and are not current. */
    hidden: found.length - all.length,
    ofNoDrain: drain === undefined ? toOfNoDrain(core, facts, isOrigin) : [],
    enteredBy: toEnteredBy(facts.drains.filter(isOfDrain), now),
    /** There may be kinds that nobody has met yet. */
    stillCounting: facts.drains.some(({ stillCounting }) => stillCounting),
    destinations: destinations.filter((one) => isOrigin(one.origin) && isOfDrain(one)),
  };
}

function hasText(failure: FailureView, text: string): boolean {
  const { id, origin, note } = failure;
  const shown = [id, origin, toAnswerText(failure), note?.ticket ?? "", note?.text ?? ""];
  return text === "" || shown.join("\n").toLowerCase().includes(text.toLowerCase());
}

function List({ model, context: { query, now } }: Drawn<{ model: Model }>): Html {
  const { shown, arrivalsOf, pausesOf, hidden, isFiltered, stillCounting: isCounting } = model;
  return (
    <>
      <Table
        caption="Kinds of failure, by trouble"
        empty={
          isFiltered
            ? "No kind of failure fits these filters."
            : isCounting
              ? "No kind of failure was met so far. The first count goes on."
              : "No known kind of failure waits or is parked, and none was seen within a day."
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
      <Pages model={model} query={query} />
      {hidden === 0 ? null : (
        <p class="hint">
          {counted(hidden, "kind has", "kinds have")} nothing waiting, and none for a day:{" "}
          <a href={withQuery(path, query, { all: "yes", page: null })}>show all</a>
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

function Pages({
  model: { page, lastPage, total },
  query,
}: Readonly<{ model: Model; query: URLSearchParams }>): Html | null {
  if (lastPage <= 1) return null;
  const toPage = (other: number): string => withQuery(path, query, { page: String(other) });
  return (
    <nav class="pages" aria-label="Pages of the list">
      {page > 1 ? <a href={toPage(page - 1)}>Before</a> : null}
      <span>
        page {page} of {lastPage}, {number(total)} kinds
      </span>
      {page < lastPage ? <a href={toPage(page + 1)}>Next</a> : null}
    </nav>
  );
}

function Destinations({
  destinations,
  context,
}: Drawn<{ destinations: Model["destinations"] }>): Html | null {
  if (destinations.length === 0) return null;
  return (
    <>
      <h2>What can be done about {counted(destinations.length, "destination")}</h2>
      {destinations.slice(0, destinationsShown).map(({ drain, origin, lane, pause, isPaused, ...row }) => (
        <>
          <h3>
            <Foreign text={origin} /> of {drain}
          </h3>
          <p>
            {lane === null ? (
              "no lane is known"
            ) : (
              <LaneWords lane={lane} hasNext={!isPaused && goesOn(row)} />
            )}
            {row.isHeldByRules ? " · rules hold all that waits there" : null}
            {pause && [" · ", <PauseWords pause={pause} />]}
          </p>
          <DestinationActs {...{ drain, origin, lane, pause, context }} />
        </>
      ))}
      {destinations.length > destinationsShown ? (
        <p class="hint">Name one host to act on the others.</p>
      ) : null}
    </>
  );
}
