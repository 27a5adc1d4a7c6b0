import { waitUntil } from "../../../rig/wait.ts";
import type { Stage } from "../stage.ts";

/** By their bodies: a redacted one shows none. */
const realBody = '{"real":true}';
const realCount = 6;

/** Messages that fail for real, so that their dead letters are as the emulator makes them, and come back. */
export async function redriveRealOnes(stage: Stage): Promise<void> {
  const { stack, call, run, tryToRun, destinations } = stage;
  const { forms } = destinations;
  const [receiver] = stack.receivers;
  const endpoints = [{ name: "first", url: forms }, { url: `${forms}?second` }];
  await call("POST", "/v2/topics/partners/endpoints", { endpoints });
  await receiver!.behave({ manner: "refusing" });
  const headers = {
    "Content-Type": "application/json",
    "Upstash-Forward-X-Order": "1",
    "Upstash-Retries": "1",
  };
  const areDead = (): Promise<void> =>
    waitUntil(
      "messages to fail",
      async () => {
        const bodies = [...(await stack.emulator.list()).values()];
        return bodies.filter((body) => body === realBody).length >= realCount;
      },
      30_000,
    );
  const back = forms.replace(/\/hook$/, "/back");
  await call("POST", "/v2/batch", [
    { destination: forms, headers, body: realBody },
    {
      destination: forms,
      headers: { ...headers, "Upstash-Delay": "1s", "Upstash-Timeout": "5s" },
      body: realBody,
    },
    {
      destination: forms,
      queue: "mails",
      headers: { ...headers, "Upstash-Method": "PATCH" },
      body: realBody,
    },
    { destination: "partners", headers: { ...headers, "Upstash-Label": "one,two" }, body: realBody },
    {
      destination: forms,
      headers: {
        ...headers,
        "Upstash-Callback": back,
        "Upstash-Callback-Forward-X-Key": "1",
        "Upstash-Callback-Retries": "2",
        "Upstash-Failure-Callback": back,
        "Upstash-Failure-Callback-Forward-X-Key": "2",
        "Upstash-Retry-Delay": "1000 * (1 + retried)",
        "Upstash-Flow-Control-Key": "live",
        "Upstash-Flow-Control-Value": "parallelism=5, rate=10, period=1s",
        "Upstash-Deduplication-Id": "only-once",
        "Upstash-Redact-Fields": "header[X-Order]",
        "Upstash-Not-Before": "1700000000",
      },
      body: realBody,
    },
    {
      destination: forms,
      headers: { ...headers, "Upstash-Content-Based-Deduplication": "true", "Upstash-Redact-Fields": "body" },
      body: realBody,
    },
  ]);
  await call("POST", "/v2/batch", [{ destination: "nobody", headers: {}, body: realBody }]);
  await areDead();
  await run("plan", "forms", "--records");
  await tryToRun("drain", "forms", "--yes");
  await areDead();
  await receiver!.behave({ manner: "up" });
  await tryToRun("drain", "forms", "--yes");
}
