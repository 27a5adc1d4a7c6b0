import type { Command } from "commander";
import { systemClock } from "../../../system-world.ts";
import { choosePlan } from "../../operations/plans/choose-plan.ts";
import type { PlanDesk } from "../../operations/plans/plan-desk.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { currentUser } from "../input/current-user.ts";
import { loadForReading } from "../load-config.ts";
import { toJsonLine } from "../output/json.ts";
import { printResult } from "../output/print.ts";
import { openPlanOutput } from "../plan/file.ts";
import { withRedisAndStop } from "../with-redis-and-stop.ts";
import { openDesk } from "./open-desk.ts";
import { toPlansTable, toShownText } from "./text.ts";

type ShowFlags = Readonly<{ out?: string; json?: boolean }>;
export const registerPlans: Register = (program, context) => {
  const plans = program.command("plans").description("plans that commands, replicas and the console share");
  plans
    .command("list", { isDefault: true })
    .description("all of them, the newest first")
    .option("--json", "print one JSON object per line")
    .action(({ json }: ShowFlags, command: Command) =>
      withDesk(command, context, async (desk) => {
        const all = await desk.list();
        const { io } = context;
        if (json === true) for (const plan of all) io.out(toJsonLine(plan));
        else io.out(toPlansTable(all, systemClock.now()));
      }),
    );
  plans
    .command("show")
    .description("one plan: how far it is, and what it would do")
    .argument("<plan>", "its id, or how that begins")
    .option("--out <file>", "write its file, which `redriver apply` takes; - is stdout")
    .option("--json", "print as JSON")
    .action((given: string, flags: ShowFlags, command: Command) =>
      withDesk(command, context, (desk) => show(desk, given, flags, context)),
    );
};

function withDesk(
  command: Command,
  context: CommandContext,
  work: (desk: PlanDesk) => Promise<void>,
): Promise<void> {
  return withRedisAndStop(loadForReading(command, context.io), context, currentUser(), (core) =>
    work(openDesk(core)),
  );
}

async function show(desk: PlanDesk, given: string, { out, json }: ShowFlags, { io }: CommandContext) {
  const { id } = choosePlan(await desk.list(), given);
  const shown = await desk.show(id);
  if (out === undefined) {
    printResult(io, json, shown, () => toShownText(io.columns, shown, systemClock.now()));
    return;
  }
  const output = await openPlanOutput(out, io);
  try {
    for await (const part of (await desk.file(id)) ?? []) await output.write(part.toString("utf8"));
    await output.commit();
  } finally {
    await output.discard();
  }
}
