/** What people have paused: drains, destinations, kinds of failure. Each with who, why, and the way back. */
import { toFailureName, toFailureOfName } from "../../../job/message/destination-names.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import type { Status } from "../../operations/status/read.ts";
import { resume as resumeAct } from "../../operations/acts/resume.ts";
import type { Texts } from "../../operations/define.ts";
import { toQuery } from "../query.ts";
import type { Drawn, Html } from "../screen.ts";
import { ActForm } from "./act-form.tsx";
import { PauseWords } from "./lane.tsx";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";

interface PausedRow {
  readonly pause: PauseRecord;
  readonly what: Html;
  readonly title: string;
  /** Of the form that ends it as it was given. */
  readonly values: Texts;
}

export function Paused({ status, context }: Drawn<{ status: Status }>): Html | null {
  const rows = toPausedRows(status);
  if (rows.length === 0) return null;
  return (
    <>
      <h2>Paused by people</h2>
      <Table
        caption="What people have paused"
        empty=""
        rows={rows}
        columns={({ column }) => [
          column("what", ({ what }) => what),
          column("pause", ({ pause }) => <PauseWords pause={pause} />),
          column("drain", ({ pause }) => (pause.drain === "*" ? "all" : pause.drain)),
          column("act", ({ title, values }) => <ActForm act={resumeAct} {...{ title, values, context }} />),
        ]}
      />
    </>
  );
}

/** One row for what several sources have alike: one form ends it in all of them. */
function toPausedRows({ drains, sources }: Status): readonly PausedRow[] {
  const ofDrains = drains.flatMap(({ paused }) => (paused !== null && "at" in paused ? [paused] : []));
  const rows = [
    ...ofDrains.map(ofDrain),
    ...sources.flatMap(({ source, failures, hostPauses }) =>
      hostPauses.map((pause) => {
        const id = toFailureOfName(pause.host ?? "");
        return id === null ? ofHost(pause) : ofKind(pause, id, { source, failures });
      }),
    ),
  ];
  return [...new Map(rows.map((row) => [JSON.stringify(row.values), row])).values()];
}

function ofDrain(pause: PauseRecord): PausedRow {
  const isAll = pause.drain === "*";
  return {
    pause,
    what: isAll ? <strong>everything</strong> : <>drain {pause.drain}</>,
    title: isAll ? "Resume all drains" : `Resume ${pause.drain}`,
    values: isAll ? { all: "yes" } : { drains: pause.drain },
  };
}

function ofHost(pause: PauseRecord): PausedRow {
  const host = pause.host ?? "";
  return {
    pause,
    what: <Foreign text={host} />,
    title: `Resume ${toPrintable(host)}${ofDrainWords(pause)}`,
    values: pause.drain === "*" ? { host } : { drains: pause.drain, host },
  };
}

function ofKind(
  pause: PauseRecord,
  id: string,
  { source, failures }: Pick<Status["sources"][number], "source" | "failures">,
): PausedRow {
  const kind = failures.find((one) => one.id === id);
  return {
    pause,
    what: (
      <a href={`/failures/${encodeURIComponent(id)}${toQuery({ source })}`}>
        {kind === undefined ? (
          <Foreign text={id} />
        ) : (
          <>
            <Foreign text={kind.origin} />: <Foreign text={toAnswerText(kind)} />
          </>
        )}
      </a>
    ),
    title: `Resume failure ${id}${ofDrainWords(pause)}`,
    values: toKindPauseValues(id, pause),
  };
}

function ofDrainWords({ drain }: PauseRecord): string {
  return drain === "*" ? "" : ` of ${drain}`;
}

/** Of every drain and destination, in each source; null: there is none. */
export function toPauseOfAll(pauses: ReadonlyMap<string, readonly PauseRecord[]>): PauseRecord | null {
  const ofAll = [...pauses.values()].map((own) =>
    own.find(({ drain, host }) => drain === "*" && host === undefined),
  );
  return ofAll.every((one) => one !== undefined) ? (ofAll[0] ?? null) : null;
}

export function pausesOfKind<Pause extends PauseRecord>(
  pauses: readonly Pause[],
  id: string,
): readonly Pause[] {
  return pauses.filter(({ host }) => host === toFailureName(id));
}

/** A pause of a kind is ended as it was given. */
export function toKindPauseValues(id: string, { drain }: PauseRecord): Texts {
  return drain === "*" ? { failure: id } : { failure: id, drains: drain };
}
