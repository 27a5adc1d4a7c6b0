import { startReceiver } from "./receiver.ts";
import { serveCalls } from "./child-process-calls.ts";

const receiver = await startReceiver({ headerPrefix: process.argv[2] ?? "" });
process.once("SIGTERM", () => {
  void receiver.close().then(() => process.exit(0));
});
serveCalls(receiver, { steadyUrl: receiver.steadyUrl, flakyUrl: receiver.flakyUrl });
