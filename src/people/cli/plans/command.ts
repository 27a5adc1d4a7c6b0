import type { Command } from "commander";
import { systemClock } from "../../../system-world.ts";
import type { PlanId } from "../../../job/contracts/ids.ts";
import { choosePlan } from "../../operations/plans/choose-plan.ts";
import type { PlanDesk } from "../../operations/plans/plan-desk.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { currentUser } from "../input/current-user.ts";
import { requireReason } from "../input/reason.ts";
import { loadForReading, loadNames } from "../load-config.ts";
import { toJsonLine } from "../output/json.ts";
import { printResult, printSaid } from "../output/print.ts";
import { openPlanOutput } from "../plan/file.ts";
import { withRedisAndStop } from "../with-redis-and-stop.ts";
import { openDesk } from "./open-desk.ts";
import { toPlansTable, toShownText } from "./text.ts";

type ShowFlags = Readonly<{ out?: string; json?: boolean }>;
type ActFlags = Readonly<{ reason?: string; by: string; json?: boolean }>;

interface PlanAct {
  /** As in "a stop needs --reason". */
  readonly what: string;
  readonly run: (
    desk: PlanDesk,
    id: PlanId,
    order: { readonly by: string; readonly why: string },
  ) => Promise<void>;
  readonly said: string;
}

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
  addAct("stop", "end the making or the apply of one at the end of a page or batch", {
    what: "a stop",
    run: (desk, id, order) => desk.stop(id, order),
    said: "stops at the end of its page or batch; what is left can be applied again",
  });
  addAct("remove", "forget one; its messages stay as they are", {
    what: "a removal",
    run: (desk, id, order) => desk.remove(id, order),
    said: "is removed",
  });

  function addAct(name: "stop" | "remove", description: string, { what, run, said }: PlanAct): void {
    plans
      .command(name)
      .description(description)
      .argument("<plan>", "its id, or how that begins")
      .option("--reason <text>", "why; recorded in the audit. Asked for on a terminal")
      .option("--by <name>", "who; default: the current user", currentUser())
      .option("--json", "print as JSON")
      .action(async (given: string, flags: ActFlags, command: Command) => {
        const { io } = context;
        const why = await requireReason(io, flags.reason, what);
        const loaded = loadNames(command, io);
        await withRedisAndStop(loaded, context, flags.by, async (core) => {
          const desk = openDesk(core);
          const { id } = choosePlan(await desk.list(), given);
          await run(desk, id, { by: flags.by, why });
          printSaid(io, `plan ${id} ${said}`);
          if (flags.json === true) io.out(toJsonLine({ id, act: name }));
        });
      });
  }
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
