import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../emulator/index.ts";
import { startHere } from "../../../../test/support/cli.ts";
import { freePort } from "../../../../test/support/redis-servers.ts";

type Message = Readonly<Record<string, unknown>> & { readonly dlqId: string };

interface ListPage {
  readonly cursor?: string;
  readonly messages: readonly Message[];
}

const now = Date.UTC(2026, 5, 1);
const clock = { now: () => now };

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ clock, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

async function listText(emulator: Emulator, query: string): Promise<string> {
  const headers = { Authorization: `Bearer ${emulator.token}` };
  const { body } = await request(`${emulator.url}/v2/dlq?${query}`, { headers });
  return body.text();
}

const list = async (emulator: Emulator, query: string): Promise<ListPage> =>
  JSON.parse(await listText(emulator, query)) as ListPage;

async function listAll(emulator: Emulator, query = ""): Promise<Message[]> {
  const messages: Message[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(emulator, cursor === undefined ? query : `${query}&cursor=${cursor}`);
    messages.push(...page.messages);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return messages;
}

function fileOf(content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), "emulator-fill-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "records.ndjson");
  writeFileSync(file, content);
  return file;
}

describe("generated dead letters", () => {
  test("are the same for the same seed, and others for another", async () => {
    const [first, second, other] = await Promise.all(
      [5, 5, 6].map((seed) => start({ generate: { count: 300, seed } })),
    );
    const messages = await listAll(first!);
    expect(messages).toHaveLength(300);
    expect(await listAll(second!)).toEqual(messages);
    expect(await listAll(other!)).not.toEqual(messages);
  });

  test("are of every kind that a receiver of dead letters should know", async () => {
    const emulator = await start({ generate: { count: 5_000 } });
    const messages = await listAll(emulator);
    const withField = (name: string): number => messages.filter((message) => Boolean(message[name])).length;
    const fields = ["topicName", "endpointName", "queueName", "labels", "label", "flowControlKey", "rate"];
    fields.push("scheduleId", "callback", "callbackHeader", "failureCallback", "retryDelayExpression");
    fields.push(
      "bodyBase64",
      "responseBody",
      "responseBodyBase64",
      "responseHeader",
      "parallelism",
      "period",
    );
    for (const field of fields) {
      expect(withField(field), field).toBeGreaterThan(20);
      expect(withField(field), field).toBeLessThan(4_950);
    }
    const valuesOf = (name: string): Set<unknown> => new Set(messages.map((message) => message[name]));
    const statuses = [404, 422, 429, 500, 502, 503, 504, undefined];
    expect(valuesOf("responseStatus")).toEqual(new Set(statuses));
    expect(valuesOf("callerIP").size).toBeGreaterThan(3);
    expect(valuesOf("url").size).toBeGreaterThan(5);
    expect(valuesOf("messageId").size).toBe(5_000);
    const bodies = messages.map(({ body }) => String(body));
    expect(bodies.filter((body) => /^REDACTED:[0-9a-f]{64}$/.test(body)).length).toBeGreaterThan(20);
    for (const { body, bodyBase64, createdAt, notBefore, dlqId } of messages) {
      expect(body === "" || bodyBase64 === "").toBe(true);
      const moments = [createdAt, notBefore, Number(dlqId.split("-")[0])];
      expect(moments).toEqual(moments.toSorted((a, b) => Number(a) - Number(b)));
    }
  });

  test("come over the control API too, and are refused with what it does not know", async () => {
    const emulator = await start();
    const post = async (value: unknown): Promise<{ status: number; body: unknown }> => {
      const answer = await request(`${emulator.controlUrl}/_control/dlq/generate`, {
        method: "POST",
        body: JSON.stringify(value),
      });
      return { status: answer.statusCode, body: await answer.body.json() };
    };
    expect(await post({ count: 120, arrivals: "burst" })).toEqual({ status: 201, body: { generated: 120 } });
    expect(emulator.dlq.size).toBe(120);
    const wrong = [{}, { count: -1 }, { count: 1, many: true }, { count: 1, arrivals: "late" }];
    for (const value of [...wrong, { count: 1, destinations: ["nowhere"] }, { count: 1, destinations: [] }]) {
      expect(await post(value)).toEqual({ status: 400, body: { error: expect.any(String) } });
    }
    expect(emulator.dlq.size).toBe(120);
  });

  test("are listed byte by byte if they are given as texts", async () => {
    const emulator = await start();
    const odd = String.raw`{"dlqId":"1-7","body":"\ud800","rate":1e400,"rate":2,"label":${"[".repeat(9_000)}${"]".repeat(9_000)}}`;
    const nameless = '{"dlqId":"none"}';
    const answer = await request(`${emulator.controlUrl}/_control/dlq/texts`, {
      method: "POST",
      body: JSON.stringify({ texts: [odd] }),
    });
    expect(await answer.body.json()).toEqual({ dlqIds: ["1-7"] });
    expect(emulator.dlq.seedTexts([nameless])).toEqual([`${now}-0`]);
    expect(await listText(emulator, "")).toBe(`{"messages":[${odd},${nameless}]}`);
    expect(() => emulator.dlq.seedTexts(["[]"])).toThrow("expected a JSON object");
  });
});

describe("a file of records", () => {
  test("is there from the start, whatever separates its lines", async () => {
    const separator = "\u2028";
    const lines = [
      '{"dlqId":"5-0","body":"a"}',
      "",
      `{"dlqId":"3-1","body":"${separator}"}\r`,
      '{"body":"no id"}',
    ];
    const emulator = await start({ load: fileOf(lines.join("\n")), generate: { count: 10 } });
    expect(emulator.dlq.size).toBe(13);
    expect(emulator.dlq.find("3-1")).toMatchObject({ body: separator, method: "POST" });
    expect(emulator.dlq.find("5-0")).toMatchObject({ body: "a" });
  });

  test("with wrong lines fails the start, names each of them and nothing of what they hold", async () => {
    const file = fileOf(
      Buffer.concat([
        Buffer.from('{"body":"good"}\n{"secret": \n[1]\n{"dlqId":"late"}\n'),
        Buffer.from([0x22, 0xff, 0x22]),
      ]),
    );
    const failure = await start({ load: file }).then(
      () => "started",
      (error: Error) => error.message,
    );
    expect(failure.split("\n").map((line) => line.split(": ")[0])).toEqual(
      [2, 3, 4, 5].map((line) => `${file}:${line}`),
    );
    expect(failure).not.toContain("secret");
  });

  test("that is not there fails the start", async () => {
    await expect(start({ load: "/not/there" })).rejects.toThrow("/not/there: expected a file");
  });
});

describe("redriver emulator", () => {
  test("with a wrong line in its file exits 2 and says where", async () => {
    const file = fileOf('{}\n{"dlqId":7}\n');
    const { exitCode, err, state } = await run("--load", file);
    expect({ exitCode, state }).toEqual({ exitCode: 2, state: undefined });
    expect(err).toContain(`${file}:2: dlqId`);
  });

  test("starts with the dead letters asked for", async () => {
    const { exitCode, state } = await run("--generate", "50", "--arrivals", "burst");
    expect({ exitCode, state }).toEqual({ exitCode: 0, state: expect.objectContaining({ dlqSize: 50 }) });
  });

  test.each([
    ["--generate", "many"],
    ["--arrivals", "late"],
    ["--over", "6"],
    ["--generate", "5", "--destination", "nowhere"],
    ["--destination", "ftp://x"],
    ["--destination", "http://127.0.0.1/", "ftp://x"],
    ["--index", ""],
    ["--index", "docs", ""],
    ["--generate", "5", "--record-bytes", "99999999"],
  ])("refuses %s %s with exit code 2", async (...args) => {
    const { exitCode, err, state } = await run(...args);
    expect({ exitCode, state }).toEqual({ exitCode: 2, state: undefined });
    expect(err).toMatch(/^(?:error|redriver): /);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test("is stopped while it is still filling, and listens nowhere before it is full", async () => {
    const port = await freePort();
    const stopped = new AbortController();
    const starting = startEmulator({ port, generate: { count: 5_000_000 }, signal: stopped.signal });
    await expect(request(`http://127.0.0.1:${port}/`)).rejects.toThrow("ECONNREFUSED");
    stopped.abort(new Error("stopped"));
    await expect(starting).rejects.toThrow("stopped");
  });
});

/** Runs the command until it has printed where it is and was asked what it has, then stops it. */
async function run(...args: readonly string[]): Promise<{ exitCode: number; err: string; state: unknown }> {
  let state: unknown;
  const { printed, interrupt, ended } = startHere(
    "emulator",
    "--port=0",
    "--control-port=0",
    "--json",
    ...args,
  );
  const text = await printed.catch(() => null);
  if (text !== null) {
    const { controlUrl } = JSON.parse(text) as { controlUrl: string };
    state = await (await request(`${controlUrl}/_control/state`)).body.json();
    interrupt();
  }
  const { exitCode, err } = await ended;
  return { exitCode, err, state };
}
