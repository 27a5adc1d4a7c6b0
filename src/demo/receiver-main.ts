import type { FromReceiver, ReceiverQuestion, ToReceiver } from "./receiver-messages.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

const receiver = await startReceiver({ headerPrefix: process.argv[2] ?? "" });

process.on("message", (message) => {
  const { seq, ...question } = message as ToReceiver;
  void perform(receiver, question).then(
    (answer) => tell({ kind: "answer", seq, answer }),
    (error: unknown) => tell({ kind: "failed", seq, why: String(error) }),
  );
});
process.once("SIGTERM", () => {
  void receiver.close().then(() => process.exit(0));
});
tell({ kind: "ready", steadyUrl: receiver.steadyUrl, flakyUrl: receiver.flakyUrl });

async function perform(to: Receiver, question: ReceiverQuestion): Promise<unknown> {
  switch (question.ask) {
    case "open":
      return to.open();
    case "fail":
      return to.fail(question.port);
    case "recover":
      return to.recover(question.port);
    case "totals":
      return to.totals();
    case "report":
      return to.report();
    default:
      return question satisfies never;
  }
}

function tell(message: FromReceiver): void {
  process.send?.(message);
}
