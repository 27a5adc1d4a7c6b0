import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../dev/emulator/index.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { readDashboard } from "../../support/dashboards.ts";
import { startPrometheus } from "../../support/prometheus.ts";
import { createReceiver } from "../../support/receiver.ts";
import { useRedis } from "../../support/redis.ts";
import { isHere } from "../../support/tools.ts";
import { seedLetters } from "../../support/service.ts";

const redis = useRedis("own");
const file = "deploy/components/dashboards/operations.json";

/** As short as one can be: no archive, no index, no callbacks, nobody is told. */
const document = `
version: 1
sources: { default: { census: 2s } }
drains:
  main:
    mode: live
    schedule: { every: 500ms, full: 2s }
    minAge: 0s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: gone, when: { responseStatus: 410 }, then: park }
`;

interface Answer {
  readonly data?: { readonly result: readonly unknown[] };
}

it.skipIf(!isHere("prometheus"))(
  "panels that a plain installation at rest leaves empty are in the folded row, and no other is there",
  async () => {
    const emulator = await startEmulator({ retryScale: 0 });
    const receiver = await createReceiver();
    onTestFinished(async () => {
      await emulator.close();
      await receiver.close();
    });
    // A Redis as it is shipped has a limit.
    await redis.fresh().command("CONFIG", "SET", "maxmemory", "256mb");
    const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
    const daemon = await startDaemon(env);
    const prometheus = await startPrometheus(daemon.address, { groups: [] });
    const answers = [503, 410, 404].map((responseStatus) => ({
      url: `${receiver.url}/hook`,
      responseStatus,
      responseBody: "down",
    }));
    seedLetters(emulator, 60, (index) => answers[index % 3]!, { ageMs: 3 * 3_600_000 });
    const isEmpty = async (exprs: readonly string[]): Promise<boolean> => {
      const answers = await Promise.all(
        exprs.map(async (expr) => {
          const query = expr.replaceAll("$__rate_interval", "1m").replaceAll(/"\$\w+"/g, '".*"');
          return (await prometheus.get(`/api/v1/query?${new URLSearchParams({ query })}`)) as Answer;
        }),
      );
      return answers.every(({ data }) => data?.result.length === 0);
    };
    const { panels, folded } = readDashboard(file);
    const inSight = panels.filter((one) => !folded.some(({ id }) => id === one.id));
    const emptyOf = async (of: typeof panels): Promise<readonly string[]> => {
      const empty: string[] = [];
      for (const one of of) {
        if (one.type !== "row" && (await isEmpty(one.targets.map(({ expr }) => expr)))) empty.push(one.title);
      }
      return empty;
    };
    await expect.poll(() => receiver.deliveries.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await expect.poll(() => emptyOf(inSight), { timeout: 90_000, interval: 2_000 }).toEqual([]);
    expect(await emptyOf(folded)).toEqual(folded.map(({ title }) => title));
  },
  200_000,
);
