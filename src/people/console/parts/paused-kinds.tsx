/** Kinds of failure that a person paused: which, by whom, until when. */
import { toFailureName, toFailureOfName } from "../../../job/message/destination-names.ts";
import type { FailureKind } from "../../../job/message/failure-kind.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { resumeAct } from "../acts/forms.ts";
import { toQuery } from "../query.ts";
import type { Html, ScreenContext } from "../screen.ts";
import { ActForm } from "./act-form.tsx";
import { PauseWords } from "./lane.tsx";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";

export interface PausedKind {
  readonly id: string;
  readonly source: SourceId;
  readonly pause: PauseRecord;
  /** Null: it is recorded no more. */
  readonly kind: FailureKind | null;
}

interface PausedSource {
  readonly source: SourceId;
  readonly failures: readonly FailureKind[];
  readonly hostPauses: readonly PauseRecord[];
}

export function toPausedKinds(sources: readonly PausedSource[]): readonly PausedKind[] {
  return sources.flatMap(({ source, failures, hostPauses }) =>
    hostPauses.flatMap((pause) => {
      const id = toFailureOfName(pause.host ?? "");
      return id === null ? [] : [{ id, source, pause, kind: failures.find((one) => one.id === id) ?? null }];
    }),
  );
}

/** The pauses of one kind, of one drain or of all. */
export function pausesOfKind<Pause extends PauseRecord>(
  pauses: readonly Pause[],
  id: string,
): readonly Pause[] {
  return pauses.filter(({ host }) => host === toFailureName(id));
}

/** A pause of a kind is ended as it was given. */
export function toKindPauseValues(
  id: string,
  pause: PauseRecord | undefined,
): Readonly<Record<string, string>> {
  return pause === undefined || pause.drain === "*" ? { failure: id } : { failure: id, drains: pause.drain };
}

export function PausedKinds({ paused }: { readonly paused: readonly PausedKind[] }): Html | null {
  if (paused.length === 0) return null;
  return (
    <>
      <h2>Paused kinds of failure</h2>
      <Table
        caption="Kinds of failure that a person paused"
        empty=""
        rows={paused}
        columns={[
          {
            title: "failure",
            cell: ({ id, source, kind }) => (
              <a href={`/failures/${encodeURIComponent(id)}${toQuery({ source })}`}>
                {kind === null ? (
                  <Foreign text={id} />
                ) : (
                  <>
                    <Foreign text={kind.origin} />: <Foreign text={toAnswerText(kind)} />
                  </>
                )}
              </a>
            ),
          },
          { title: "pause", cell: ({ pause }) => <PauseWords pause={pause} /> },
          { title: "drain", cell: ({ pause }) => (pause.drain === "*" ? "all" : pause.drain) },
        ]}
      />
    </>
  );
}

/** One form for each kind and drain: a pause of several sources is ended in all of them. */
export function PausedKindActs({
  paused,
  context,
}: {
  readonly paused: readonly PausedKind[];
  readonly context: ScreenContext;
}): Html | null {
  const pauses = new Map(paused.map(({ id, pause }) => [`${id} ${pause.drain}`, { id, pause }]));
  if (pauses.size === 0) return null;
  return (
    <div class="acts">
      {[...pauses.values()].map(({ id, pause }) => (
        <ActForm
          act={resumeAct}
          title={`Resume failure ${id}${pause.drain === "*" ? "" : ` of ${pause.drain}`}`}
          values={toKindPauseValues(id, pause)}
          context={context}
        />
      ))}
    </div>
  );
}
