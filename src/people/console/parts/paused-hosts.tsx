/** Destinations that a person paused, also those for which nothing waits: which, by whom, until when. */
import { toFailureOfName } from "../../../job/message/destination-names.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { HostPause, PauseRecord } from "../../../job/contracts/pauses.ts";
import { resumeAct } from "../acts/forms.ts";
import type { Html, ScreenContext } from "../screen.ts";
import { ActForm } from "./act-form.tsx";
import { toPauseValues } from "./destination-acts.tsx";
import { PauseWords } from "./lane.tsx";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";

/** A pause without a drain is one of each source. */
export function toPausedHosts(
  sources: readonly { readonly hostPauses: readonly PauseRecord[] }[],
): readonly HostPause[] {
  const all = sources
    .flatMap(({ hostPauses }) => hostPauses)
    .filter((pause): pause is HostPause => pause.host !== undefined && toFailureOfName(pause.host) === null);
  return [...new Map(all.map((pause) => [`${pause.drain} ${pause.host}`, pause])).values()];
}

export function PausedHosts({ paused }: { readonly paused: readonly HostPause[] }): Html | null {
  if (paused.length === 0) return null;
  return (
    <>
      <h2 data-phase={paused.map(({ drain, host }) => `${drain} ${host}`).join("; ")}>Paused destinations</h2>
      <Table
        caption="Destinations that a person paused"
        empty=""
        rows={paused}
        columns={[
          { title: "destination", cell: ({ host }) => <Foreign text={host} /> },
          { title: "pause", cell: (pause) => <PauseWords pause={pause} /> },
          { title: "drain", cell: ({ drain }) => (drain === "*" ? "all" : drain) },
        ]}
      />
    </>
  );
}

export function PausedHostActs({
  paused,
  context,
}: {
  readonly paused: readonly HostPause[];
  readonly context: ScreenContext;
}): Html | null {
  if (paused.length === 0) return null;
  return (
    <div class="acts">
      {paused.map((pause) => (
        <ActForm
          act={resumeAct}
          title={`Resume ${toPrintable(pause.host)}${pause.drain === "*" ? "" : ` of ${pause.drain}`}`}
          values={toPauseValues(pause)}
          context={context}
        />
      ))}
    </div>
  );
}
