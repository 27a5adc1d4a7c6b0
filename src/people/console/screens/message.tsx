/** One dead letter: the only page that calls the service, once. Without its content. */
import type { DeadLetter } from "../../../job/message/dead-letter.ts";
import { isTime } from "../../../job/message/json-value.ts";
import { parseRecord } from "../../../job/message/parse-record.ts";
import { toAnyText } from "../../../job/message/write-safe-json.ts";
import { parkedAgainFor } from "../../operations/parked/release.ts";
import { insteadOfRelease } from "../../operations/parked/next-step.ts";
import {
  isKnown,
  readMessage,
  readMessageHistory,
  type ReadMessage,
  type MessageHistory,
} from "../../operations/records/read-message.ts";
import { toLedgerText } from "../../operations/records/ledger-text.ts";
import { cameBackFrom } from "../../operations/records/why-unselected.ts";
import { toMaskedRecord } from "../../operations/records/masked-record.ts";
import { historyColumns, withProofs } from "../../operations/history/rows.ts";
import type { Explanation } from "../../operations/rules/explain.ts";
import { hostOf, laneOriginOfLetter } from "../../../job/message/destination-url.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { failureKindOf } from "../../../job/message/failure-kind.ts";
import type { RuleStep } from "../../../job/rules/explain-rules.ts";
import { content as contentAct } from "../../operations/acts/content.ts";
import { release as releaseAct } from "../../operations/acts/parked-release.ts";
import { ActForm } from "../parts/act-form.tsx";
import { DeadLetterLink, RuleLink } from "../parts/links.tsx";
import { Fields } from "../parts/fields.tsx";
import { Rebuild } from "../parts/rebuild.tsx";
import { readReleaseConditions, ReleaseHints, type ReleaseConditions } from "../parts/release-hints.tsx";
import { CommandLine, Foreign } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Moment, Time } from "../parts/time.tsx";
import { toQuery } from "../query.ts";
import { defineScreen, still, type Drawn, type Html, type ScreenContext } from "../screen.ts";

type Model = NonNullable<Awaited<ReturnType<typeof readModel>>>;

const maxHistoryRows = 100;

export const messageScreen = defineScreen<Model>({
  path: "/messages/:source/:dlqId",
  area: "failures",
  role: "viewer",
  title: ({ message }) => `Dead letter ${message.dlqId}`,
  heading: ({ message: { dlqId, explanation } }) => {
    const record = explanation?.record;
    if (!record) return <>Dead letter {dlqId}</>;
    return (
      <>
        <Foreign text={toAnswerText(record.failure)} />{" "}
        <small>
          from <Foreign text={hostOf(record.url)} /> · dead letter {dlqId}
        </small>
      </>
    );
  },
  load: readModel,
  sections: [
    still("standing", (model, context) => <Standing {...{ model, context }} />),
    still("acts", (model, context) => <Acts {...{ model, context }} />),
    still("drains", ({ listedBy }) => <Drains listedBy={listedBy} />),
    still("decision", ({ message: { explanation, others } }, context) =>
      explanation === null ? null : <Decision {...{ explanation, others, context }} />,
    ),
    still("record", ({ message }) => <Record message={message} />),
    still("history", ({ history }, context) => <History {...{ history, context }} />),
  ],
});

async function readModel(context: ScreenContext) {
  const { core, params, signal } = context;
  const { source = "", dlqId = "" } = params;
  const message = await readMessage(core, { source, dlqId, show: "masked" }, signal);
  if (message === null) return null;
  const letter = toLetter(message);
  const [history, conditions, kindId, listedBy] = await Promise.all([
    readMessageHistory(core, message, maxHistoryRows),
    readConditions(message, letter, context),
    readKindId(message, letter, context),
    readListedBy(message, letter, context),
  ]);
  if (!isKnown(message) && history.rows.length === 0) return null;
  return {
    message,
    history,
    /** What would keep it back if it were released; null: it is not parked, or its drain is not known. */
    conditions,
    /** That has a page; null: there is none of it. */
    kindId,
    listedBy,
    /** Why a release cannot help; null: it may. */
    useless: readUseless(message, context),
  };
}

function toLetter({ record }: ReadMessage): DeadLetter | null {
  const parsed = typeof record === "string" ? null : parseRecord(record);
  return parsed?.kind === "letter" ? parsed.letter : null;
}

function readUseless({ ledger: view, record, source }: ReadMessage, { core }: ScreenContext): string | null {
  if (view.state !== "parked" || typeof record === "string") return null;
  const hasDrain = core.drains.get(view.drain)?.config.source.id === source;
  const reason = parkedAgainFor(core, { view, hasDrain }, record);
  return reason === null ? null : `it would be parked again (${reason}): ${insteadOfRelease(reason)}`;
}

/** Null: too many kinds are known for it to have a page of its own, or it was counted long ago. */
async function readKindId(
  { source }: ReadMessage,
  letter: DeadLetter | null,
  { reads }: ScreenContext,
): Promise<string | null> {
  if (letter === null) return null;
  const { id } = failureKindOf(letter);
  const kinds = await reads.failures();
  return kinds.some((one) => one.id === id && one.source === source) ? id : null;
}

async function readListedBy(
  { explanation, others }: ReadMessage,
  letter: DeadLetter | null,
  { reads }: ScreenContext,
) {
  if (explanation === null || others.length === 0) return [];
  const origin = letter && laneOriginOfLetter(letter);
  const { drains } = await reads.status();
  return [explanation, ...others].map((one) => {
    const standing = drains.find(({ drain }) => drain === one.drain);
    const there = standing?.destinations.find((destination) => destination.origin === origin);
    return { drain: one.drain, explanation: one.explanation, does: toDoes(one, standing, there) };
  });
}

type DrainStanding = Awaited<ReturnType<ScreenContext["reads"]["status"]>>["drains"][number];

/** What becomes of it there, if nobody does anything. */
function toDoes(
  { mode, decision: { then, reason } }: Pick<Explanation, "mode" | "decision">,
  standing: DrainStanding | undefined,
  there: DrainStanding["destinations"][number] | undefined,
): string {
  if (then === "hold") return reason === "rule" || reason === "otherwise" ? "holds it" : "holds it for now";
  if (mode === "plan") {
    return then === "republish" ? "only plans: an apply of a plan would send it" : `only plans to ${then} it`;
  }
  if (standing !== undefined && standing.paused !== null) return "does nothing: it is paused";
  if (then === "settle") return "deletes it: it was sent or dropped before";
  if (then !== "republish") return `${then}s it`;
  if (there?.isPaused === true) return "sends it once its destination is resumed";
  return there?.lane?.state === "halted" ? "sends it once its destination is halted no more" : "sends it";
}

function Drains({ listedBy }: Pick<Model, "listedBy">): Html | null {
  if (listedBy.length === 0) return null;
  return (
    <>
      <h2>The drains that list it</h2>
      <Table
        caption="What each drain does with it"
        empty=""
        rows={listedBy}
        columns={({ column }) => [
          column("drain", ({ drain }) => drain),
          column("what it does with it", ({ does }) => does),
          column("why", ({ explanation }) => <Foreign text={explanation} />),
        ]}
      />
      <p class="hint">Whichever acts first has it.</p>
    </>
  );
}

function Standing({ model: { message }, context: { core, now } }: Drawn<{ model: Model }>): Html {
  const { source, enteredAt, expiresAt, ledger, explanation } = message;
  const record = explanation?.record ?? null;
  const keys = core.sources.get(source)?.runtime.lineageKeys() ?? [];
  const parent = typeof message.record === "string" ? null : cameBackFrom(message.record, keys);
  const isComeBack = record !== null && toLetter(message)?.createdAt !== record.rootCreatedAt;
  const none = isComeBack
    ? "none counts: sent before, and it failed again as in an outage"
    : "none by redriver";
  return (
    <Fields
      of={[
        ["source", source],
        [
          "drain",
          explanation && `${explanation.drain} (${explanation.mode}${explanation.paused ? ", paused" : ""})`,
        ],
        ["entered", <Moment at={enteredAt} now={now} />],
        ["expires", ledger.state === "gone" ? null : <Moment at={expiresAt} now={now} />],
        ["ledger", <Foreign text={toLedgerText(ledger)} />],
        ["lineage", parent && <Foreign text={parent} />],
        ["sent to", record && <Foreign text={record.url} />],
        ["attempts", record && (record.attempt || none)],
      ]}
    />
  );
}

async function readConditions(
  { ledger }: ReadMessage,
  letter: DeadLetter | null,
  context: ScreenContext,
): Promise<ReleaseConditions | null> {
  if (ledger.state !== "parked" || letter === null) return null;
  const origin = laneOriginOfLetter(letter);
  const { drain, failure } = ledger;
  return origin === null ? null : readReleaseConditions(context, drain, { origin, failure });
}

function Acts({ model: { message, conditions, useless, kindId }, context }: Drawn<{ model: Model }>): Html {
  const { source, dlqId, ledger, record } = message;
  const release = { act: releaseAct, values: { dlqIds: dlqId, source }, whyNot: useless };
  const notFound = typeof record === "string" ? "it was not found in the queue" : null;
  return (
    <>
      {ledger.state === "parked" ? <ReleaseHints conditions={conditions} reason={ledger.reason} /> : null}
      <div class="acts">
        {kindId === null ? null : (
          <a class="button primary" href={`/failures/${kindId}${toQuery({ source })}`}>
            All of this kind
          </a>
        )}
        {ledger.state === "parked" && <ActForm {...{ ...release, context }} />}
        <ActForm act={contentAct} values={{ source, dlqId }} context={context} whyNot={notFound} />
      </div>
    </>
  );
}

const outcomes: Readonly<Record<RuleStep["outcome"], string>> = {
  held: "yes",
  failed: "no",
  ignored: "ignored",
  "not-reached": "not asked",
};

function Decision({
  explanation,
  others,
  context,
}: Drawn<{ explanation: Explanation; others: ReadMessage["others"] }>): Html {
  const { drain, rules, decidedByLedger, problem, otherwise, decision } = explanation;
  return (
    <>
      <h2>What the rules{others.length === 0 ? "" : ` of ${drain}`} decide</h2>
      <p class="verdict">
        <Foreign text={explanation.explanation} />
      </p>
      {decidedByLedger ? <p>The ledger decides this before any rule.</p> : null}
      {decision.until === undefined ? null : (
        <p>
          Until <Time at={decision.until} />.
        </p>
      )}
      {problem === null ? null : (
        <p class="problem">
          The record cannot be read: <Foreign text={problem} />
        </p>
      )}
      <Table
        caption="How each rule fared"
        empty={`No rule was asked; otherwise: ${otherwise}.`}
        rows={rules}
        columns={({ column }) => [
          column("rule", ({ rule }) => <RuleLink drain={drain} rule={rule} context={context} />),
          column("matches", ({ outcome }) => outcomes[outcome]),
          column("why", ({ why }) => <Foreign text={why} />),
        ]}
      />
    </>
  );
}

function Record({ message: { record, explanation, dlqId } }: { readonly message: ReadMessage }): Html {
  if (typeof record === "string") {
    return (
      <>
        <h2>The record</h2>
        <p class="empty">
          <Foreign text={record} />
        </p>
        <p class="hint">The whole queue is searched by:</p>
        <CommandLine line={`redriver rules explain ${dlqId}`} />
      </>
    );
  }
  return (
    <div class="sides">
      <div>
        <h2>The record</h2>
        <p class="hint">
          Bodies are lengths and header values are stars here: a person's data may be in them. Whoever has the
          role admin can show the content, and the audit has who did.
        </p>
        <Fields
          of={Object.entries(toMaskedRecord(record))
            .filter(([, value]) => value !== "" && value !== null)
            .map(([name, value]) => [<Foreign text={name} />, <Value name={name} value={value} />])}
        />
      </div>
      <div>
        <h2>The item that would be published</h2>
        {explanation === null ? (
          <p class="empty">No drain selects it, so none.</p>
        ) : (
          <Rebuild explanation={explanation} />
        )}
      </div>
    </div>
  );
}

/** Times of the record, Unix ms. */
const timeFields = new Set(["createdAt", "notBefore"]);

function Value({ name, value }: { readonly name: string; readonly value: unknown }): Html {
  if (timeFields.has(name) && isTime(value)) return <Time at={value} />;
  if (typeof value !== "object" || value === null) return <Foreign text={String(value)} />;
  const rows = Array.isArray(value) ? value.map(toAnyText) : toNamed(value);
  return (
    <ul class="plain">
      {rows.slice(0, maxValues).map((row) => (
        <li>
          <Foreign text={row} />
        </li>
      ))}
      {rows.length > maxValues ? <li class="hint">and {rows.length - maxValues} more</li> : null}
    </ul>
  );
}

const maxValues = 50;

function toNamed(value: object): readonly string[] {
  return Object.entries(value).map(([name, one]) => `${name}: ${toAnyText(one)}`);
}

function History({ history: { rows, isCut }, context }: Drawn<{ history: MessageHistory }>): Html {
  return (
    <>
      <h2>Its history</h2>
      <Table
        caption="What was done, newest first, also to those it came back from"
        empty="Nothing was done to it yet, as far as the audit goes back."
        rows={withProofs(rows)}
        columns={({ column }) => [
          column("when", ({ at }) => <Time at={at} />),
          column("act", ({ act }) => act),
          column("dead letter", ({ source, dlqId }) => dlqId && <DeadLetterLink {...{ source, dlqId }} />),
          column("drain", ({ drain }) => drain),
          column(
            "rule",
            ({ drain, rule }) => rule && <RuleLink {...{ drain: drain ?? "", rule, context }} />,
          ),
          column("reason", (row) => <Foreign text={historyColumns.reason(row)} />),
          column("notes", (row) => <Foreign text={historyColumns.notes(row)} />),
          column("why", (row) => <Foreign text={historyColumns.why(row)} />),
          column("by", ({ by }) => <Foreign text={by} />),
        ]}
      />
      {isCut ? <p class="hint">Older acts are left out; redriver history shows all.</p> : null}
    </>
  );
}
