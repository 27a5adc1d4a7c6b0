import { InvalidArgumentError, Option, type Command } from "commander";
import { defined } from "../../../job/message/defined.ts";
import { auditActs, laneActs, type AuditAct, type AuditQuery } from "../../../job/contracts/audit.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { compileGlob } from "../../../job/rules/patterns/glob.ts";
import { countOption, timeOption } from "../input/option-values.ts";
import { tableLimit } from "../output/table.ts";

export type HistoryFlags = Readonly<{
  drain?: string;
  act?: readonly AuditAct[];
  lanes?: boolean;
  host?: string;
  rule?: string;
  by?: string;
  since?: number;
  until?: number;
  records?: boolean;
  summary?: boolean;
  limit?: number;
  json?: boolean;
}>;

export function addHistoryOptions(command: Command): Command {
  return command
    .option("--drain <name>", "only in this drain")
    .addOption(
      new Option("--act <act>", "only such acts; more than once, or a list with commas")
        .choices(auditActs)
        .argParser(addActs)
        .conflicts("lanes"),
    )
    .option("--lanes", "only what lanes did: halted, resumed, opened")
    .option("--host <host>", "only for this destination host; * stands for any part")
    .option("--rule <name>", "only what this rule decided")
    .option("--by <name>", "only what this person or daemon did; * stands for any part")
    .addOption(timeOption("--since <time>", "done since: 2d, a date, a time with a zone", "from"))
    .addOption(timeOption("--until <time>", "done until", "to"))
    .option("--records", "one row per dead letter; always so for a dlqId")
    .addOption(
      new Option("--summary", "counts by act and drain, and by person").conflicts(["records", "limit"]),
    )
    .addOption(countOption("--limit <n>", `at most so many rows; default: all, of the table ${tableLimit}`))
    .option("--json", "print one JSON object per line, or one for the summary");
}

function addActs(text: string, before: readonly AuditAct[] = []): readonly AuditAct[] {
  const acts = text.split(",").map((name) => {
    const act = auditActs.find((one) => one === name.trim());
    if (act !== undefined) return act;
    throw new InvalidArgumentError(`No act is named "${name.trim()}"; the acts are ${auditActs.join(", ")}.`);
  });
  return [...before, ...acts];
}

/** What the store selects by itself. Throws `command-misused`. */
export function toQuery(
  { drain, act, lanes = false, by, since, until, summary = false }: HistoryFlags,
  dlqId: string | undefined,
): AuditQuery {
  if (dlqId !== undefined && (summary || lanes)) {
    const flag = summary ? "--summary" : "--lanes";
    throw new RedriverError("command-misused", `${flag} is not about one dead letter; leave out ${dlqId}`);
  }
  const acts = lanes ? laneActs : act;
  return {
    order: "newest-first",
    ...defined({
      drain: drain as DrainName | undefined,
      acts: acts === undefined ? undefined : new Set<AuditAct>(acts),
      by: by === undefined ? undefined : compileGlob(by),
      since,
      until,
    }),
  };
}
