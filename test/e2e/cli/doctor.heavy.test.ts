import { describe, expect, it } from "vitest";
import type { DoctorFinding } from "../../../src/people/operations/doctor/examine.ts";
import { runToEnd } from "../../support/command.ts";
import { createEnv, startDaemon, type DaemonSetup } from "../../support/daemon.ts";
import { startHttp } from "../../support/message-service-server.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";

const redis = useRedis();

const document = (mode: string, more = ""): string => `
version: 1
sources: { default: { retention: 3d${more} } }
drains: { main: { mode: ${mode}, rules: [ { name: a, when: { responseStatus: 503 }, then: republish } ] } }
`;

async function setUp(text: string, env: DaemonSetup["env"] = {}) {
  const { emulator } = await startService();
  const at = Date.now() - 60_000;
  emulator.dlq.seed([
    { dlqId: `${at}-0`, url: "http://127.0.0.1:9/", createdAt: at, responseStatus: 503, body: "a" },
  ]);
  const setup = createEnv({ emulator, redisUrl: redis.url(), document: text, env });
  return { emulator, ...setup };
}

interface Report {
  readonly ok: boolean;
  readonly findings: readonly DoctorFinding[];
}

async function examine(
  env: Readonly<Record<string, string>>,
): Promise<Report & { readonly exitCode: number | null }> {
  const { exitCode, out } = await runToEnd(["doctor", "--json"], env);
  return { ...(JSON.parse(out) as Report), exitCode };
}

describe("redriver doctor", () => {
  it("finds all well, says so in lines, and changes nothing", async () => {
    const { emulator, env } = await setUp(document("live"));
    const { exitCode, out } = await runToEnd(["doctor"], env);
    expect(out).toContain("source default: its token may list the dead letter queue");
    expect(out).toContain("source default: its token may delete, so it may publish");
    expect(out).toContain("source default: its clock agrees with ours");
    expect(out).toContain("redis: it answers, and it is fit for a ledger");
    expect(out).toMatch(/document: .*drains\.yaml is valid, hash [0-9a-f]{12}; live: main/);
    expect(out).toContain("source default: its lanes see no delivery");
    expect(out).toMatch(/^a daemon can work here; 2 warnings\n/);
    expect(exitCode).toBe(0);
    expect(emulator.dlq.size).toBe(1);
  });

  it("finds what fails, each with its setting, whatever else fails", async () => {
    const { folder, env } = await setUp(
      document("live").replace("version: 1", "version: 1\narchive: { dir: /dev/null/no }"),
      {
        REDRIVER_REDIS_URL: "redis://127.0.0.1:1",
        REDRIVER_SERVICE_TOKEN: "wrong",
        REDRIVER_CONSOLE_PORT: "0",
        REDRIVER_CONSOLE_AUTH: "token",
        REDRIVER_CONSOLE_TOKEN_FILE: "/nowhere/tokens",
      },
    );
    expect(folder.path).not.toBe("");
    const { ok, exitCode, findings } = await examine(env);
    expect({ ok, exitCode }).toEqual({ ok: false, exitCode: 1 });
    const failures = findings.filter(({ state }) => state === "failed");
    expect(failures.map(({ subject }) => subject)).toEqual(["redis", "source default", "archive", "secrets"]);
    expect(failures[0]?.message).toContain("REDRIVER_REDIS_URL");
    expect(failures[1]?.message).toContain("the token is");
    expect(failures[1]?.message).not.toContain("wrong");
    expect(failures[2]?.message).toContain("archive");
    expect(failures[3]?.message).toContain("/nowhere/tokens: expected a file of tokens");
  });

  it.each([
    ["plan", true, "none of its drains is live, so a token that only reads is enough"],
    ["live", false, "a drain of it is live, and its token may not delete"],
  ])("judges a token that only reads by the mode of the drains: %s", async (mode, isWell, message) => {
    const { requests, baseUrl } = await startHttp(({ method }) =>
      method === "GET" ? { body: { messages: [] } } : { status: 403, body: { error: "read-only token" } },
    );
    const { env } = await setUp(document(mode), { REDRIVER_SERVICE_URL: baseUrl });
    const report = await examine(env);
    expect(report.ok).toBe(isWell);
    expect(report.findings).toContainEqual(
      expect.objectContaining({ subject: "source default", message: expect.stringContaining(message) }),
    );
    expect(
      requests.map(({ method, url }) => `${method} ${url.pathname}${method === "DELETE" ? url.search : ""}`),
    ).toEqual(isWell ? ["GET /v2/dlq"] : ["GET /v2/dlq", "DELETE /v2/dlq?dlqIds=0-0"]);
  });

  it("says whether the address of callbacks leads to a daemon", async () => {
    const { emulator } = await startService();
    const withCallbacks = { CALLBACK_KEY: "sig_0123456789abcdef", REDRIVER_CALLBACK_PORT: "0" };
    const daemonDocument = document(
      "plan",
      ", callbacks: { url: https://127.0.0.1:1/callbacks, keys: [{ env: CALLBACK_KEY }] }",
    );
    const other = createEnv({
      emulator,
      redisUrl: redis.url(),
      document: daemonDocument,
      env: withCallbacks,
    });
    await startDaemon(other.env);
    const { findings, ok } = await examine(other.env);
    expect(ok).toBe(true);
    expect(findings).toContainEqual({
      subject: "callbacks of default",
      state: "warning",
      message: expect.stringContaining("cannot be reached from here"),
    });
  });
});
