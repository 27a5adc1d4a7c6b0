import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../dev/emulator/index.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { dashboardFiles, expressionsOf } from "../../support/dashboards.ts";
import { readRules, startPrometheus } from "../../support/prometheus.ts";
import { useRedis } from "../../support/redis.ts";
import { isHere } from "../../support/tools.ts";
import { seedLetters } from "../../support/service.ts";

const redis = useRedis("own");

const rules = readRules();
/** Every series that an alert's expression reads, without ranges: `redriver_records{state="due"}`. */
const selectors = new Set(
  rules.groups.flatMap(({ rules: own }) =>
    own.flatMap(({ expr }) => expr.match(/\b(?:redriver_\w+|up)(?:\{[^}]*\})?/g) ?? []),
  ),
);

const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    lane: { watch: 2s, probeEvery: 2s }
    schedule: { every: 500ms, full: 1s }
    minAge: 1s
    # So that some wait for the next day.
    limits: { perDay: 1 }
    attempts: { max: 5, wait: [1s] }
    guards: [{ index: catalog, hold: "pending_index_count > 1000", whenStale: ignore }]
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: broken, when: { responseStatus: 422 }, then: park }
indexes:
  catalog: { id: demo, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } } }
`;

// A daemon with something in every state, scraped by a real Prometheus that evaluates the shipped rules.
it.skipIf(!isHere("prometheus"))(
  "every expression of the alerts and dashboards finds its series on a live scrape",
  async () => {
    expect(selectors.size).toBeGreaterThan(10);
    // Without a limit there is no share of it.
    await redis.fresh().command("CONFIG", "SET", "maxmemory", "1gb");
    const emulator = await startEmulator({ retryScale: 0 });
    onTestFinished(() => emulator.close());
    seedLetters(emulator, 5, (index) => ({
      url: "http://127.0.0.1:9/closed",
      responseStatus: index < 3 ? 503 : 422,
    }));
    // What was published stays pending.
    emulator.faults.add({ kind: "status", operation: "delete", status: 503 });
    // The emulator's index lags by the time of day.
    emulator.putIndex("demo", { pending_index_count: 0 });
    const { env } = createEnv({
      emulator,
      redisUrl: redis.url(),
      document,
      env: {
        INDEX_USER: emulator.statsCredentials.username,
        INDEX_PASSWORD: emulator.statsCredentials.password,
        REDRIVER_STATISTICS_URL: emulator.url,
      },
    });
    const daemon = await startDaemon(env);
    await daemon.line(({ event }) => event === "pass:closed");

    const { get } = await startPrometheus(daemon.address, rules);
    const countOf = async (selector: string): Promise<number> => {
      const answer = (await get(`/api/v1/query?query=${encodeURIComponent(selector)}`)) as {
        readonly data?: { readonly result: readonly unknown[] };
      };
      return answer.data?.result.length ?? 0;
    };
    const missing = async (): Promise<string[]> => {
      const found = await Promise.all(
        [...selectors].map(async (selector) => ({ selector, count: await countOf(selector) })),
      );
      return found.filter(({ count }) => count === 0).map(({ selector }) => selector);
    };
    await expect
      .poll(() => missing().catch(() => ["no answer"]), { timeout: 40_000, interval: 500 })
      .toEqual([]);

    const healthOf = async (): Promise<string[]> => {
      const { data } = (await get("/api/v1/rules")) as {
        readonly data: {
          readonly groups: readonly { readonly rules: readonly { readonly health: string }[] }[];
        };
      };
      return data.groups.flatMap(({ rules }) => rules.map(({ health }) => health));
    };
    await expect
      .poll(async () => [...new Set(await healthOf())], { timeout: 30_000, interval: 500 })
      .toEqual(["ok"]);

    // Series that cannot be joined are found only by an evaluation.
    const panels = dashboardFiles.flatMap(expressionsOf);
    const emptyPanels = async (): Promise<unknown[]> => {
      const found = await Promise.all(
        panels.map(async ({ panel, expr }) => {
          const { status, data } = (await get(`/api/v1/query?query=${encodeURIComponent(expr)}`)) as {
            readonly status: string;
            readonly data?: { readonly result: readonly unknown[] };
          };
          // A comparison leaves out what it does not find, and there is no archive here.
          const mayBeEmpty = / (?:>=?|==) \d/.test(expr) || expr.includes("redriver_archive_volume");
          const isGood = status === "success" && (mayBeEmpty || data?.result.length !== 0);
          return isGood ? [] : [{ panel, expr, status }];
        }),
      );
      return found.flat();
    };
    await expect.poll(() => emptyPanels(), { timeout: 20_000, interval: 500 }).toEqual([]);
  },
  120_000,
);
