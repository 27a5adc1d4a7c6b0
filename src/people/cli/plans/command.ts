import { choosePlan } from "../../operations/plans/choose-plan.ts";
import { planReading, plansReading } from "../../operations/plans/readings.ts";
import type { Register } from "../command-context.ts";
import { toJsonLine } from "../output/json.ts";
import { printResult } from "../output/print.ts";
import { openNamedOutput } from "../output/named-output.ts";
import { addReading } from "../reading-command.ts";
import { toPlansTable, toShownText } from "./text.ts";

export const registerPlans: Register = (program, context) => {
  const { io } = context;
  const plansCommand = program
    .command("plans")
    .description("plans that commands, replicas and the console share");
  addReading(plansCommand, plansReading, context, async ({ plans, now }, { json }) => {
    const all = await (await plans()).list();
    if (json === true) for (const plan of all) io.out(toJsonLine(plan));
    else io.out(toPlansTable(io.columns, all, now));
  }).option("--json", "print one JSON object per line");
  addReading(plansCommand, planReading, context, async (call, { out, json }) => {
    const desk = await call.plans();
    const { id } = choosePlan(await desk.list(), call.input.id);
    const shown = await desk.show(id);
    if (out === undefined) {
      printResult(io, json, shown, () => toShownText(io.columns, shown, call.now));
      return;
    }
    const output = await openNamedOutput(out, io);
    try {
      for await (const part of (await desk.file(id)) ?? []) await output.write(part.toString("utf8"));
      await output.commit();
    } finally {
      await output.discard();
    }
  })
    .option("--out <file>", "write its file, which `redriver apply` takes; - is stdout")
    .option("--json", "print as JSON");
};
