import type { FromReceiver, ToReceiver } from "./receiver-messages.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

const receiver = await startReceiver({ headerPrefix: process.argv[2] ?? "" });

process.on("message", (message) => {
  const { seq, ask } = message as ToReceiver;
  void perform(receiver, ask).then(
    (answer) => tell({ kind: "answer", seq, answer }),
    (error: unknown) => tell({ kind: "failed", seq, why: String(error) }),
  );
});
process.once("SIGTERM", () => {
  void receiver.close().then(() => process.exit(0));
});
tell({ kind: "ready", steadyUrl: receiver.steadyUrl, flakyUrl: receiver.flakyUrl });

async function perform(to: Receiver, ask: ToReceiver["ask"]): Promise<unknown> {
  switch (ask) {
    case "open":
      return to.open();
    case "recover":
      return to.recover();
    case "totals":
      return to.totals();
    case "report":
      return to.report();
    default:
      return ask satisfies never;
  }
}

function tell(message: FromReceiver): void {
  process.send?.(message);
}
