import type { Html, ScreenContext } from "../screen.ts";
import { Foreign } from "./text.tsx";

/** The name of a rule, with its line of the document behind it if this replica has that rule. */
export function RuleLink({
  drain,
  rule,
  context: { reads },
  shown = rule,
}: Readonly<{ drain: string; rule: string; context: Pick<ScreenContext, "reads">; shown?: string }>): Html {
  const line = reads.rules()?.lines.lineOf(drain, rule);
  const name = <Foreign text={shown} />;
  return line === undefined ? name : <a href={`/rules#${line}`}>{name}</a>;
}
