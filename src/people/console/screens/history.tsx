/** What was done, by whom and why, newest first. */
import { openAuditReader } from "../../../job/door.ts";
import type { ActRow } from "../../operations/history/act-rows.ts";
import { readHistoryPage, type HistoryPage } from "../../operations/history/read-page.ts";
import { reasonText, toActNotes, toAllOf } from "../../operations/history/rows.ts";
import { number, present } from "../../operations/phrases.ts";
import { parseDay, parseTime } from "../../../job/rules/patterns/parse-dates.ts";
import { auditActs, personActs } from "../../../job/contracts/audit.ts";
import { misused } from "../../../job/contracts/errors.ts";
import type { SharedPlan } from "../../../job/contracts/plans.ts";
import { CameBackAs, readKindPages, type KindPages } from "../parts/came-back-as.tsx";
import { DeadLetterLink } from "../parts/links.tsx";
import { Filters, type QueryField } from "../parts/filters.tsx";
import { toDestinationText } from "../../operations/destination-text.ts";
import { filterOf, toQuery, withQuery } from "../query.ts";
import { CommandLine, Foreign } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { defineScreen, still, type Drawn, type Html, type ScreenContext } from "../screen.ts";

const path = "/history";
const ofPeople = "people";
const maxRows = 50;
/** 50 reads of Redis. A rare person may need several pages. */
const maxEntries = 5_000;
/** 100,000 took a quarter of a second of CPU. An act on more goes on as a row of the next page. */
const maxRecords = 25_000;

interface Model {
  readonly page: HistoryPage;
  /** Of the applies of plans that are kept still. */
  readonly plans: readonly SharedPlan[];
  readonly kindPages: KindPages;
}

export const historyScreen = defineScreen<Model>({
  path,
  area: "history",
  role: "viewer",
  title: () => "History",
  async load({ core, query, plans, reads }) {
    const act = filterOf(query, "act");
    const acts = act === ofPeople ? [...personActs] : auditActs.filter((one) => one === act);
    if (act !== undefined && acts.length === 0) throw misused(`no act is named ${JSON.stringify(act)}`);
    const page = await readHistoryPage(await openAuditReader(core), {
      before: query.get("before"),
      maxRows,
      maxEntries,
      maxRecords,
      act: act === undefined ? act : acts,
      drain: filterOf(query, "drain"),
      by: filterOf(query, "by"),
      rule: filterOf(query, "rule"),
      ...spanOf(query),
    });
    const hasApply = page.rows.some((row) => row.act === "apply");
    if (!hasApply) return { page, plans: [], kindPages: new Map() };
    return { page, plans: await plans.list(), kindPages: await readKindPages({ core, reads }) };
  },
  sections: [
    still("history-filters", (_model, context) => <HistoryFilters context={context} />),
    still("history-list", (model, context) => <List {...{ model, context }} />),
  ],
});

export const spanFilters: readonly QueryField[] = [
  { name: "host", label: "Host (* for any part)" },
  { name: "from", label: "From (UTC)", type: "datetime-local" },
  { name: "to", label: "To (UTC)", type: "datetime-local" },
];

export function spanOf(query: URLSearchParams) {
  return { host: filterOf(query, "host"), from: timeOf(query, "from"), to: timeOf(query, "to") };
}

/** `2026-11-26T20:15`, in UTC, or with a zone of its own; a date is its first or its last millisecond. */
function timeOf(query: URLSearchParams, name: "from" | "to"): number | undefined {
  const text = filterOf(query, name);
  if (text === undefined) return undefined;
  const at = parseDay(text)?.[name] ?? parseTime(text) ?? parseTime(`${text}Z`);
  if (at === null) throw misused(`${name}: expected a time such as 2026-11-26T20:15`);
  return at;
}

function HistoryFilters({ context: { core, query } }: { readonly context: ScreenContext }): Html {
  return (
    <>
      <Filters
        path={path}
        query={query}
        filters={[
          { name: "act", label: "Act", choices: [ofPeople, ...auditActs] },
          { name: "drain", label: "Drain", choices: [...core.drains.keys()] },
          { name: "by", label: "By (* for any part)" },
          { name: "rule", label: "Rule" },
          ...spanFilters,
        ]}
      />
      <p class="hint">
        <a href={`${path}?act=${ofPeople}`}>What people did</a>, without what followed from it or from rules.{" "}
        <a href="/report">An outage report</a> adds it up.
      </p>
    </>
  );
}

function List({ model, context }: Drawn<{ model: Model }>): Html {
  const { rows, next, readTo, missing } = model.page;
  const { query } = context;
  const Only = ({ name, value, shown }: { name: string; value: string; shown?: Html }): Html => (
    <a href={withQuery(path, query, { [name]: value, before: null })} title={`Only this ${name}`}>
      {shown ?? <Foreign text={value} />}
    </a>
  );
  const empty = next === null ? "Nothing was done that fits." : "Nothing here fits; the next page goes on.";
  return (
    <>
      <Table
        caption="What was done, newest first"
        empty={empty}
        rows={rows}
        columns={({ column, amounts }) => [
          column("when", ({ at, since }) => <Time {...{ at, since }} isExact />),
          column("act", ({ act }) => <Only name="act" value={act} />),
          amounts("count", ({ count }) => count || null),
          column("drain", ({ drain, count, source }) =>
            drain !== null ? <Only name="drain" value={drain} /> : count === 0 ? toAllOf(source) : null,
          ),
          column("rule", ({ rule }) => (rule ? <Only name="rule" value={rule} /> : null)),
          column("what", (row) => <What {...{ row, model, Only }} />),
          column("why", ({ why }) => (why === undefined ? null : <Foreign text={why} />)),
          column("by", ({ by }) => <Only name="by" value={by} />),
        ]}
      />
      {filterOf(query, "host") === undefined ? null : (
        <p class="hint">
          This filter leaves out acts that are about no single host: notes, plans, and pauses of whole drains.{" "}
          <a href={withQuery(path, query, { host: null, before: null })}>Show all</a>
        </p>
      )}
      {missing === "" ? null : <p class="hint">{missing}</p>}
      <p class="hint">The sums of a day, by act and by person:</p>
      <CommandLine line="redriver history --summary --since 1d" />
      <p class="pages">
        {readTo === null || next === null ? null : (
          <>
            Read back to <Time at={readTo} />.{" "}
          </>
        )}
        {query.has("before") ? <a href={withQuery(path, query, { before: null })}>To the newest</a> : null}{" "}
        {next === null ? null : (
          <a rel="next" href={withQuery(path, query, { before: next })}>
            Older
          </a>
        )}
      </p>
    </>
  );
}

type OnlyLink = (props: { name: string; value: string; shown?: Html }) => Html;

function What({ row, model, Only }: Readonly<{ row: ActRow; model: Model; Only: OnlyLink }>): Html {
  const { lane, host, hosts, dlqId, source } = row;
  const known = lane?.origin ?? host;
  const names = known === undefined ? hosts.top.map(({ key }) => key) : [known];
  const more = known === undefined ? hosts.more.kinds : 0;
  const words = present([reasonText(row), ...toActNotes(row, number)]);
  const plan = /(?:^|; )plan ([0-9a-f-]{36})\b/.exec(row.why ?? "")?.[1];
  return (
    <>
      {names.slice(0, shownHosts).map((name) => (
        <>
          <Only name="host" value={name} />{" "}
        </>
      ))}
      {names.length - shownHosts + more > 0 ? <>and {names.length - shownHosts + more} more hosts </> : null}
      {words.length === 0 ? null : <Foreign text={words.join(", ")} />}
      {plan === undefined ? null : <a href={`/plans/${plan}`}> its plan</a>}
      {plan !== undefined && row.act === "apply" ? (
        <span class="note">
          <CameBackAs kinds={kindsOf(model.plans, plan, row)} pages={model.kindPages} />
        </span>
      ) : null}
      {row.act === "lane-probe" && known !== undefined ? (
        <a href={`/failures${toQuery({ host: toDestinationText(known) })}`}> what its probes showed</a>
      ) : null}
      {dlqId === undefined ? null : (
        <>
          {" "}
          <DeadLetterLink source={source} dlqId={dlqId} />
        </>
      )}
    </>
  );
}

/** Under which what the plan of this apply sent came back. */
function kindsOf(plans: Model["plans"], id: string, { drain }: ActRow) {
  const apply = plans.find((one) => one.id === id)?.apply;
  return apply?.drains.find((one) => one.drain === drain)?.verdict?.kinds;
}

const shownHosts = 3;
