import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCallbacks, type Callbacks } from "../../../../src/job/daemon/canary-callbacks.ts";
import { createCallbackServer } from "../../../../src/job/daemon/callback-http.ts";
import { withProofCallback } from "../../../../src/job/message/proof-callback-url.ts";
import { createFolder } from "../../../support/command.ts";
import { sendBytes } from "../../../support/raw-http.ts";
import { oddText, oddValues } from "../../../support/odd-fields.ts";
import { freePort } from "../../../support/redis-servers.ts";
import { behindTheHorizon, createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";
import { signCallback } from "../../../support/signed-callback.ts";

const redis = useRedis();
const address = "http://redriver.test/callbacks";

interface Called {
  readonly rig: Rig;
  readonly keyFile: string;
  /** Of the callback that took the place of one to the receiver. */
  readonly url: string;
  call(changes?: { readonly url?: string; readonly body?: string; readonly key?: string }): Promise<Response>;
  /** Outcomes told so far. */
  outcomes(): readonly string[];
}

const toShort = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

const bodyOf = (messageId = "msg_1"): string =>
  JSON.stringify({ status: 200, sourceMessageId: messageId, text: "ünï" });

async function listen(rig: Rig): Promise<Callbacks> {
  const callbacks = createCallbacks({
    live: {
      current: () => rig.core,
      acquire: () => ({
        core: rig.core,
        superseded: () => new AbortController().signal,
        release: () => undefined,
      }),
    },
    earlyTicks: { afterLanes: () => Promise.resolve() },
    events: { emit: (event) => void rig.events.push(event) },
    clock: rig.drain.source.clock,
    stop: new AbortController().signal,
  });
  await callbacks.listen();
  onTestFinished(() => callbacks.close());
  return callbacks;
}

/** What the daemon has of it, for a source whose messages have a callback to `/theirs`. */
async function createCalled(): Promise<Called> {
  const { path } = createFolder({ key: "sig_1" });
  const keyFile = `${path}/key`;
  const rig = await createRig({
    redisUrl: redis.url(),
    source: `{ callbacks: { url: "${address}", keys: [{ file: ${keyFile} }] } }`,
    settings: { "callback.host": "127.0.0.1", "callback.port": 0 },
  });
  const callbacks = await listen(rig);
  const item = withProofCallback(
    {
      destination: rig.receiver.url,
      headers: { "Upstash-Callback": `${rig.receiver.url}/theirs`, "Upstash-Callback-Forward-X-Order": "7" },
    },
    "Upstash-",
    `${address}/default`,
    rig.drain.source.lineageKeys()[0],
  );
  const own = item!.headers["Upstash-Callback"]!;
  return {
    rig,
    keyFile,
    url: own,
    call: ({ url = own, body = bodyOf(), key = "sig_1" } = {}) =>
      fetch(url.replace("http://redriver.test", `http://${callbacks.address()}`), {
        method: "POST",
        headers: { "Upstash-Signature": signCallback(url, body, key) },
        body,
      }),
    outcomes: () => rig.eventsOf("callback:received").map(({ outcome }) => outcome),
  };
}

describe("a message's own callback", () => {
  it("is handed on as the service would have sent it, once however often we are called", async () => {
    const { rig, call, outcomes } = await createCalled();
    for (let time = 0; time < 3; time += 1) expect((await call()).status).toBe(200);
    await rig.emulator.idle();
    expect(rig.receiver.deliveries).toMatchObject([
      {
        path: "/theirs",
        method: "POST",
        body: bodyOf(),
        headers: { "content-type": "application/json", "x-order": "7" },
      },
    ]);
    expect(outcomes()).toEqual(["unknown", "chained", "unknown", "chained", "unknown", "chained"]);
    await call({ body: bodyOf("msg_2") });
    await rig.emulator.idle();
    expect(rig.receiver.deliveries).toHaveLength(2);
  });

  it("waits while the source is rate limited, and says for how long", async () => {
    const { rig, call } = await createCalled();
    const fault = { status: 429, limit: "burst", resetInS: 3, count: 1 } as const;
    rig.emulator.faults.add({ kind: "status", operation: "batch", ...fault });
    const first = await call();
    expect(first.status).toBe(503);
    expect(Number(first.headers.get("retry-after"))).toBeGreaterThan(0);
    // It is left alone: the service is not asked again.
    const asked = rig.eventsOf("service:answered").length;
    expect((await call()).status).toBe(503);
    expect(rig.eventsOf("service:answered")).toHaveLength(asked);
    await expect.poll(async () => (await call()).status, { timeout: 30_000, interval: 500 }).toBe(200);
    await rig.emulator.idle();
    expect(rig.receiver.deliveries).toHaveLength(1);
  }, 60_000);

  it.each([
    ["may have been handed on and may not", { kind: "drop-answer" }],
    // Under another id, which a refusal cannot have taken.
    ["was refused", { kind: "item-error", registersDeduplication: true }],
  ] as const)("that %s is handed on once", async (_, fault) => {
    const { rig, call } = await createCalled();
    rig.emulator.faults.add({ ...fault, operation: "batch", count: 1 });
    for (const status of [502, 200, 200]) {
      expect((await call()).status).toBe(status);
      await rig.emulator.idle();
      expect(rig.receiver.deliveries.length).toBeLessThanOrEqual(1);
    }
    expect(rig.receiver.deliveries).toHaveLength(1);
  });

  it("that cannot be opened is not taken for none", async () => {
    const { rig, call, outcomes } = await createCalled();
    expect((await call({ url: `${address}/default?redriver-callback=v1.AAAA` })).status).toBe(502);
    expect((await call({ url: `${address}/default` })).status).toBe(502);
    expect(outcomes()).toEqual(["unknown", "chain-failed", "unknown", "chain-failed"]);
    expect((await call({ url: `${address}/default?redriver-callback=none` })).status).toBe(200);
    await rig.emulator.idle();
    expect(rig.receiver.deliveries).toEqual([]);
  });
});

it("a callback with any value in a field is answered, and handed on once as it came", async () => {
  const { rig, call } = await createCalled();
  const fields =
    "status header body retried maxRetries sourceHeader sourceBody createdAt notBefore url method dlqId";
  const bodies = fields.split(" ").flatMap((field) =>
    Object.keys(oddValues).map((value) =>
      // Each is of another message.
      oddText({ status: 200, sourceMessageId: `msg_${field}-${toShort(value)}` }, [[field, value]]),
    ),
  );
  const handedOn = new Map<string, number>();
  const statuses = new Set<number>();
  for (const body of bodies) {
    const { status } = await call({ body });
    statuses.add(status);
    if (status === 200) handedOn.set(toShort(body), 1);
  }
  // What is no callback of the service is refused.
  expect(statuses).toEqual(new Set([200, 400]));
  await rig.emulator.idle();
  const arrived = new Map([...rig.receiver.counts()].map(([body, count]) => [toShort(body), count]));
  expect(arrived).toEqual(handedOn);
}, 120_000);

it("a callback that died while nobody was there to be called is handed on when it is redriven", async () => {
  const port = await freePort();
  const signingKeys = { current: "sig_1", next: "sig_2" };
  const { path } = createFolder({ key: "sig_1" });
  const rig = await createRig({
    redisUrl: redis.url(),
    emulator: { signingKeys },
    drain: `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    lane: { canary: 5, watch: 2s, haltAt: 100%, probeEvery: 10s }
    rules:
      - { name: outage, when: { responseStatus: [503, none] }, then: republish }
`,
    source: `{ callbacks: { url: "http://127.0.0.1:${port}/callbacks", keys: [{ file: ${path}/key }] } }`,
    settings: { "callback.host": "127.0.0.1", "callback.port": port },
  });
  rig.seed(1, { callback: `${rig.receiver.url}/theirs`, callbackHeader: { "X-Order": ["7"] } });
  await rig.pass();
  await rig.emulator.idle();
  expect(rig.emulator.dlq.size).toBe(1);
  expect(rig.receiver.deliveries.map((delivery) => delivery.path)).toEqual(["/hook"]);

  await listen(rig);
  await behindTheHorizon(rig);
  await rig.pass();
  await rig.emulator.idle();
  expect(rig.receiver.deliveries.slice(1)).toMatchObject([{ path: "/theirs", headers: { "x-order": "7" } }]);
  expect(rig.emulator.dlq.size).toBe(0);
  expect(rig.eventsOf("callback:received").map(({ outcome }) => outcome)).toEqual(["delivered", "chained"]);
}, 60_000);

it("a signing key that is replaced is taken within seconds, and the old one no more; what is refused is told once a minute", async () => {
  const { rig, call, keyFile } = await createCalled();
  writeFileSync(keyFile, "sig_2");
  await expect
    .poll(async () => (await call({ key: "sig_2" })).status, { timeout: 30_000, interval: 250 })
    .toBe(200);
  expect((await call({ key: "sig_1" })).status).toBe(401);
  const unverified = rig.eventsOf("callback:received").filter(({ outcome }) => outcome === "unverified");
  expect(unverified.filter(({ isNews }) => isNews)).toHaveLength(1);
  expect(JSON.stringify(rig.events)).not.toContain("sig_");
}, 60_000);

it("nobody listens where no source has callbacks", async () => {
  const callbacks = await listen(await createRig({ redisUrl: redis.url() }));
  expect(callbacks.address()).toBeNull();
});

it("a signed call that is no callback is refused", async () => {
  const { call, outcomes } = await createCalled();
  expect((await call({ body: "{}" })).status).toBe(400);
  expect(
    (await call({ body: JSON.stringify({ status: 200, sourceMessageId: "m", pad: "x".repeat(5_000_000) }) }))
      .status,
  ).toBe(413);
  expect(outcomes()).toEqual(["unreadable", "too-large"]);
});

const post = (length: number): Buffer =>
  Buffer.from(`POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`);
const urlOf = (server: { readonly address: string }): string => `http://${server.address}`;
type Serving = Parameters<typeof createCallbackServer>[0];
const accept = () => Promise.resolve({ status: 200 } as const);
const readAll: Serving["receive"] = async ({ body }) => ({ status: (await body()) === "busy" ? 503 : 200 });

async function serve(receive: Serving["receive"], changes: Partial<Serving> = {}) {
  const options = { host: "127.0.0.1", port: 0, requestTimeoutMs: 30_000, receive, ...changes };
  const server = await createCallbackServer(options);
  onTestFinished(() => server.close());
  return server;
}

describe("the callback server", () => {
  it("holds no more of all bodies together than 8 MiB, and takes more as soon as there is room", async () => {
    const server = await serve(readAll);
    const almost = Buffer.alloc(4 * 1_048_576 - 1);
    const held = Array.from({ length: 2 }, () =>
      sendBytes(urlOf(server), [post(almost.length + 1), almost], 3_000),
    );
    const status = async (): Promise<number> =>
      (await fetch(urlOf(server), { method: "POST", body: "x".repeat(1_000) })).status;
    await expect.poll(status, { timeout: 2_900, interval: 50 }).toBe(503);
    await Promise.all(held);
    await expect.poll(status, { timeout: 30_000 }).toBe(200);
  }, 60_000);

  it("reads nothing of those that it does not know", async () => {
    const server = await serve(() => Promise.resolve({ status: 401 }));
    const { status } = await sendBytes(urlOf(server), [post(1_000_000_000)], 3_000);
    expect(status).toBe(401);
  });

  it("cuts off who is slow, and answers nothing but POST", async () => {
    const server = await serve(readAll, { requestTimeoutMs: 300 });
    expect((await sendBytes(urlOf(server), [post(10), Buffer.from("x")], 5_000)).end).not.toBe("hung");
    for (const method of ["GET", "PUT", "DELETE"]) {
      expect((await fetch(urlOf(server), { method })).status).toBe(405);
    }
  }, 60_000);

  it("says which setting is wrong where the port is taken", async () => {
    const server = await serve(accept);
    const port = Number(server.address.split(":")[1]);
    await expect(serve(accept, { port })).rejects.toMatchObject({
      code: "settings-invalid",
      message: expect.stringContaining("REDRIVER_CALLBACK_PORT") as unknown,
    });
  });
});
