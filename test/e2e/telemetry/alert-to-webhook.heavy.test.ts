import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../dev/emulator/index.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { readRules, startAlertmanager, startPrometheus, withoutPatience } from "../../support/prometheus.ts";
import { createReceiver } from "../../support/receiver.ts";
import { useRedis } from "../../support/redis.ts";
import { waitFor } from "../../support/wait-for.ts";
import { isHere } from "../../support/tools.ts";

const redis = useRedis("own");
const isStaged = isHere("prometheus") && isHere("prometheus-alertmanager");

const messages = 60;
const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    lane: { watch: 2s, probeEvery: 2s }
    schedule: { every: 500ms, full: 2s }
    minAge: 0s
    attempts: { max: 50, wait: [0s], then: park }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

interface Told {
  readonly status: "firing" | "resolved";
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const ofLane = ({ labels }: Told): boolean => labels["alertname"] === "RedriverLaneHalted";

it.skipIf(!isStaged)(
  "a receiver dies, and a webhook is told which; it is back, and the webhook is told that too",
  async () => {
    // The shipped drain waits for minutes. The rules are the shipped ones, and each waits a second.
    const emulator = await startEmulator({ retryScale: 0 });
    const receiver = await createReceiver(() => 503);
    const webhook = await createReceiver();
    onTestFinished(async () => {
      await emulator.close();
      await receiver.close();
      await webhook.close();
    });
    const { env } = createEnv({
      emulator,
      redisUrl: redis.url(),
      document,
      env: {
        REDRIVER_CONSOLE_PORT: "0",
        REDRIVER_CONSOLE_URL: "https://redriver.example.com",
      },
    });
    const daemon = await startDaemon(env);
    await startPrometheus(daemon.address, withoutPatience(readRules()), await startAlertmanager(webhook.url));
    const told = (): readonly Told[] =>
      webhook.deliveries.flatMap(
        ({ body }) => (JSON.parse(body) as { readonly alerts: readonly Told[] }).alerts,
      );

    await Promise.all(
      Array.from({ length: messages }, async (_, index) => {
        const { status } = await fetch(`${emulator.url}/v2/publish/${receiver.url}/hook`, {
          method: "POST",
          headers: { authorization: `Bearer ${emulator.token}`, "upstash-retries": "0" },
          body: `message ${index}`,
        });
        expect(status).toBeLessThan(300);
      }),
    );
    const firing = await waitFor(
      () => {
        const found = told().find((one) => ofLane(one) && one.status === "firing");
        if (found === undefined) throw new Error(`told so far: ${namesOf(told())}`);
        return found;
      },
      { timeout: 40_000 },
    );
    expect(firing.labels).toMatchObject({ severity: "warning", drain: "main" });
    expect(firing.annotations["summary"]).toContain("Drain main has had halted destinations");
    expect(firing.annotations["description"]).toContain(` wait for ${receiver.url}.`);
    const page = new URL(firing.annotations["runbook_url"] ?? "");
    expect(page.href).toBe("https://redriver.example.com/runbooks/RedriverLaneHalted");
    const opened = await fetch(`${daemon.consoleUrl}${page.pathname}`);
    expect(opened.status).toBe(200);
    expect(await opened.text()).toMatch(/<h2>Mitigation<\/h2><ol><li>/);
    expect((await fetch(`${daemon.consoleUrl}/runbooks/RedriverNoSuchAlert`)).status).toBe(404);

    receiver.answer = () => 200;
    await waitFor(
      () => {
        const last = told().findLast(ofLane);
        if (last?.status !== "resolved") throw new Error(`told so far: ${namesOf(told())}`);
      },
      { timeout: 40_000 },
    );
    await waitFor(() => expect(new Set(receiver.deliveries.map(({ body }) => body)).size).toBe(messages));
  },
  90_000,
);

function namesOf(told: readonly Told[]): string {
  return told.map(({ labels, status }) => `${labels["alertname"]} ${status}`).join(", ");
}
