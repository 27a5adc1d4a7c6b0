/** Everything that the API reads and does, by the operations that commands and pages use. */
import { openAuditReader, type Core } from "../../../job/door.ts";
import { defined } from "../../../job/message/defined.ts";
import { chooseFailures } from "../../operations/failures/choose.ts";
import { readDetails, readStoredDetails } from "../../operations/failures/details.ts";
import { toDetailsJson, toFailureJson } from "../../operations/failures/json.ts";
import { readFailureList } from "../../operations/failures/list.ts";
import { readHistoryPage } from "../../operations/history/read-page.ts";
import { readLanes, type LaneRow } from "../../operations/lanes/read.ts";
import { readIndexes } from "../../operations/indexes/read.ts";
import { readParkedPage } from "../../operations/parked/read-page.ts";
import { maxLetters, readReport } from "../../operations/report/read.ts";
import { toMaskedRecord } from "../../operations/records/masked-record.ts";
import { isKnown, readMessage } from "../../operations/records/read-message.ts";
import { toRuleStandings } from "../../operations/rules/read-rules.ts";
import { operations } from "../../operations/operations.ts";
import type { AuditAct } from "../../../job/contracts/audit.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName, PlanId, SourceId } from "../../../job/contracts/ids.ts";
import { whyNot } from "../access/person.ts";
import {
  failureAnswer,
  failuresAnswer,
  historyAnswer,
  indexesAnswer,
  lanesAnswer,
  messageAnswer,
  parkedAnswer,
  planAnswer,
  plansAnswer,
  reportAnswer,
  rulesAnswer,
  statusAnswer,
} from "./answer-schemas.ts";
import { toRoute } from "./operation-route.ts";
import { ApiRefusal } from "./refusal.ts";
import {
  failureQuery,
  failuresQuery,
  historyQuery,
  lanesQuery,
  messageQuery,
  noQuery,
  parkedQuery,
  reportQuery,
} from "./request-schemas.ts";
import { defineRoute, type ApiRoute } from "./route.ts";

const read = { method: "get", role: "viewer", status: 200, body: null, refuses: [] } as const;
/** Of the audit, for one page, also those that the filters leave out. */
const maxEntries = 2_000;

export const routes: readonly ApiRoute[] = [
  defineRoute({
    ...read,
    path: "/status",
    summary: "What waits, where and until when, as redriver status --json prints it",
    query: noQuery,
    answer: statusAnswer,
    run: ({ reads }) => reads.status(),
  }),
  defineRoute({
    ...read,
    path: "/failures",
    summary: "Kinds of failure, by trouble, each as redriver failures --json prints it",
    query: failuresQuery,
    answer: failuresAnswer,
    async run({ core, now, query: { drain, host, state, all, limit, after } }) {
      const { shown } = await readFailureList(core, { all, ...defined({ drain, host, state }) }, now);
      const page = toPage(shown, after, limit);
      return { failures: page.rows.map(toFailureJson), total: shown.length, next: page.next };
    },
  }),
  defineRoute({
    ...read,
    path: "/failures/:id",
    summary: "One kind of failure, with its arrivals and lanes",
    query: failureQuery,
    answer: failureAnswer,
    refuses: [404],
    async run({ core, reads, person, signal, params, query: { sample } }) {
      const why = sample ? whyNot(person, "operator") : null;
      if (why !== null) throw new ApiRefusal(403, "not-allowed", `sample ${why}`);
      const views = chooseFailures(await reads.failures(), params["id"] ?? "");
      const details = views.map((view) =>
        sample ? readDetails(core, view, signal) : readStoredDetails(core, view),
      );
      return { failures: (await Promise.all(details)).map(toDetailsJson) };
    },
  }),
  defineRoute({
    ...read,
    path: "/lanes",
    summary: "How each destination is tried, by trouble",
    query: lanesQuery,
    answer: lanesAnswer,
    async run({ core, query: { drain, limit, after } }) {
      const from = toOffset(after);
      const rows: LaneRow[] = [];
      // One more, to know whether there is a next page.
      for await (const row of readLanes(core, { drain, isWhole: true })) {
        rows.push(row);
        if (rows.length > from + limit) break;
      }
      const page = toPage(rows, after, limit);
      return { lanes: page.rows, next: page.next };
    },
  }),
  defineRoute({
    ...read,
    path: "/plans",
    summary: "Plans that the replicas share, the newest first; at most 20",
    query: noQuery,
    answer: plansAnswer,
    run: async ({ plans }) => ({ plans: await plans.list() }),
  }),
  defineRoute({
    ...read,
    path: "/plans/:id",
    summary: "One plan: its progress, and what it would do",
    query: noQuery,
    answer: planAnswer,
    refuses: [404],
    run: ({ plans, params }) => plans.show(params["id"] as PlanId),
  }),
  defineRoute({
    ...read,
    path: "/parked",
    summary:
      "What is parked in a source, those first that were listed longest ago. A page may be empty and have a next one",
    query: parkedQuery,
    answer: parkedAnswer,
    async run({ core, query: { source: named, limit, after = null, ...filter } }) {
      const source = toSource(core, named);
      const { rows, total, next } = await readParkedPage(core, source, { after, limit, filter });
      return { source, parked: rows, total, next };
    },
  }),
  defineRoute({
    ...read,
    path: "/history",
    summary:
      "What was done, newest first; many dead letters in one row. A page may be empty and have a next one",
    query: historyQuery,
    answer: historyAnswer,
    async run({ core, query: { drain, act: acts, limit, after = null, ...filter } }) {
      const { rows, next, readTo, missing } = await readHistoryPage(await openAuditReader(core), {
        ...defined(filter),
        ...defined({ drain: drain as DrainName | undefined, acts: acts && new Set<AuditAct>(acts) }),
        before: after,
        maxRows: limit,
        maxEntries,
      });
      return { acts: rows, readTo, missing: missing.trim(), next };
    },
  }),
  defineRoute({
    ...read,
    path: "/report",
    summary: "What an outage came to, as redriver report --json prints it",
    query: reportQuery,
    answer: reportAnswer,
    run: ({ core, now, query }) => readReport(core, query, now, maxLetters),
  }),
  defineRoute({
    ...read,
    path: "/messages/:id",
    summary:
      "One dead letter with masked values, what the ledger has of it, and what the rules do with it. One call of the service",
    query: messageQuery,
    answer: messageAnswer,
    refuses: [404],
    async run({ core, signal, params, query: { source } }) {
      const asked = { source: toSource(core, source), dlqId: params["id"] ?? "", show: "masked" } as const;
      const found = await readMessage(core, asked, signal);
      if (found === null || !isKnown(found)) {
        throw new RedriverError("not-found", "there is no such dead letter, or not any more");
      }
      const { record } = found;
      return { ...found, record: typeof record === "string" ? record : toMaskedRecord(record) };
    },
  }),
  defineRoute({
    ...read,
    path: "/rules",
    summary: "The rules in force, in the order of the document, and what each has done",
    query: noQuery,
    answer: rulesAnswer,
    run: async ({ core: { document }, reads }) => ({
      documentHash: document.hash,
      rules: toRuleStandings(document, await reads.facts()),
    }),
  }),
  defineRoute({
    ...read,
    path: "/indexes",
    summary: "Search indexes as a replica read them last, and the guards on them",
    query: noQuery,
    answer: indexesAnswer,
    run: async ({ core }) => ({ indexes: await readIndexes(core) }),
  }),
  ...operations.map(toRoute),
];

function toSource({ sources }: Core, named: string | undefined): SourceId {
  const [only, ...others] = sources.keys();
  if (named !== undefined) return named as SourceId;
  if (only !== undefined && others.length === 0) return only;
  throw new RedriverError("command-misused", `source is one of ${[...sources.keys()].join(", ")}`);
}

/** A list by trouble moves between two pages, so its cursor is a position. Something may be missed or come twice. */
function toPage<Row>(all: readonly Row[], after: string | undefined, limit: number) {
  const from = toOffset(after);
  const end = from + limit;
  return { rows: all.slice(from, end), next: all.length > end ? String(end) : null };
}

function toOffset(after: string | undefined): number {
  if (after === undefined) return 0;
  if (/^\d{1,9}$/.test(after)) return Number(after);
  throw new RedriverError("command-misused", "the cursor is none of this list");
}
