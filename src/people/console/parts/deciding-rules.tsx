/** What the rules do with one kind of failure: which decide, how many of it, and what they ask for. */
import { toCommandLine } from "../../operations/command-line.ts";
import { capitalised } from "../../operations/phrases.ts";
import { toPercent, toRuledShares, whyNotRuled } from "../../operations/failures/ruled.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { describeCondition } from "../../../job/rules/explain-rules.ts";
import type { Drawn, Html } from "../screen.ts";
import { RuleLink } from "./links.tsx";
import { Table } from "./table.tsx";
import { CommandLine, Foreign } from "./text.tsx";

export function DecidingRules({ failure, context }: Drawn<{ failure: FailureView }>): Html {
  const { sample, drains } = failure;
  const [first] = drains;
  const configOf = (drain: DrainName) => context.core.drains.get(drain)?.config;
  return (
    <>
      <h2>What the rules do with it</h2>
      <Table
        caption="Rules that decide it"
        empty={`${capitalised(whyNotRuled(failure))}.`}
        rows={toRuledShares(failure)}
        columns={({ column, amounts }) => [
          column("drain", ({ drain }) => `${drain} (${configOf(drain)?.mode ?? "not in the document"})`),
          column("decides", ({ then }) => then),
          column("rule", ({ drain, rule }) =>
            rule === null ? (
              "none is asked: parked already"
            ) : rule === "otherwise" ? (
              "none matched"
            ) : (
              <RuleLink {...{ drain, rule, context }} />
            ),
          ),
          column("if", ({ drain, rule }) => {
            const spec = configOf(drain)?.rules.find(({ name }) => name === rule);
            // In words and without secrets.
            return spec === undefined ? null : <Foreign text={describeCondition(spec.when)} isWhole />;
          }),
          amounts("share", ({ share }) => `${toPercent(share)}%`),
        ]}
      />
      {sample === null || first === undefined ? null : (
        <>
          <p class="hint">Why, for the sample: its page shows it, or</p>
          <CommandLine line={toCommandLine("rules", "explain", sample, "--drain", first.drain)} />
        </>
      )}
    </>
  );
}
