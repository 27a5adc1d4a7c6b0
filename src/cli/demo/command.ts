import type { Register } from "../command-context.ts";
import { toJsonLine } from "../output/json.ts";
import { loadDevelopmentPart } from "../development-part.ts";

type DemoFlags = Readonly<{ messages?: string; outage?: boolean; probes?: string; withoutLane?: boolean }> &
  Readonly<{ record?: string; keep?: boolean; json?: boolean; withPrometheus?: boolean }>;

const defaultMessages = 2_000;
const defaultProbes = 3;

export const registerDemo: Register = (program, { io, exitWith }) => {
  program
    .command("demo")
    .description(
      "run the main job on an embedded stack: emulator, Redis, the daemon and a receiver that is down",
    )
    .option("--messages <count>", `messages to publish (default: ${defaultMessages})`)
    .option(
      "--outage",
      "one outage of one receiver from start to end, and what its lane does, in about a minute",
    )
    .option("--probes <count>", `with --outage: probes that fail before it ends (default: ${defaultProbes})`)
    .option("--without-lane", "with --outage: the same without a lane, which ends with 1")
    .option("--record <file>", "with --outage: record what happened, second by second, as JSON")
    .option("--keep", "leave the stack running at the end, until Ctrl-C")
    .option(
      "--with-prometheus",
      "a Prometheus from the PATH beside it, with the shipped alerts; best with --keep",
    )
    .option("--json", "print the summary as one line of JSON")
    .action(async (flags: DemoFlags) => {
      const common = {
        messages: Number(flags.messages ?? defaultMessages),
        keep: flags.keep === true,
        toJson: flags.json === true ? toJsonLine : null,
        withPrometheus: flags.withPrometheus === true,
        io,
      };
      if (flags.outage === true) {
        const { runOutage } = await loadDevelopmentPart(
          "demo",
          () => import("../../demo/outage/run-outage.ts"),
        );
        exitWith(
          await runOutage({
            ...common,
            probes: Number(flags.probes ?? defaultProbes),
            hasLane: flags.withoutLane !== true,
            recordFile: flags.record ?? null,
          }),
        );
        return;
      }
      if (flags.probes !== undefined || flags.withoutLane === true || flags.record !== undefined) {
        io.err("redriver: --probes, --without-lane and --record: only with --outage\n");
        exitWith(2);
        return;
      }
      const { runDemo } = await loadDevelopmentPart(
        "demo",
        () => import("../../demo/run-receiver-outage.ts"),
      );
      exitWith(await runDemo(common));
    });
};
