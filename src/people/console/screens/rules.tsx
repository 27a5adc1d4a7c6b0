/** The document in force with its lines, what each rule does, and why a replica rejects another document. */
import type { ReplicaRecord } from "../../../job/contracts/replicas.ts";
import { toRuleStandings, type RuleStanding } from "../../operations/rules/read-rules.ts";
import type { RulesInForce } from "../live/rules-in-force.ts";
import { Time } from "../parts/time.tsx";
import { RuleLink } from "../parts/links.tsx";
import { number } from "../../operations/phrases.ts";
import { CommandLine, Foreign, Points } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { defineScreen, live, still, type Drawn, type Html, type ScreenContext } from "../screen.ts";
import { toPrintableLines } from "../../../job/message/show-masked-values.ts";
import { looksSecret } from "../../../job/message/secret-looking.ts";

type Model = Awaited<ReturnType<typeof readModel>>;

export const rulesScreen = defineScreen<Model>({
  path: "/rules",
  area: "rules",
  role: "viewer",
  title: () => "Rules",
  load: readModel,
  sections: [
    live("tokens", (_, { tokenProblem }) =>
      tokenProblem === null ? null : (
        <p class="problem">
          This replica rejects its file of tokens, and the tokens from before stay: {tokenProblem}
        </p>
      ),
    ),
    live("rejections", ({ replicas }, context) => <Rejections {...{ replicas, context }} />),
    still("warnings", ({ inForce }) => <Warnings warnings={inForce?.warnings ?? []} />),
    live("rules-list", ({ rules }, context) => <List {...{ rules, context }} />),
    still("document", ({ inForce }, { core }) => <Text inForce={inForce} hash={core.document.hash} />),
  ],
});

async function readModel({ core, reads }: ScreenContext) {
  const [facts, replicas] = await Promise.all([reads.facts(), core.replicas.all()]);
  return { replicas, rules: toRuleStandings(core.document, facts), inForce: reads.rules() };
}

function Rejections({ replicas, context: { core } }: Drawn<{ replicas: readonly ReplicaRecord[] }>): Html {
  const rejecting = replicas.filter(({ rejected }) => rejected !== null);
  const others = replicas.filter(({ documentHash }) => documentHash !== core.document.hash);
  if (rejecting.length + others.length === 0) {
    return <p class="good">Every replica works under this document, and none rejects its file.</p>;
  }
  return (
    <>
      {rejecting.map(({ replica, rejected, documentHash }) => (
        <div class="problem waits">
          <p>
            Replica <Foreign text={replica} /> rejects its file, and goes on under document {documentHash}:
          </p>
          <Points texts={(rejected ?? "").split("\n").map(hideSecrets)} />
        </div>
      ))}
      {rejecting.length === 0 ? null : (
        <>
          <p class="hint">After a change, before it is rolled out:</p>
          <CommandLine line="redriver rules check" />
        </>
      )}
      {others.map(({ replica, documentHash }) => (
        <p>
          Replica <Foreign text={replica} /> works under document {documentHash}, this one under{" "}
          {core.document.hash}.
        </p>
      ))}
    </>
  );
}

function Warnings({ warnings }: Pick<RulesInForce, "warnings">): Html | null {
  if (warnings.length === 0) return null;
  return (
    <>
      <h2>Warnings</h2>
      <ul class="warnings">
        {warnings.map((text) => (
          <li>
            <a class="warn" href={`#${lineOf(text)}`}>
              line {lineOf(text)}
            </a>{" "}
            <Foreign text={hideSecrets(text)} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** `drains.yaml:9:15 drains.orders: …` is about line 9. */
function lineOf(warning: string): string {
  return /:(\d+):\d+ /.exec(warning)?.[1] ?? "1";
}

function List({ rules, context }: Drawn<{ rules: readonly RuleStanding[] }>): Html {
  const inForce = context.reads.rules();
  return (
    <>
      <h2>Rules and what they do</h2>
      <Table
        caption="Rules in the order of the document"
        empty="The document has no rule."
        rows={rules}
        columns={({ column, amounts }) => [
          column("drain", ({ drain }) => drain),
          column("rule", ({ drain, rule }) => <RuleLink drain={drain} rule={rule} context={context} />),
          amounts("line", ({ drain, rule }) => inForce?.lineOf(drain, rule)?.toString() ?? null),
          column(
            "decisions since the last full pass",
            ({ decided, asOf }) =>
              Object.entries(decided)
                .map(([then, count]) => `${number(count)} ${thenWords[then] ?? then}`)
                .join(", ") || (asOf === null ? "–" : "nothing since"),
          ),
          amounts("sent again", ({ published }) => published),
          amounts("failed again", ({ failedAgain }) => failedAgain),
          amounts("failed-again rate", toRate),
          column("as of", ({ asOf }) => (asOf === null ? null : <Time at={asOf} />)),
        ]}
      />
      <p class="hint">
        Each pass that lists a letter decides it again, so there can be more decisions than letters. Sent
        again and failed again are of what the rule itself has sent, ever. What failed again before the last
        complete pass is counted as of its end. A rule with a new name counts anew;{" "}
        <a href="/history">History</a> has what it did.
      </p>
    </>
  );
}

const thenWords: Readonly<Record<string, string>> = {
  republish: "to send again",
  hold: "to hold",
  park: "to park",
  drop: "to drop",
};

function toRate({ published, failedAgain }: RuleStanding): string | null {
  if (published === null || failedAgain === null) return null;
  return `${Math.round((failedAgain / published) * 100)} %`;
}

function Text({ inForce, hash }: Pick<Model, "inForce"> & { readonly hash: string }): Html {
  return (
    <>
      <h2>The document in force ({hash})</h2>
      {inForce === null ? (
        <p class="empty">
          Its text is not known to this replica: the file was replaced before the text was read.
        </p>
      ) : (
        <>
          <p class="hint">
            Its file is <code>{inForce.path}</code>. An edit is adopted whole or not at all, without a
            restart.
          </p>
          <ol class="lines" aria-label="Lines of the document">
            {inForce.text
              .replace(/\n$/, "")
              .split("\n")
              .map((line, index) => (
                <li id={String(index + 1)}>
                  <code>{hideSecrets(line)}</code>
                </li>
              ))}
          </ol>
        </>
      )}
    </>
  );
}

const maxLineCharacters = 2_000;

/**
 * A line of the drains document, for a person who may not see secrets. The document has references to secrets; but
 * the address of a webhook, and a header that a rule sets, may be written into it.
 */
function hideSecrets(line: string): string {
  return toPrintableLines(
    line
      .replaceAll(/\/\/[^\s/@"']+@/g, "//***@")
      .replaceAll(/[A-Za-z0-9_+=-]{16,}/g, (word) => (looksSecret(word) ? "***" : word)),
    maxLineCharacters,
  );
}
