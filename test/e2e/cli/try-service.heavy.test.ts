import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Emulator, EmulatorOptions } from "../../../dev/emulator/index.ts";
import { runHere } from "../../support/cli.ts";
import { start, type Running } from "../../support/command.ts";
import { createEnv, type DaemonEnv } from "../../support/daemon.ts";
import { startHttp, type Canned, type SeenRequest } from "../../support/message-service-server.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";
import { sideBySide } from "../../support/side-by-side.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: { retention: 3d } }
drains: { main: { mode: plan, rules: [ { name: a, when: { responseStatus: 503 }, then: republish } ] } }
`;
const plain = (dlqId: string, more: object = {}) => ({ dlqId, url: "http://127.0.0.1:9/", ...more });

interface Trial {
  readonly ok: boolean;
  readonly messages: number;
  readonly left: number;
  readonly answers: readonly {
    readonly question: string;
    readonly verdict: string;
    readonly seen: string;
    readonly set: string | null;
  }[];
}

type Forward = (changed?: { readonly query?: URLSearchParams; readonly body?: string }) => Promise<Canned>;
/** Stands between redriver and the emulator, and may say something else than it. */
type Lie = (request: SeenRequest, forward: Forward) => Promise<Canned>;

async function stand(options: EmulatorOptions = {}, lie?: Lie) {
  const { emulator } = await startService(options);
  // Somebody else's, which no trial may delete, and none may count.
  emulator.dlq.seed([plain("1000-0"), plain("1001-0", { labels: ["redriver-try"], label: "redriver-try" })]);
  const between =
    lie && (await startHttp((request) => lie(request, (changed) => forwardTo(emulator, request, changed))));
  const { env, folder } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document,
    env: between === undefined ? {} : { REDRIVER_SERVICE_URL: between.baseUrl },
  });
  return { emulator, env, folder };
}

async function forwardTo(
  emulator: Emulator,
  { method, url, headers, body }: SeenRequest,
  { query = url.searchParams, body: changed = body }: { query?: URLSearchParams; body?: string } = {},
): Promise<Canned> {
  const response = await fetch(`${emulator.url}${url.pathname}?${query.toString()}`, {
    method,
    headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
    ...(method === "POST" ? { body: changed } : {}),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: { "content-type": "application/json" },
    body: JSON.parse(text) as unknown,
  };
}

const command = ["doctor", "--try-service", "--yes"];

async function tryIt({ env }: Pick<DaemonEnv, "env">, ...flags: readonly string[]) {
  const { exitCode, out, err } = await runHere([...command, "--json", ...flags], env);
  if (out === "") throw new Error(err);
  const record = JSON.parse(out) as Trial;
  const answers = Object.fromEntries(record.answers.map((answer) => [answer.question, answer]));
  return { exitCode, record, answers };
}

const isList = ({ method }: SeenRequest): boolean => method === "GET";
const isBatch = ({ url }: SeenRequest): boolean => url.pathname === "/v2/batch";
const messagesOf = ({ body }: Canned): readonly unknown[] =>
  (body as { readonly messages: readonly unknown[] }).messages;

/** How the emulator is, what a trial calls it, and a lie about it with the question that shows it. */
interface Variant {
  readonly options: EmulatorOptions;
  readonly named: readonly [string, string];
  readonly lie: () => Lie;
  readonly shownBy: string;
}

const variants: Readonly<Record<string, Variant>> = {
  "dates mean createdAt": {
    options: { dateFilter: "created" },
    named: ["dates", "createdAt"],
    // It says that it filters, and lists everything.
    lie: () => (request, forward) => {
      const query = new URLSearchParams(request.url.searchParams);
      for (const name of ["fromDate", "toDate"]) query.delete(name);
      return forward({ query });
    },
    shownBy: "dates",
  },
  "latest first": {
    options: { order: "latestFirst" },
    named: ["order", "latest first"],
    lie: () => async (request, forward) => {
      const answer = await forward();
      const isSecond = isList(request) && request.url.searchParams.has("cursor");
      return isSecond
        ? { ...answer, body: { ...(answer.body as object), messages: messagesOf(answer).toReversed() } }
        : answer;
    },
    shownBy: "order",
  },
  "items keep error shapes": {
    options: { invalidItems: "answer-error" },
    named: ["refusal", "its item has an error, others go"],
    // What it says it refused, it published.
    lie: () => async (request, forward) => {
      const answer = await forward();
      const isMixed = isBatch(request) && JSON.stringify(answer.body).includes('"error"');
      return isMixed ? { ...answer, body: [{ error: "not this one" }, { error: "nor this one" }] } : answer;
    },
    shownBy: "acceptance",
  },
  "a cursor breaks on delete": {
    options: { cursorBy: "offset" },
    named: ["deletes", "it skips as many; the next pass lists them"],
    lie: () => {
      let hasDeleted = false;
      return async (request, forward) => {
        const isRest = isList(request) && hasDeleted && request.url.searchParams.has("cursor");
        if (request.method === "DELETE") hasDeleted = true;
        return isRest ? { body: { messages: [] } } : forward();
      };
    },
    shownBy: "deletes",
  },
  "refused ids are taken": {
    options: { refusedIds: "taken" },
    named: ["refusedIds", "2 are taken; a new series begins"],
    // It calls a publish a hit.
    lie: () => {
      let hasRefused = false;
      return async (request, forward) => {
        if (!isBatch(request)) return forward();
        const isAfter = hasRefused;
        const query = request.url.searchParams;
        const body = isAfter ? request.body.replaceAll("redriver_t-", "redriver_u-") : request.body;
        const answer = await forward({ query, body });
        hasRefused = answer.status === 400;
        const asHits = () =>
          (answer.body as readonly object[]).map((item) => ({ ...item, deduplicated: true }));
        return isAfter ? { ...answer, body: asHits() } : answer;
      };
    },
    shownBy: "acceptance",
  },
  "limit 429": {
    options: { rateLimits: { dlq: { limit: 4, windowMs: 1_000 } } },
    named: ["limits", "times 429, each over when it said"],
    // It names an end, and is not over then.
    lie: () => {
      let limited = 0;
      return async (request, forward) => {
        const isLimited =
          isList(request) && request.url.searchParams.has("label") && (limited += 1) > 3 && limited < 7;
        if (!isLimited) return forward();
        const reset = String(Math.floor(Date.now() / 1_000));
        const headers = {
          "burst-ratelimit-limit": "4",
          "burst-ratelimit-remaining": "0",
          "burst-ratelimit-reset": reset,
        };
        return { status: 429, headers, body: { error: "rate limit exceeded" } };
      };
    },
    shownBy: "limits",
  },
};

describe("redriver doctor --try-service", () => {
  it("finds the plain emulator as assumed, and leaves nothing", async () => {
    const { emulator, env, folder } = await stand();
    const out = `${folder.path}/record.json`;
    const { exitCode, record, answers } = await tryIt({ env }, "--out", out);
    expect(record).toMatchObject({ v: 1, ok: true, messages: 12, left: 0, source: "default" });
    expect(exitCode).toBe(0);
    expect(
      Object.values(answers)
        .filter(({ verdict }) => verdict !== "as-assumed")
        .map(({ question }) => question),
    ).toEqual(["limits", "manyIds", "waiting"]);
    expect(answers).toMatchObject({
      dates: { seen: "the time of death" },
      order: { seen: "earliest first" },
      refusal: { seen: "it is refused whole" },
      refusedIds: { seen: "free" },
      silence: { seen: "0 or absent" },
      flowControl: { seen: expect.stringContaining("listed with its limits") as string },
    });
    expect(JSON.parse(readFileSync(out, "utf8"))).toEqual(record);
    expect(readFileSync(out, "utf8")).not.toContain(emulator.token);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(emulator.dlq.find("1000-0")).toBeDefined();
    expect(emulator.dlq.find("1001-0")).toBeDefined();
    expect([emulator.dlq.size, emulator.pending]).toEqual([2, 0]);
  });

  // A machine that is busy with all of them would not meet the limit.
  it.each([
    { names: Object.keys(variants).filter((name) => name !== "limit 429") },
    { names: ["limit 429"] },
  ])("finds and names what varies, and what lies: $names", { timeout: 120_000 }, async ({ names }) => {
    await sideBySide(Object.fromEntries(names.map((name) => [name, () => findAndCatch(variants[name]!)])));
  });

  it("names the setting if a wrong prefix loses the settings, after one message", async () => {
    const { env, emulator } = await stand({ retryScale: 0 });
    const { exitCode, answers, record } = await tryIt({
      env: { ...env, REDRIVER_SERVICE_HEADER_PREFIX: "Service-" },
    });
    expect(answers["mark"]).toMatchObject({ verdict: "differs", set: "service.headerPrefix" });
    expect({ exitCode, messages: record.messages }).toEqual({ exitCode: 1, messages: 1 });
    expect(emulator.dlq.size).toBe(2);
    const piped = await runHere([...command, "--out", "-"], {
      ...env,
      REDRIVER_SERVICE_HEADER_PREFIX: "Service-",
    });
    expect(JSON.parse(piped.out)).toMatchObject({ ok: false, messages: 1 });
    expect([existsSync("-"), piped.err]).toEqual([false, expect.stringContaining("1 messages, ")]);
  });

  it("publishes nothing without a yes", async () => {
    const { env, emulator } = await stand();
    const { exitCode, err } = await runHere(["doctor", "--try-service"], env);
    expect(exitCode).toBe(2);
    expect(err).toContain("publishes 12 messages of its own through source default to redriver-try.invalid");
    for (const [argv, why] of [
      [["doctor", "--out", "record"], "all flags but --json are of --try-service"],
      [[...command, "--clean", "--out", "record"], "--clean writes no record"],
      [[...command, "--json", "--out", "-"], "--out - takes stdout"],
      [[...command, "--out", "/nowhere/record"], "cannot write to /nowhere/record: ENOENT"],
    ] as const) {
      expect(await runHere(argv, env)).toMatchObject({ exitCode: 2, err: expect.stringContaining(why) });
    }
    expect(emulator.journal.entries("request")).toEqual([]);
  });

  it("ends with 3 on Ctrl-C, and leaves nothing", async () => {
    const { env, emulator } = await stand();
    let interrupt: (() => void) | undefined;
    const { exitCode, err } = await runHere(command, env, {
      onListening: (stop) => (interrupt = stop),
      onErr: (text) => text.includes("a call with an unfit item") && interrupt?.(),
    });
    expect({ exitCode, last: err.trim().split("\n").at(-1) }).toEqual({
      exitCode: 3,
      last: expect.stringContaining("stopped"),
    });
    expect([emulator.dlq.size, emulator.pending]).toEqual([2, 0]);
  });

  it("leaves nothing after a SIGKILL while a call that publishes or deletes is under way, once it runs again, also if that only cleans", async () => {
    const killed = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(killAtCall));
    expect(killed.filter(Boolean).length).toBeGreaterThan(7);
  }, 240_000);
});

async function findAndCatch({ options, named, lie, shownBy }: Variant): Promise<void> {
  const [honest, lying] = [await stand(options), await stand(options, lie())];
  const [found, caught] = await Promise.all([tryIt(honest), tryIt(lying)]);
  const [question, seen] = named;
  expect(found.answers[question]).toMatchObject({
    verdict: "as-assumed",
    seen: expect.stringContaining(seen) as string,
  });
  expect(found).toMatchObject({ exitCode: 0, record: { ok: true, left: 0 } });
  expect(caught.answers[shownBy]).toMatchObject({ verdict: "differs" });
  expect(caught).toMatchObject({ exitCode: 1, record: { ok: false } });
  for (const { emulator } of [honest, lying]) expect([emulator.dlq.size, emulator.pending]).toEqual([2, 0]);
}

/** Its effect has happened, and nobody hears the answer. True if it was killed there. */
async function killAtCall(nth: number): Promise<boolean> {
  let calls = 0;
  let running: Running | null = null;
  const one = await stand({}, async ({ method }, forward) => {
    const answer = await forward();
    if (method !== "GET" && (calls += 1) === nth) running?.child.kill("SIGKILL");
    return answer;
  });
  running = start(command, one.env);
  const { exitCode } = await running.ended;
  running = null;
  const next = await runHere([...command, ...(nth % 2 === 0 ? [] : ["--clean"])], one.env);
  expect([nth, next.exitCode, one.emulator.dlq.size, one.emulator.pending]).toEqual([nth, 0, 2, 0]);
  return exitCode === null;
}
