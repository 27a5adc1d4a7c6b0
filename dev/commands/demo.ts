import { runIncident } from "../demo/incident/run-incident.ts";
import { runDemo } from "../demo/run-receiver-outage.ts";
import type { RegisterDev } from "./lent.ts";

type DemoFlags = Readonly<{ messages?: string; keep?: boolean; json?: boolean; withPrometheus?: boolean }> &
  Readonly<{ incident?: boolean; receiverPort?: string }>;

const defaultMessages = 2_000;
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
      if (flags.incident !== true && flags.receiverPort !== undefined) {
        io.err("redriver: --receiver-port: only with --incident\n");
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
            // What came together is one message with a line for each.
            toPage: (text) =>
              text
                .split("\n")
                .map((line) => output.toParagraph(pagerMark, line))
                .join("\n"),
          }),
        );
        return;
      }
      exitWith(await runDemo(common));
    });
};
