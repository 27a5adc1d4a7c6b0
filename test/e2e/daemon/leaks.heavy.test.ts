import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { createRedis } from "../../../src/job/redis/connect.ts";
import { runToEnd, createFolder } from "../../support/command.ts";
import { startDaemon } from "../../support/daemon.ts";
import { startHttp, type Canned, type SeenRequest } from "../../support/message-service-server.ts";
import { watchRedis } from "../../support/redis-watch.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis("own");

/** What must come out nowhere, by what it is. */
const secrets = {
  token: "qst-Zk9vTOKENvalue7Qm2",
  "token's beginning": "qst-Zk9vTOKEN",
  "lineage key": "lin-8sKEYvalueW4xz",
  "former lineage key": "old-5tKEYvalueR1yy",
  "Redis password": "red-3pPASSWORDvalueJ6",
  "index user": "ops-0uUSERvalueF2@example.com",
  "index password": "idx-1iPASSWORDvalueG8",
  "body of a record": "bodyMarkerXylophone",
  "header value of a record": "headerMarkerQuixotic",
  "query of a destination": "queryMarkerZephyr",
  "answer of a receiver": "answerMarkerVortex",
  "field that nobody knows": "fieldMarkerJubilee",
  "callback's query": "callbackMarkerWaltz",
  "what a rule sets": "ruleMarkerNymph",
} as const;

let sequence = 0;

/** A record that holds every marker that a record can hold. */
function hostileRecord(fields: object = {}): object {
  const at = Date.now() - 60 * 60_000;
  const marker = secrets["header value of a record"];
  return {
    dlqId: `${at}-${(sequence += 1)}`,
    messageId: `msg_${sequence}`,
    url: `https://receiver.example/hook?key=${secrets["query of a destination"]}`,
    method: "POST",
    createdAt: at - 5_000,
    header: {
      Authorization: [`Bearer ${marker}`],
      Cookie: [`s=${marker}`],
      [`X-${"Y".repeat(40)}`]: [marker],
    },
    body: JSON.stringify({ note: secrets["body of a record"], token: secrets.token }),
    callback: `https://cb.example/?k=${secrets["callback's query"]}`,
    callbackHeader: { "X-Secret": [marker] },
    responseStatus: 503,
    responseHeader: { "X-Echo": [secrets["answer of a receiver"], secrets.token], "Retry-After": ["soon"] },
    responseBody: `{"error":"${secrets["answer of a receiver"]} ${secrets.token}"}`,
    unknownField: { deep: [secrets["field that nobody knows"], secrets.token] },
    ...fields,
  };
}

/**
 * Everything that a service could repeat in its error. Plain words stand in quotes: without them they are
 * shown.
 */
const echo = ({ headers, body }: SeenRequest): string =>
  `no: ${headers.authorization} sent ${secrets["body of a record"]} and '${secrets["header value of a record"]}' ` +
  `to ${secrets["query of a destination"]} ${secrets["callback's query"]} '${secrets["what a rule sets"]}' ${body.slice(0, 5_000)}`;

type Answers = Partial<Record<"GET" | "POST" | "DELETE", (request: SeenRequest) => Canned>>;

const itemsOf = ({ body }: SeenRequest): readonly unknown[] => JSON.parse(body) as readonly unknown[];
const says = (status: number) => (request: SeenRequest) => ({ status, body: { error: echo(request) } });
const shows = (status: number) => (request: SeenRequest) => ({
  status,
  headers: { "Content-Type": "text/html", "X-Echo": String(request.headers.authorization) },
  body: `<html>${echo(request)}</html>`,
});

/** One source each: how it answers where it is not friendly. */
const services: Readonly<Record<string, Answers>> = {
  "batch-400": { POST: says(400) },
  "batch-401": { POST: says(401) },
  "batch-429": {
    POST: (request) => ({ ...says(429)(request), headers: { "Retry-After": echo(request).slice(0, 20) } }),
  },
  "batch-500": { POST: says(500) },
  "batch-quota": { POST: (request) => ({ status: 500, body: `quota ${echo(request)}` }) },
  "batch-page": { POST: shows(502) },
  "batch-no-json": { POST: shows(200) },
  "batch-items": { POST: (request) => ({ body: itemsOf(request).map(() => ({ error: echo(request) })) }) },
  "batch-ids": {
    POST: (request) => ({
      body: itemsOf(request).map((_, index) => ({
        messageId: [secrets.token, secrets["body of a record"], echo(request)][index % 3],
      })),
    }),
  },
  "list-ids": {
    GET: () => ({
      body: {
        messages: [
          hostileRecord({ messageId: secrets.token }),
          hostileRecord({ messageId: `${secrets["body of a record"]} ${"x".repeat(100_000)}` }),
          hostileRecord({ dlqId: `${secrets.token}-0` }),
          hostileRecord({ url: secrets["body of a record"], labels: [secrets.token] }),
          hostileRecord({ createdAt: secrets.token }),
        ],
      },
    }),
  },
  "list-cursor": { GET: () => ({ body: { messages: [hostileRecord()], cursor: secrets.token } }) },
  "list-500": { GET: says(500) },
  "list-400": { GET: says(400) },
  "list-403": { GET: says(403) },
  "list-shape": { GET: (request) => ({ body: { messages: echo(request), cursor: echo(request) } }) },
  "list-page": { GET: shows(200) },
  "delete-500": { DELETE: says(500) },
  "delete-404": { DELETE: says(404) },
  "delete-shape": { DELETE: (request) => ({ body: { deleted: echo(request) } }) },
  redirect: {
    GET: (request) => ({
      status: 302,
      headers: { Location: `http://127.0.0.1:1/${secrets.token}` },
      body: echo(request),
    }),
  },
};

function friendly(request: SeenRequest): Canned {
  if (request.method === "DELETE")
    return { body: { deleted: request.url.searchParams.getAll("dlqIds").length } };
  if (request.method === "POST")
    return { body: itemsOf(request).map((_, index) => ({ messageId: `msg_${index}` })) };
  return {
    body: {
      messages: [
        hostileRecord(),
        hostileRecord({ responseStatus: 422 }),
        hostileRecord({ responseStatus: 410 }),
        hostileRecord({ header: { Authorization: "one" } }),
      ],
    },
  };
}

it("the daemon and its commands give away no secret and nothing of a message, whatever records and answers hold", async () => {
  const asked = new Map<string, number>();
  const server = await startHttp((request) => {
    const [, name = ""] = request.url.pathname.split("/");
    const method = request.method as "GET" | "POST" | "DELETE";
    asked.set(`${name} ${method}`, (asked.get(`${name} ${method}`) ?? 0) + 1);
    return services[name]?.[method]?.(request) ?? friendly(request);
  });
  const admin = createRedis({ url: redis.url() }, { role: "test" });
  onTestFinished(() => admin.close());
  await admin.ready(5_000);
  await admin.command("ACL", "SETUSER", "daemon", "on", `>${secrets["Redis password"]}`, "~*", "&*", "+@all");
  const watched = await watchRedis(redis.url());

  const names = Object.keys(services);
  const folder = createFolder({
    token: secrets.token,
    "drains.yaml": `
version: 1
archive: { dir: ${createFolder().path}/archive, volume: ephemeral }
sources:
${names.map((name) => `  ${name}: { url: "${server.baseUrl}/${name}", token: { file: FOLDER/token }, census: 1s }`).join("\n")}
defaults:
  mode: live
  schedule: { every: 1s, full: 2s }
  minAge: 0s
  attempts: { max: 5, wait: [0s] }
  lane: none
  limits: { publish: none, perHost: none }
drains:
${names
  .map(
    (name) => `  ${name}:
    source: ${name}
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: old, when: { responseStatus: 410 }, then: drop }
      - { name: outage, when: { responseStatus: 503 }, then: republish, set: { headers: { X-Set: ${secrets["what a rule sets"]} } } }`,
  )
  .join("\n")}
indexes:
  catalog: { id: catalog, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } }, schedule: { every: 10s } }
`,
  });
  const redisUrl = new URL(redis.url());
  redisUrl.username = "daemon";
  redisUrl.password = secrets["Redis password"];
  const env = {
    REDRIVER_REDIS_URL: redisUrl.href,
    REDRIVER_REDIS_KEY_PREFIX: `leaks-${randomUUID().slice(0, 8)}`,
    REDRIVER_DRAINS_FILE: `${folder.path}/drains.yaml`,
    REDRIVER_HTTP_HOST: "127.0.0.1",
    REDRIVER_HTTP_PORT: "0",
    REDRIVER_CONSOLE_PORT: "none",
    REDRIVER_LOG_LEVEL: "debug",
    REDRIVER_LINEAGE_KEY: secrets["lineage key"],
    REDRIVER_LINEAGE_OLD_KEYS: secrets["former lineage key"],
    REDRIVER_STATISTICS_URL: `${server.baseUrl}/list-500`,
    REDRIVER_WINDOWS_CONCURRENCY: "16",
    INDEX_USER: secrets["index user"],
    INDEX_PASSWORD: secrets["index password"],
  };
  folder.write(
    "drains.yaml",
    readFileSync(`${folder.path}/drains.yaml`, "utf8").replaceAll("FOLDER", folder.path),
  );
  const daemon = await startDaemon(env);
  const unheard = () =>
    Object.entries(services).flatMap(([name, answers]) =>
      Object.keys(answers)
        .filter((method) => (asked.get(`${name} ${method}`) ?? 0) === 0)
        .map((method) => `${name} ${method}`),
    );
  await expect.poll(unheard, { timeout: 60_000, interval: 500 }).toEqual([]);
  await daemon.line(({ event }) => event === "statistics:failed");
  // Each answer has been read and told once the next pass of its drain is under way.
  await expect
    .poll(
      () => daemon.log.filter(({ event }) => event === "pass:closed" || event === "source:halted").length,
      {
        timeout: 30_000,
        interval: 500,
      },
    )
    .toBeGreaterThan(names.length);

  const pages = await Promise.all(
    ["/metrics", "/readyz", "/livez", "/nowhere"].map(async (path) =>
      (await fetch(`${daemon.address}${path}`)).text(),
    ),
  );
  const commands = await Promise.all(
    [
      ["status", "--json"],
      ["history", "--records", "--json"],
      ["parked", "list", "--json"],
      ["plan", "batch-400"],
      ["config", "show"],
      ["drain", "batch-items", "--yes"],
    ].map(async (args) => {
      const { out, err } = await runToEnd(args, env);
      return `${args.join(" ")}: ${out}${err}`;
    }),
  );
  daemon.child.kill("SIGTERM");
  const ended = await daemon.ended;
  expect(ended.exitCode).toBe(0);
  expect(pages[0]).toContain("redriver_records");
  expect(commands[2]).toContain('"reason"');

  // A plan shows the words in which receivers failed, and says so; whoever asks for one may read them.
  const plansTell = "answer of a receiver";
  const outputs = {
    "standard output": ended.out,
    "standard error": ended.err,
    "ops pages": pages.join("\n"),
    commands: commands.filter((text) => !text.startsWith("plan ")).join("\n"),
    plans: commands.filter((text) => text.startsWith("plan ")).join("\n"),
    Redis: watched.text(),
  };
  expect(ended.out).toContain('"level":"debug"');
  expect(watched.text().length).toBeGreaterThan(100_000);
  const leaks = Object.entries(outputs).flatMap(([where, text]) =>
    Object.entries(secrets).flatMap(([what, secret]) =>
      (where === "plans" && what === plansTell ? [] : formsOf(secret)).flatMap((form) => {
        const at = text.indexOf(form);
        return at < 0 ? [] : [`${what} in ${where}: ${text.slice(Math.max(0, at - 200), at + 60)}`];
      }),
    ),
  );
  expect(leaks).toEqual([]);
}, 300_000);

function formsOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -1),
  ];
}
