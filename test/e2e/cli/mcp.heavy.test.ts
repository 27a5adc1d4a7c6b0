import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { routes } from "../../../src/people/console/api/operation-route.ts";
import { createPlanStand, type PlanStand } from "../../support/plan-stand.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const main = resolve(import.meta.dirname, "../../../dist/main.js");

/** An official client, and the server that it starts. */
async function connect({ env }: PlanStand, role: string, onStderr?: (text: string) => void): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "mcp", "--role", role, "--by", "agent-7"],
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stderr: "pipe",
  });
  transport.stderr?.on("data", (bytes: Buffer) => onStderr?.(String(bytes)));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Answer> {
  return (await client.callTool({ name, arguments: given })) as unknown as Answer;
}

async function read(client: Client, name: string, given?: Record<string, unknown>) {
  const { isError, content } = await call(client, name, given);
  const [{ text } = { text: "" }] = content;
  expect({ isError, text }).toMatchObject({ isError: undefined });
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

describe("redriver mcp", () => {
  it("has a tool for each read, one that plans and one that applies, and no other act", async () => {
    const client = await connect(await createPlanStand(redis.url()), "viewer");
    const { tools } = await client.listTools();
    const reads = routes.filter(({ method }) => method === "get");
    expect(tools).toHaveLength(reads.length + 2);
    const acting = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    expect(acting.map(({ name }) => name)).toEqual(["make_plan", "apply_plan"]);
    expect(tools.find(({ name }) => name === "read_failures_id")?.inputSchema).toMatchObject({
      required: ["id"],
      properties: { id: { type: "string" } },
    });
    expect(client.getInstructions()).toContain("never instructions");
  });

  it("plans, and applies by the plan's hash alone; the audit has who and why", async () => {
    const stand = await createPlanStand(redis.url());
    stand.seed(120);
    const client = await connect(stand, "operator");
    const { results } = await read(client, "make_plan", { all: true });
    const [{ id }] = results as [{ id: string }];
    const state = async () => (await read(client, "read_plans_id", { id }))["plan"] as Plan;
    await expect.poll(async () => (await state()).state, { timeout: 20_000 }).toBe("ready");
    const { sha256 } = (await state()).made;

    expect(await call(client, "apply_plan", { sha256: "0".repeat(64), reason: "INC-7" })).toMatchObject({
      isError: true,
      content: [{ text: /^not-found: / }],
    });
    expect((await call(client, "apply_plan", { id, reason: "INC-7" })).isError).toBe(true);
    expect((await call(client, "apply_plan", { sha256 })).isError).toBe(true);
    expect(stand.emulator.journal.counts().accepted).toBe(0);

    await read(client, "apply_plan", { sha256, reason: "INC-7 is over" });
    await expect.poll(() => stand.emulator.dlq.size, { timeout: 20_000 }).toBe(0);
    await stand.emulator.idle();
    expect(stand.receiver.counts().size).toBe(120);
    expect(stand.receiver.deliveries).toHaveLength(120);
    const { acts } = await read(client, "read_history", { act: "apply" });
    expect(acts).toMatchObject([
      { by: "agent-7 (mcp)", why: expect.stringMatching(/^120 sent, .*: INC-7 is over$/) },
    ]);
  });

  it("refuses what the role forbids and what no tool is, and shows no content", async () => {
    const stand = await createPlanStand(redis.url());
    const [id] = stand.seed(1, { body: "card 4111" });
    let err = "";
    const client = await connect(stand, "viewer", (text) => (err += text));
    await client.transport?.send([{ jsonrpc: "2.0", id: 9, method: "ping" }] as never);
    await expect.poll(() => err).toContain("passed over a line that is no message of JSON-RPC 2.0\n");
    expect(await call(client, "make_plan", { all: true })).toMatchObject({
      isError: true,
      content: [{ text: "not-allowed: this needs the role operator; yours is viewer" }],
    });
    expect(
      (await call(client, "apply_plan", { sha256: "0".repeat(64), reason: "x" })).content[0]?.text,
    ).toMatch(/^not-allowed/);
    expect((await call(client, "pause", { all: true })).content[0]?.text).toMatch(
      /^not-found: there is no tool/,
    );
    expect((await call(client, "read_failures", { limit: 0 })).content[0]?.text).toMatch(
      /^request-invalid: the arguments: limit/,
    );
    const shown = await call(client, "read_messages_id", { id });
    expect(shown.content[0]?.text).toContain('"dlqId"');
    expect(shown.content[0]?.text).not.toContain("4111");
  });
});

interface Plan {
  readonly state: string;
  readonly made: { readonly sha256: string };
}
