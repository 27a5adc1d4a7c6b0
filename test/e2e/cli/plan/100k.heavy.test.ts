import { readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { createFolder, start, type Ended } from "../../../support/command.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const records = 100_000;
const mostMegabytes = 200;

const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    minAge: 2m
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - name: moved
        when: { host: old.example.com }
        then: republish
        set: { destination: { host: new.example.com } }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

it(`plans ${records} records and freezes them in under ${mostMegabytes} MB`, async () => {
  const folder = createFolder({ "drains.yaml": document });
  const emulator = start(["emulator", "--port", "0", "--control-port", "0", "--json"]);
  const addresses = await emulator.line((line) => "controlUrl" in line);
  const at = Date.now() - 6 * 60 * 60_000;
  for (let start = 0; start < records; start += 2_000) {
    const answer = await fetch(`${String(addresses["controlUrl"])}/_control/dlq`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        records: Array.from({ length: 2_000 }, (_, index) => toRecord(at, start + index)),
      }),
    });
    expect(answer.status).toBe(201);
  }
  const file = `${folder.path}/plan.ndjson`;
  const env = {
    REDRIVER_SERVICE_URL: String(addresses["url"]),
    REDRIVER_SERVICE_TOKEN: String(addresses["token"]),
    REDRIVER_REDIS_URL: redis.url(),
    REDRIVER_REDIS_KEY_PREFIX: `plan-100k-${process.pid}`,
    REDRIVER_DRAINS_FILE: `${folder.path}/drains.yaml`,
  };
  const plan = await watched(["plan", "--all", "--json", "--out", file], env);
  expect({ exitCode: plan.exitCode, err: plan.err.slice(-500) }).toMatchObject({ exitCode: 0 });
  const [orders] = (
    JSON.parse(plan.out) as { drains: { planned: number; rules: { rule: string; count: number }[] }[] }
  ).drains;
  expect(orders!.planned).toBe(records);
  expect(orders!.rules.map(({ rule, count }) => [rule, count])).toEqual([
    ["broken", records / 10],
    ["moved", (records / 10) * 3],
    ["outage", (records / 10) * 6],
  ]);
  expect(statSync(file).size).toBeGreaterThan(records * 100);

  // Every record is held against the plan before it is refused, so apply reads as much as plan did.
  folder.write("drains.yaml", document.replace("new.example.com", "newer.example.com"));
  const apply = await watched(["apply", file, "--reason", "x", "--by", "ada"], env);
  expect(apply.exitCode).toBe(1);
  expect(apply.err).toContain(`${(records / 10) * 3} decided otherwise now`);

  process.stderr.write(
    `${records} records: plan ${plan.peakMegabytes} MB, apply ${apply.peakMegabytes} MB\n`,
  );
  for (const { peakMegabytes } of [plan, apply]) {
    expect(peakMegabytes).toBeGreaterThan(10);
    expect(peakMegabytes).toBeLessThan(mostMegabytes);
  }
}, 600_000);

async function watched(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended & { readonly peakMegabytes: number }> {
  const running = start(args, env);
  let peakKilobytes = 0;
  const watch = setInterval(() => {
    peakKilobytes = Math.max(peakKilobytes, peakOf(running.child.pid) ?? 0);
  }, 50);
  const ended = await running.ended;
  clearInterval(watch);
  return { ...ended, peakMegabytes: Math.round(peakKilobytes / 1_024) };
}

/** What varies from message to message varies here too: hosts, paths, answers, bodies of about a kilobyte. */
function toRecord(at: number, index: number): object {
  const kind = index % 10;
  return {
    dlqId: `${at + index * 200}-0`,
    url: `https://${kind > 0 && kind < 4 ? "old.example.com" : `h${index % 5_000}.example.com`}/hook/${index}`,
    createdAt: at - 5_000,
    responseStatus: kind === 0 ? 422 : 503,
    responseBody: `request ${index} of tenant t${index % 3_000}x failed at ${new Date(at + index).toISOString()}`,
    maxRetries: 3,
    header: { "Content-Type": ["application/json"], "X-Request": [`r-${index}`] },
    body: JSON.stringify({ id: index, text: "x".repeat(1_000) }),
  };
}

/** The high-water mark of resident memory in KB, as the kernel keeps it; null once the process is gone. */
function peakOf(pid: number | undefined): number | null {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return null;
  }
}
