import { Option, type Command } from "commander";
import { documentJsonSchemaText } from "../../../config/document/json-schema.ts";
import type { CommandContext, Register } from "../io.ts";
import { toCheckJson, toCheckText, toFindings, toGithubAnnotations } from "./check-text.ts";
import { toTestJson, toTestText, runRuleTests } from "./run-tests.ts";
import { drainsNamed, openDocument, requireDocument } from "./open-document.ts";
import type { ExplainFlags } from "./explain-command.ts";
import { itemCheckOf } from "../../operations/rules/try-record.ts";
import { printResult } from "../output/print.ts";
import { timeOption } from "../input/option-values.ts";

const fileArgument = ["[file]", "a drains document; default: the one of the settings"] as const;

export const registerRules: Register = (program, context) => {
  const rules = program
    .command("rules")
    .description("check, test and explain the rules of the drains document");
  rules
    .command("check")
    .description(
      "everything that is wrong with a document, with file, line and column; exit 78 when something is",
    )
    .argument("[files...]", "drains documents; default: the one of the settings")
    .option("--strict", "exit 1 when there are warnings")
    .option("--json", "print as JSON; of several files a list")
    .addOption(new Option("--format <format>", "print for CI").choices(["github"]))
    .action((files: readonly string[], flags: CheckFlags, command: Command) =>
      check(files, flags, command, context),
    );
  rules
    .command("test")
    .description(
      "run the tests in a document: a record in; decision, reason and rebuilt item out; exit 1 when one fails",
    )
    .argument(...fileArgument)
    .option("--drain <name>", "only of this drain")
    .option("--json", "print as JSON")
    .action((file: string | undefined, flags: TestFlags, command: Command) =>
      test(file, flags, command, context),
    );
  rules
    .command("explain")
    .description("why one dead letter is decided as it is: how each rule fared, and what it would become")
    .argument("<record>", "a dlqId in the queue, a file with the record as JSON, or - for stdin")
    .option("--drain <name>", "by the rules of this drain; needed where there are several")
    .addOption(
      timeOption("--at <time>", "as of then, of a file or stdin: 2d, a date, a time with a zone", "from"),
    )
    .option("--json", "print as JSON")
    .option("--show-content", "with header values, bodies and whole URLs, which are masked otherwise")
    .action(async (record: string, flags: ExplainFlags, command: Command) => {
      // It may have to look a record up in the queue, so it brings the clients of the service and of Redis
      // along.
      const { explainCommand } = await import("./explain-command.ts");
      await explainCommand(record, flags, command, context);
    });
  rules
    .command("schema")
    .description("print the JSON Schema of the drains document, for editors")
    .action(() => context.io.out(documentJsonSchemaText()));
};

type CheckFlags = Readonly<{ strict?: boolean; json?: boolean; format?: "github" }>;

/** Each document by itself: one that is wrong hides nothing of the others. */
function check(
  files: readonly string[],
  flags: CheckFlags,
  command: Command,
  { io, exitWith }: CommandContext,
): void {
  const named = files.length === 0 ? [undefined] : files;
  const opened = named.map((file) => openDocument(command, io, file));
  const findings = opened.flatMap(toFindings);
  const [only = [], ...others] = opened.map(toCheckJson);
  const json = others.length === 0 ? only : [only, ...others];
  if (flags.format === "github") io.out(toGithubAnnotations(findings));
  else printResult(io, flags.json, json, () => opened.map((one) => toCheckText(io.columns, one)).join(""));
  if (opened.some(({ outcome }) => !outcome.ok)) exitWith(78);
  else if (flags.strict === true && opened.some(({ outcome }) => outcome.warnings.length > 0)) exitWith(1);
}

type TestFlags = Readonly<{ drain?: string; json?: boolean }>;

function test(
  file: string | undefined,
  flags: TestFlags,
  command: Command,
  { io, exitWith }: CommandContext,
): void {
  const opened = openDocument(command, io, file);
  const { document, locate } = requireDocument(opened, io);
  const run = runRuleTests(drainsNamed(document, flags.drain), {
    headerPrefix: opened.settings.service.headerPrefix,
    checkItemOf: ({ source }) => itemCheckOf(source, opened.settings),
    locate,
  });
  printResult(io, flags.json, toTestJson(opened.file, run), () => toTestText(io.columns, opened.file, run));
  if (run.results.some(({ passed }) => !passed)) exitWith(1);
}
