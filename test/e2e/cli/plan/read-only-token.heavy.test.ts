import { describe, expect, it } from "vitest";
import type { Emulator } from "../../../../dev/emulator/index.ts";
import { runToEnd } from "../../../support/command.ts";
import { createEnv } from "../../../support/daemon.ts";
import { startHttp } from "../../../support/message-service-server.ts";
import { useRedis } from "../../../support/redis.ts";
import { startService } from "../../../support/service.ts";

const redis = useRedis();

const document = (mode: string): string => `
version: 1
sources: { default: {} }
drains: { main: { mode: ${mode}, lane: none, rules: [ { name: a, when: { responseStatus: 503 }, then: republish } ] } }
`;

/** What stands before the emulator: it passes reads on, and refuses all else, as to a token that only reads. */
async function startReadOnly(emulator: Emulator) {
  return startHttp(async ({ method, url, headers }) => {
    if (method !== "GET") return { status: 403, body: { error: "this token only reads" } };
    const answer = await fetch(new URL(url.pathname + url.search, emulator.url), {
      headers: { authorization: headers.authorization ?? "" },
    });
    return {
      status: answer.status,
      headers: { "content-type": "application/json" },
      body: await answer.text(),
    };
  });
}

async function setUp(mode: string) {
  const { emulator } = await startService();
  const at = Date.now() - 3_600_000;
  emulator.dlq.seed([
    { dlqId: `${at}-0`, url: "http://127.0.0.1:9/", createdAt: at, responseStatus: 503, body: "a" },
    { dlqId: `${at}-1`, url: "http://127.0.0.1:9/", createdAt: at, responseStatus: 500, body: "b" },
  ]);
  const { requests, baseUrl } = await startReadOnly(emulator);
  const { env } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document: document(mode),
    env: { REDRIVER_SERVICE_URL: baseUrl },
  });
  const methods = (): readonly string[] => [...new Set(requests.map(({ method }) => method))];
  return { emulator, env, methods };
}

describe("a token that only reads", () => {
  it.each(["plan", "live"])("is enough for a plan, also of a drain in mode %s", async (mode) => {
    const { emulator, env, methods } = await setUp(mode);
    const { exitCode, out } = await runToEnd(["plan", "--all"], env);
    expect(out).toMatch(/^ +now +1 republish$/m);
    expect(out).toMatch(/^ +stays +1 held$/m);
    expect(exitCode).toBe(0);
    expect(methods()).toEqual(["GET"]);
    expect(emulator.dlq.size).toBe(2);
  });

  it("is enough for a pass of a drain in plan mode", async () => {
    const { env, methods } = await setUp("plan");
    expect(await runToEnd(["drain", "--all", "--yes"], env)).toMatchObject({ exitCode: 0 });
    expect(methods()).toEqual(["GET"]);
  });

  it("is not enough for a pass of a live drain, which leaves everything in the queue", async () => {
    const { emulator, env, methods } = await setUp("live");
    const { exitCode, out, err } = await runToEnd(["drain", "--all", "--yes"], env);
    expect(out).toMatch(/^main +hold +source-halted +a +1$/m);
    expect(err).toContain("this token only reads; the token is service.token");
    expect(exitCode).toBe(3);
    expect(methods()).toEqual(["GET", "POST"]);
    expect(emulator.journal.entries("accepted")).toEqual([]);
    expect(emulator.dlq.size).toBe(2);
  });
});
