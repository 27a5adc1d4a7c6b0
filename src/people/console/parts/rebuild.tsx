/** What a dead letter would become: what changes, and what is lost. */
import type { Explanation } from "../../operations/rules/explain.ts";
import type { Html } from "../screen.ts";
import { Foreign } from "./text.tsx";
import { Table } from "./table.tsx";

export function Rebuild({ explanation }: { readonly explanation: Explanation }): Html {
  const { becomes, decision } = explanation;
  if (becomes === null) {
    return (
      <p class="empty">
        Drain {explanation.drain} does not publish it: its decision is {decision.then}, so nothing is rebuilt.
      </p>
    );
  }
  if (becomes.kind === "park") {
    return (
      <p>
        It cannot be published: it would be parked for <strong>{becomes.reason}</strong>.
      </p>
    );
  }
  const { via, changes, losses } = becomes;
  if (via === "service") {
    return <p>It is sent as it was, by the service's own retry: one call, and no batch.</p>;
  }
  return (
    <>
      <h3>What changes</h3>
      <Table
        caption="Differences between the record and the item"
        empty="Nothing: the item is what the record was. Every redrive adds a deduplication id and a lineage header."
        rows={changes}
        columns={({ column }) => [
          column("what", ({ what }) => <Foreign text={what} />),
          column("in the record", ({ before }) => <Side text={before} />),
          column("in the item", ({ after }) => <Side text={after} />),
        ]}
      />
      <h3>What is lost</h3>
      {losses.length === 0 ? (
        <p class="empty">Nothing.</p>
      ) : (
        <ul>
          {losses.map((loss) => (
            <li>{loss}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Side({ text }: { readonly text: string | null }): Html {
  return text === null ? <span class="hint">(none)</span> : <Foreign text={text} />;
}
