/** What the rules do with one kind of failure: which decide, how many of it, and what they ask for. */
import { toCommandLine } from "../../operations/command-line.ts";
import type { Core } from "../../../job/door.ts";
import { toPercent, toRuledShares } from "../../operations/failures/ruled.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { describeCondition } from "../../../job/rules/explain-rules.ts";
import type { Drawn, Html } from "../screen.ts";
import { RuleLink } from "./rule-link.tsx";
import { Table } from "./table.tsx";
import { CommandLine, Foreign } from "./text.tsx";

export function DecidingRules({ failure, context }: Drawn<{ failure: FailureView }>): Html {
  const { core } = context;
  const { sample, drains } = failure;
  const [first] = drains;
  return (
    <>
      <h2>What the rules do with it</h2>
      <Table
        caption="Rules that decide it"
        empty="None was decided since the last full pass."
        rows={toRuledShares(failure)}
        columns={({ column, amounts }) => [
          column("decides", ({ then }) => then),
          column("rule", ({ then, rule }) =>
            rule === "otherwise" ? (
              "none matched: otherwise of the drain"
            ) : (
              <RuleLink drain={drainsOf(failure, then, rule)[0] ?? ""} rule={rule} context={context} />
            ),
          ),
          column("if", ({ then, rule }) => (
            <>{toConditions(core, drainsOf(failure, then, rule), rule).map(toLine)}</>
          )),
          amounts("share", ({ share }) => `${toPercent(share)}%`),
          column("by drain", ({ then, rule }) =>
            drainsOf(failure, then, rule)
              .map((drain) => `${drain} (${core.drains.get(drain)?.config.mode ?? "not in the document"})`)
              .join(", "),
          ),
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

function drainsOf({ drains }: FailureView, then: string, rule: string): readonly DrainName[] {
  return drains.flatMap(({ drain, ruled }) => ((ruled[`${then} ${rule}`] ?? 0) > 0 ? [drain] : []));
}

/** What the rule asks for now, in words and without secrets; once if the drains agree, else with each drain. */
function toConditions(core: Core, drains: readonly DrainName[], rule: string): readonly string[] {
  const known = drains.flatMap((drain) => {
    const spec = core.drains.get(drain)?.config.rules.find(({ name }) => name === rule);
    return spec === undefined ? [] : [{ drain, text: describeCondition(spec.when) }];
  });
  const texts = new Set(known.map(({ text }) => text));
  return texts.size === 1 ? [...texts] : known.map(({ drain, text }) => `${drain}: ${text}`);
}

function toLine(text: string): Html {
  return (
    <p>
      <Foreign text={text} isWhole />
    </p>
  );
}
