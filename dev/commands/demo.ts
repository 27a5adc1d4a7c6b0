import { runIncident } from "../demo/incident/run-incident.ts";
import { runOutage } from "../demo/outage/run-outage.ts";
import { runDemo } from "../demo/run-receiver-outage.ts";
import type { RegisterDev } from "./lent.ts";

type DemoFlags = Readonly<{ messages?: string; outage?: boolean; probes?: string; withoutLane?: boolean }> &
  Readonly<{ record?: string; keep?: boolean; json?: boolean; withPrometheus?: boolean }> &
  Readonly<{ incident?: boolean; receiverPort?: string }>;

const defaultMessages = 2_000;
const defaultProbes = 3;
const defaultOrders = 600;
/** Beside the emulator's own 7485 and 7486. */
const defaultReceiverPort = 7487;
const pagerMark = "PAGER  ";

export const registerDemo: RegisterDev = (program, { io, exitWith, output }) => {
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
    .option("--incident", "an outage for you to handle, until Ctrl-C; docs/incident.md leads you through")
    .option("--receiver-port <port>", `with --incident: 0 is any (default: ${defaultReceiverPort})`)
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
        toJson: flags.json === true ? output.toJsonLine : null,
        withPrometheus: flags.withPrometheus === true,
        io,
      };
      const misused = whyMisused(flags);
      if (misused !== null) {
        io.err(`redriver: ${misused}\n`);
        exitWith(2);
        return;
      }
      if (flags.incident === true) {
        exitWith(
          await runIncident({
            ...common,
            keep: true,
            messages: Number(flags.messages ?? defaultOrders),
            receiverPort: Number(flags.receiverPort ?? defaultReceiverPort),
            toPage: (text) => output.toParagraph(pagerMark, text),
          }),
        );
        return;
      }
      if (flags.outage === true) {
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
      exitWith(await runDemo(common));
    });
};

/** Null if these flags go together. */
function whyMisused(flags: DemoFlags): string | null {
  const { outage, probes, withoutLane, record, incident, receiverPort } = flags;
  if (outage === true && incident === true) return "--outage and --incident: only one of them";
  if (outage !== true && (probes !== undefined || withoutLane === true || record !== undefined))
    return "--probes, --without-lane and --record: only with --outage";
  if (incident !== true && receiverPort !== undefined) return "--receiver-port: only with --incident";
  return null;
}
