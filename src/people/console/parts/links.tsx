import type { Html, ScreenContext } from "../screen.ts";
import { Foreign } from "./text.tsx";

export function messagePath(source: string, dlqId: string): string {
  return `/messages/${encodeURIComponent(source)}/${encodeURIComponent(dlqId)}`;
}

export function DeadLetterLink({ source, dlqId }: { readonly source: string; readonly dlqId: string }): Html {
  return (
    <a href={messagePath(source, dlqId)}>
      <Foreign text={dlqId} />
    </a>
  );
}

/** The name of a rule, with its line of the document behind it if this replica has that rule. */
export function RuleLink({
  drain,
  rule,
  context: { reads },
  shown = rule,
}: Readonly<{ drain: string; rule: string; context: Pick<ScreenContext, "reads">; shown?: string }>): Html {
  const line = reads.rules()?.lineOf(drain, rule);
  const name = <Foreign text={shown} />;
  return line === undefined ? name : <a href={`/rules#${line}`}>{name}</a>;
}
