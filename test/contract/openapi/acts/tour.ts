import type { Stage } from "../stage.ts";

const idOf = ({ value }: { readonly value: unknown }): string =>
  (value as { readonly messageId: string }).messageId;

/** What the emulator has besides, and redriver never asks for: every operation once, as a client would. */
export async function tourEmulator({ call, destinations, stack }: Stage): Promise<void> {
  const { forms } = destinations;
  const message = { "Content-Type": "application/json", "Upstash-Delay": "1h" };

  await call("POST", "/v2/topics/tour/endpoints", { endpoints: [{ name: "one", url: forms }] });
  await call("GET", "/v2/topics");
  await call("GET", "/v2/topics/tour");
  await call("GET", "/v2/topics/nobody");
  await call("POST", "/v2/queues", { queueName: "tour", parallelism: 2 });
  await call("GET", "/v2/queues");
  await call("GET", "/v2/queues/tour");
  await call("POST", "/v2/queues/tour/pause");
  await call("POST", "/v2/queues/tour/resume");

  const first = idOf(await call("POST", `/v2/publish/${forms}`, { n: 1 }, message));
  await call("POST", "/v2/publish/tour", { n: 2 }, message);
  await call("POST", `/v2/publish/${forms}`, { n: 3 }, { ...message, "Upstash-Deduplication-Id": "tour" });
  await call("POST", `/v2/publish/${forms}`, { n: 3 }, { ...message, "Upstash-Deduplication-Id": "tour" });
  await call("POST", "/v2/publish/nobody", { n: 4 }, message);
  await call("POST", `/v2/enqueue/tour/${forms}`, { n: 5 });
  const flow = { "Upstash-Flow-Control-Key": "tour", "Upstash-Flow-Control-Value": "rate=5, period=1s" };
  await call("POST", `/v2/publish/${forms}`, { n: 6 }, { ...message, ...flow });
  await call("GET", `/v2/messages/${first}`);
  await call("DELETE", `/v2/messages/${first}`);
  await call("GET", `/v2/messages/${first}`);

  for (const path of ["", "/tour"]) await call("GET", `/v2/flowControl${path}`);
  await call("POST", "/v2/flowControl/tour/pin?rate=2&period=1");
  await call("POST", "/v2/flowControl/tour/unpin?rate=true");
  for (const act of ["pause", "resume", "resetRate"]) await call("POST", `/v2/flowControl/tour/${act}`);
  await call("GET", "/v2/globalParallelism");

  const cron = { "Upstash-Cron": "0 0 1 1 *", "Content-Type": "application/json" };
  const made = await call("POST", `/v2/schedules/${forms}`, { n: 7 }, cron);
  const { scheduleId } = made.value as { readonly scheduleId: string };
  await call("GET", "/v2/schedules");
  await call("GET", `/v2/schedules/${scheduleId}`);
  await call("POST", `/v2/schedules/${scheduleId}/pause`);
  await call("POST", `/v2/schedules/${scheduleId}/resume`);
  await call("DELETE", `/v2/schedules/${scheduleId}`);

  await call("GET", "/v2/logs?count=20");
  await call("GET", "/v2/keys");
  await call("DELETE", "/v2/messages?count=10&label=nobody");

  const sent = Array.from({ length: 4 }, (_, index) => ({ url: forms, body: `{"tour":${index}}` }));
  const { dlqIds } = (await stack.emulator.control("POST", "/dlq", { records: sent })) as {
    readonly dlqIds: readonly [string, string, string, string];
  };
  await call("GET", `/v2/dlq/${dlqIds[0]}`);
  await call("POST", `/v2/dlq/retry/${dlqIds[0]}`);
  await call("POST", `/v2/dlq/retry?dlqIds=${dlqIds[1]}&dlqIds=${dlqIds[2]}`);
  await call("DELETE", `/v2/dlq/${dlqIds[3]}`);
  await call("GET", `/v2/dlq/${dlqIds[3]}`);
  await call("POST", `/v2/dlq/retry/${dlqIds[3]}`);
  await call("POST", `/v2/dlq/retry?dlqIds=${dlqIds[3]}`);

  await call("DELETE", "/v2/topics/tour/endpoints", { endpoints: [{ url: forms }] });
  await call("DELETE", "/v2/topics/tour");
  await call("DELETE", "/v2/queues/tour");
  await stack.emulator.control("POST", "/reset");
}
