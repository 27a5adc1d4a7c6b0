/** What waits for a person: how many for what reason, what to do next, and the oldest one by one. */
import { parkReasons } from "../../../job/message/park-reasons.ts";
import { nextStepOf } from "../../operations/parked/next-step.ts";
import {
  readParkedPage,
  toParkedSums,
  type ParkedRowFilter,
  type ParkedRows,
  type ParkedSum,
} from "../../operations/parked/read-page.ts";
import { release as releaseAct } from "../../operations/acts/parked-release.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import { ActForm } from "../parts/act-form.tsx";
import { DeadLetterLink } from "../parts/links.tsx";
import { Filters } from "../parts/filters.tsx";
import { filterOf, toQuery, withQuery } from "../query.ts";
import { readReleaseConditions, ReleaseHints } from "../parts/release-hints.tsx";
import { capitalised, number } from "../../operations/phrases.ts";
import { CommandLine, Foreign } from "../parts/text.tsx";
import { toAnswerText } from "../../read/answer-text.ts";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { defineScreen, still, type Drawn, type Html, type ScreenContext } from "../screen.ts";

const path = "/parked";
const rowsPerPage = 50;
const none: ParkedRows = { rows: [], total: 0, next: null };

type Model = Awaited<ReturnType<typeof readModel>>;

export const parkedScreen = defineScreen<Model>({
  path,
  area: "parked",
  role: "viewer",
  title: () => "Parked",
  load: readModel,
  sections: [
    still("parked-counts", (model, context) => <Counts {...{ model, context }} />),
    still("parked-list", (model, context) => <List {...{ model, context }} />),
  ],
});

async function readModel(context: ScreenContext) {
  const { core, reads, query } = context;
  const [first = null] = core.sources.keys();
  const source = (filterOf(query, "source") as SourceId | undefined) ?? first;
  const request = { after: query.get("after"), limit: rowsPerPage, filter: toFilter(query) };
  const [facts, kinds, page] = await Promise.all([
    reads.facts(),
    reads.failures(),
    source === null ? none : readParkedPage(core, source, request),
  ]);
  const sums = toParkedSums(facts);
  const drains = [...new Set(sums.map(({ drain }) => drain))];
  const conditions = await Promise.all(
    drains.map(async (drain) => [drain, await readReleaseConditions(context, drain)] as const),
  );
  /** Source and number: what several of its drains count as parked. */
  const shared = facts.sources.flatMap((one) =>
    one.shared === null || one.shared.parked === 0 ? [] : [[one.source, one.shared.parked] as const],
  );
  const isShared = new Set<string>(shared.map(([of]) => of));
  /** Drains that may have parked what others list too. */
  const sharing = new Set<string>(
    facts.drains.flatMap((one) => (one.mayShare === true && isShared.has(one.source) ? [one.drain] : [])),
  );
  return {
    sums,
    shared,
    sharing,
    conditions: new Map(conditions),
    source,
    page,
    answers: new Map(kinds.map((kind) => [kind.id, toAnswerText(kind)])),
  };
}

function toFilter(query: URLSearchParams): ParkedRowFilter {
  return {
    drain: filterOf(query, "drain"),
    reason: filterOf(query, "reason"),
    failure: filterOf(query, "failure"),
  };
}

function Counts({ model, context }: Drawn<{ model: Model }>): Html {
  const { sums, shared } = model;
  const { query } = context;
  return (
    <>
      <p class="hint">
        To discard dead letters, open their kind of failure, or <a href="/plans?discard=true">make a plan</a>.
        A rule with <code>then: drop</code> or <code>then: park</code> is for those that come.
      </p>
      <Table
        caption="Parked by drain and reason, as the passes have counted it"
        empty="Nothing is parked: nobody is waited for."
        rows={sums}
        columns={({ column, amounts }) => [
          column("drain", ({ drain }) => (
            <a href={withQuery(path, query, { drain, after: null })}>{drain}</a>
          )),
          column("parked for", ({ drain, reason, source }) => (
            <a href={withQuery(path, query, { drain, reason, source, after: null })}>{reason}</a>
          )),
          amounts("parked", ({ count }) => count),
          column("what to do next", (sum) => <Next {...{ sum, model, context }} />),
        ]}
      />
      {shared.map(([source, parked]) => (
        <p class="hint">
          In {source}, {number(parked)} stand in several drains, which list them. A release is of what its own
          drain has parked.
        </p>
      ))}
    </>
  );
}

function Next({ sum, model, context }: Drawn<{ sum: ParkedSum; model: Model }>): Html {
  const { drain, count } = sum;
  const conditions = model.conditions.get(drain) ?? null;
  const reason = parkReasons.find((one) => one === sum.reason);
  if (reason === undefined) return <>See the release notes: this replica does not know the reason.</>;
  const { advice, command } = nextStepOf(
    { drain, reason, hasDrain: true },
    conditions?.hasServiceRule === true,
  );
  const all = count === 1 ? "Release 1" : `Release all ${number(count)}`;
  const title = model.sharing.has(drain) ? `Release what ${drain} has parked` : all;
  return (
    <>
      {capitalised(advice)}
      {command === null ? null : (
        <>
          <ReleaseHints conditions={conditions} reason={reason} />
          <ActForm act={releaseAct} title={title} values={{ drain, for: reason }} context={context} />
        </>
      )}
    </>
  );
}

function List({
  model: { source, page, answers },
  context: { core, query, now },
}: Drawn<{ model: Model }>): Html {
  const { rows, total, next } = page;
  const isFiltered = Object.values(toFilter(query)).some((value) => value !== undefined);
  const sources = [...core.sources.keys()];
  return (
    <>
      <h2>One by one</h2>
      <Filters
        path={path}
        query={query}
        filters={[
          ...(sources.length > 1 ? [{ name: "source", label: "Source", choices: sources }] : []),
          { name: "drain", label: "Drain", choices: [...core.drains.keys()] },
          { name: "reason", label: "Parked for", choices: parkReasons },
          { name: "failure", label: "Failure" },
        ]}
      />
      <Table
        caption="Parked dead letters, those first that were listed longest ago"
        empty={
          next !== null
            ? "None of these here; the next page goes on."
            : isFiltered
              ? "Nothing parked fits these filters."
              : "Nothing is parked."
        }
        rows={rows}
        columns={({ column, amounts }) => [
          column("dead letter", ({ dlqId }) =>
            source === null ? dlqId : <DeadLetterLink source={source} dlqId={dlqId} />,
          ),
          column("drain", ({ drain, hasDrain }) => (
            <>
              <Foreign text={drain} />
              {hasDrain ? null : <span class="hint"> (not in the document)</span>}
            </>
          )),
          column("parked for", ({ reason }) => reason),
          column("failure", ({ failure }) =>
            failure === null ? null : (
              <a href={`/failures/${encodeURIComponent(failure)}${toQuery({ source })}`}>
                <Foreign text={answers.get(failure) ?? failure} isWhole />
              </a>
            ),
          ),
          amounts("redrives", ({ attempt }) => attempt),
          column("entered", ({ enteredAt }) => <Ago at={enteredAt} now={now} />),
          column("expires", ({ expiresAt }) => <Ago at={expiresAt} now={now} />),
        ]}
      />
      <p class="pages">
        {number(total)} parked in this source.{" "}
        {query.has("after") ? <a href={withQuery(path, query, { after: null })}>To the first page</a> : null}{" "}
        {next === null ? null : (
          <a rel="next" href={withQuery(path, query, { after: next })}>
            Next page
          </a>
        )}
      </p>
      <p class="hint">All in one listing, with destinations and answers:</p>
      <CommandLine line="redriver parked summary" />
    </>
  );
}
