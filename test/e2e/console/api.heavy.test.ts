import { describe, expect, it } from "vitest";
import { statusesOf } from "../../../src/people/console/api/open-api.ts";
import { errorAnswer } from "../../../src/people/console/api/refusal.ts";
import type { ApiRoute } from "../../../src/people/console/api/answer.ts";
import { routes } from "../../../src/people/console/api/operation-route.ts";
import { operations } from "../../../src/people/operations/operations.ts";
import { toBody, tokenEnv, tokens } from "../../support/console-daemon.ts";
import { startConsole, type ConsoleHere } from "../../support/console-forms.ts";
import { createPlanStand, type PlanStand } from "../../support/plan-stand.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const within = { timeout: 30_000, interval: 100 };

const document = `
version: 1
sources: { default: {} }
defaults:
  schedule: { every: 500ms, full: 1s }
  minAge: 1s
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
drains:
  orders:
    mode: plan
    lane: none
    select: { topicName: orders }
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
  refunds:
    mode: live
    lane: { watch: 2s, probeEvery: 2s }
    select: { topicName: refunds }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;

interface Sent {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Method, path and status of all that was answered, for the last test. */
const seen = new Set<string>();

function toKey({ method, path }: ApiRoute, status: number): string {
  return `${method} ${path} ${status}`;
}

async function send(
  here: ConsoleHere,
  route: ApiRoute,
  path: string,
  { token = route.role === "admin" ? tokens.admin : tokens.operator, body, headers = {} }: Sent = {},
) {
  const response = await fetch(`${here.url}/api/v1${path}`, {
    method: route.method.toUpperCase(),
    redirect: "manual",
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const { status } = response;
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  const answer = (await response.json()) as Record<string, unknown>;
  seen.add(toKey(route, status));
  expect(statusesOf(route)).toContain(status);
  // A schema leaves out what it does not describe, so nothing is answered without a description.
  const schema = status === route.status ? route.answer : errorAnswer;
  expect(schema.parse(answer)).toEqual(answer);
  return { status, answer, headers: response.headers };
}

/** `Host: emulator`, as a page of that name would send whose address was pointed here. */
async function statusOfForeignHost(here: ConsoleHere, route: ApiRoute, path: string): Promise<number> {
  const headers = [["Authorization", `Bearer ${tokens.operator}`]] as const;
  const request = { method: route.method.toUpperCase(), target: `/api/v1${path}`, headers };
  const { status, body } = await sendRaw(here.url, request, 5_000);
  seen.add(toKey(route, status));
  expect(errorAnswer.parse(JSON.parse(body))).toMatchObject({ error: { code: "host-unknown" } });
  return status;
}

function routeOf(method: string, path: string): ApiRoute {
  const route = routes.find((one) => one.method === method && one.path === path);
  if (route === undefined) throw new Error(`no route ${method} ${path}`);
  return route;
}

const get = (here: ConsoleHere, path: string, query = "", id = "") =>
  send(here, routeOf("get", path), `${path.replace(":id", id)}${query}`);
const post = (here: ConsoleHere, path: string, body: unknown, id = "") =>
  send(here, routeOf("post", path), path.replace(":id", id), { body });

const setUp = (): Promise<PlanStand> => createPlanStand(redis.url(), { document, env: tokenEnv() });

/** Of operations whose example names nothing that could be missing. */
const unknownOf: Readonly<Record<string, object>> = {
  "parked release": { failure: "0123456789" },
  content: { source: "nowhere" },
  pause: { failure: "0123456789" },
  "plan --keep": { failure: "0123456789" },
  resume: { failure: "0123456789" },
};

function idOf({ answer }: { readonly answer: Readonly<Record<string, unknown>> }): string {
  const [made] = answer["results"] as readonly { readonly id: string }[];
  return made?.id ?? "none";
}

describe("the console's API", () => {
  it("makes, shows and applies a plan, and refuses what cannot be meant", async () => {
    const stand = await setUp();
    stand.seed(30);
    const here = await startConsole(stand.env);
    const id = idOf(await post(here, "/plans", { drains: ["orders"] }));
    const plan = async () => (await get(here, "/plans/:id", "", id)).answer["plan"];
    await expect
      .poll(plan, within)
      .toMatchObject({ state: "ready", by: "operator-person (api)", made: { acts: 30 } });
    const { answer: shown } = await get(here, "/plans/:id", "", id);
    expect(JSON.stringify(shown)).not.toContain("order 1");
    // Its schema is open there, and docs/console.md shows this.
    expect(shown).toMatchObject({ report: { drains: [{ drain: "orders", planned: 30 }] } });
    expect((await post(here, "/plans/:id/stop", { reason: "too early" }, id)).status).toBe(409);
    expect((await post(here, "/plans/:id/apply", { reason: "up again", messages: 12 }, id)).status).toBe(409);
    expect(stand.emulator.journal.counts().accepted).toBe(0);
    await post(here, "/plans/:id/apply", { reason: "up again", messages: 30 }, id);
    await expect.poll(plan, within).toMatchObject({ state: "applied" });

    const unknown = await post(here, "/plans", { drains: ["order"] });
    expect([unknown.status, unknown.answer]).toMatchObject([400, { error: { code: "command-misused" } }]);
    expect((await post(here, "/plans", { drains: ["orders"], all: true })).status).toBe(400);
    expect((await post(here, "/plans", { all: true, failure: "0123456789" })).status).toBe(404);
    for (const path of ["/plans/:id/apply", "/plans/:id/stop", "/plans/:id/remove"]) {
      const gone = await post(here, path, { reason: "r" }, "no-such-plan");
      expect([gone.status, gone.answer]).toMatchObject([404, { error: { code: "not-found" } }]);
    }
    expect((await get(here, "/plans/:id", "", "no-such-plan")).status).toBe(404);
    // A host that is not known yet is braked before anything comes for it.
    for (const operation of operations.filter(({ words }) => words !== "brake")) {
      const { example, path, words } = operation;
      const body = { ...toBody(operation, example), ...unknownOf[words] };
      const missed = await post(here, path, body, example["id"]);
      expect([words, missed.status, missed.answer]).toMatchObject([
        words,
        404,
        { error: { code: "not-found" } },
      ]);
    }

    // While one is made, this replica makes no other.
    stand.emulator.faults.add({ kind: "latency", operation: "list", ms: 500 });
    stand.seed(300);
    await post(here, "/plans", { all: true });
    const busy = await post(here, "/plans", { all: true });
    expect([busy.status, busy.answer]).toMatchObject([409, { error: { code: "plan-refused" } }]);
  }, 120_000);

  it("reads what waits, fails, is parked and was done", async () => {
    const stand = await setUp();
    stand.seed(5, { topicName: "refunds" });
    stand.seed(7, { topicName: "refunds", responseStatus: 422 });
    stand.seed(3, { topicName: "orders", responseStatus: 500 });
    const here = await startConsole(stand.env);
    await expect.poll(async () => (await get(here, "/parked")).answer["total"], within).toBe(7);
    const [{ dlqId: one }] = (await get(here, "/parked")).answer["parked"] as [{ dlqId: string }];
    const { answer: message } = await get(here, "/messages/:id", "", one);
    expect(message).toMatchObject({ dlqId: one, ledger: { state: "parked" }, explanation: {} });
    expect(message["record"]).toMatchObject({ dlqId: one, responseStatus: 422 });
    expect(JSON.stringify(message)).not.toMatch(/of-a-(body|header|query)|order \d/);
    for (const gone of ["1-0", "nothing"]) {
      expect((await get(here, "/messages/:id", "", gone)).status).toBe(404);
    }
    expect((await get(here, "/rules")).answer["rules"]).toContainEqual({
      drain: "refunds",
      rule: "broken",
      decided: { park: 7 },
      published: null,
      failedAgain: null,
      asOf: expect.any(Number) as number,
    });

    await expect
      .poll(async () => (await get(here, "/failures", "?all=true")).answer["total"], within)
      .toBe(3);
    const failures = await get(here, "/failures", "?all=true&limit=2");
    const more = await get(here, "/failures", `?all=true&limit=2&after=${String(failures.answer["next"])}`);
    const ids = [failures, more].flatMap(({ answer }) =>
      (answer["failures"] as { id: string }[]).map(({ id }) => id),
    );
    expect(new Set(ids).size).toBe(3);
    expect((await get(here, "/failures", "?drain=orders")).answer["total"]).toBe(1);
    await get(here, "/failures/:id", "", ids[0]);
    const sampled = await get(here, "/failures/:id", "?sample=true", ids[0]);
    expect(sampled.answer["failures"]).toMatchObject([{ id: ids[0], decided: {} }]);
    expect((await get(here, "/failures/:id", "", "0123456789")).status).toBe(404);
    await expect
      .poll(async () => (await get(here, "/lanes")).answer["lanes"], within)
      .toMatchObject([{ drain: "refunds" }]);

    for (const path of ["/status", "/history", "/indexes"]) await get(here, path);
    const report = await get(here, "/report", "?host=pay.example.com");
    expect(report.answer["figures"]).toMatchObject({ sentAgain: 0, gone: 0 });
  });

  it("refuses who is not known, whose role is too low, and what is not as described", async () => {
    const stand = await setUp();
    const here = await startConsole(stand.env);
    const proxied = { REDRIVER_CONSOLE_AUTH: "headers", REDRIVER_CONSOLE_PROXIES: "10.0.0.0/8" };
    const other = await startConsole({ ...stand.env, ...proxied });
    for (const route of routes) {
      const path = route.path.replace(":id", "x");
      const isAct = route.body !== null;
      const fine = isAct ? { body: {} } : {};
      expect((await send(here, route, path, { ...fine, token: null })).status).toBe(401);
      expect((await send(other, route, path, { ...fine, token: null })).status).toBe(403);
      expect(await statusOfForeignHost(here, route, path)).toBe(421);
      const query = await send(here, route, `${path}?nonsense=1`, fine);
      expect([query.status, query.answer]).toMatchObject([400, { error: { code: "request-invalid" } }]);
      const twice = await send(here, route, `${path}?from=1&from=2`, fine);
      expect([twice.status, twice.answer]).toMatchObject([
        400,
        { error: { message: 'the query: expected "from" once' } },
      ]);
      if (!isAct) continue;
      expect((await send(here, route, path, { body: {}, token: tokens.viewer })).status).toBe(403);
      const nonsense = await send(here, route, path, { body: { nonsense: 1, reason: 1 } });
      expect(nonsense.status).toBe(400);
      expect(JSON.stringify(nonsense.answer)).toMatch(/no field is named/);
      expect(JSON.stringify(nonsense.answer)).not.toMatch(/Invalid|Unrecognized|Too /);
      expect((await send(here, route, path, { body: "{" })).status).toBe(400);
      expect((await send(here, route, path, { body: String.raw`{"reason":"\ud800"}` })).status).toBe(400);
      expect((await send(here, route, path, { body: { by: "x".repeat(17_000) } })).status).toBe(413);
      const plain = { body: "{}", headers: { "content-type": "text/plain; application/json" } };
      expect((await send(here, route, path, plain)).status).toBe(415);
    }
    const sample = await send(here, routeOf("get", "/failures/:id"), "/failures/x?sample=true", {
      token: tokens.viewer,
    });
    expect(sample.status).toBe(403);
    const nowhere = await fetch(`${here.url}/api/v1/nowhere`, {
      headers: { authorization: `Bearer ${tokens.viewer}` },
    });
    expect([nowhere.status, await nowhere.json()]).toMatchObject([404, { error: { code: "not-found" } }]);
    for (const route of routes) {
      const wrong = { ...(route.body === null ? {} : { body: {} }), token: "of-nobody" };
      const asked = () => send(here, route, route.path.replace(":id", "x"), wrong);
      await expect.poll(async () => (await asked()).status, { interval: 0 }).toBe(429);
    }
  });

  it("was seen by these tests with every path and status of its document", () => {
    // Only a defect makes a 500, and Redis that is away a 503 of each. What an operation does is tried with its
    // other faces (operations/).
    const paths = new Set<string>(operations.map(({ path }) => path));
    const all = routes.flatMap((route) =>
      statusesOf(route)
        .filter(
          (status) =>
            ![500, 503].includes(status) &&
            !(route.path === "/brakes" && status === 404) &&
            !(paths.has(route.path) && [200, 409].includes(status)),
        )
        .map((status) => toKey(route, status)),
    );
    expect(all.filter((key) => !seen.has(key))).toEqual([]);
  });
});
