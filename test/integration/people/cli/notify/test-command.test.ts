import { expect, it, onTestFinished } from "vitest";
import { runHere as ask } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";
import { createReceiver } from "../../../../support/receiver.ts";

/** A receiver under `oncall`, by an address that is a secret, and a way to ask about it. */
async function createStand(allowPrivate = true) {
  const receiver = await createReceiver();
  onTestFinished(() => receiver.close());
  const folder = createFolder({
    "drains.yaml": `
version: 1
sources: { default: {} }
drains: { all: { rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }] } }
notify:
  oncall: { url: { env: HOOK }, form: slack, allowPrivate: ${String(allowPrivate)} }
`,
  });
  const env = {
    REDRIVER_SERVICE_URL: "http://127.0.0.1:1",
    REDRIVER_SERVICE_TOKEN: "token",
    REDRIVER_REDIS_URL: "redis://127.0.0.1:1",
    REDRIVER_DRAINS_FILE: `${folder.path}/drains.yaml`,
  };
  const hook = { HOOK: `${receiver.url}/s3cr3t` };
  return {
    receiver,
    notifyTest: (name: string, given: Record<string, string> = hook, ...more: string[]) =>
      ask(["notify", "test", name, ...more], { ...env, ...given }),
    show: () => ask(["config", "show"], { ...env, ...hook }),
  };
}

it("sends a message without Redis, and prints what the target answered", async () => {
  const { receiver, notifyTest } = await createStand();
  receiver.answer = () => ({ status: 200, body: "ok\u001b[31m\n" });
  expect(await notifyTest("oncall")).toMatchObject({
    exitCode: 0,
    out: "oncall took a test message, 200: ok [31m\n",
    err: "",
  });
  expect(receiver.deliveries[0]?.path).toBe("/s3cr3t");
  expect(receiver.deliveries[0]?.body).toContain('"text":"a test of redriver: this target works"');
});

it("ends with 1 if the target refused, also as JSON", async () => {
  const { receiver, notifyTest } = await createStand();
  receiver.answer = () => ({ status: 404, body: "no_team" });
  expect(await notifyTest("oncall")).toMatchObject({
    exitCode: 1,
    out: "oncall refused a test message, 404: no_team\n",
    err: "",
  });
  const { exitCode, out } = await notifyTest("oncall", undefined, "--json");
  expect(exitCode).toBe(1);
  expect(JSON.parse(out)).toEqual({
    v: 1,
    target: "oncall",
    taken: false,
    status: 404,
    body: "no_team",
    retryAt: null,
  });
});

it.each([
  ["oncal", {}, true, 2, /: unknown target "oncal"; did you mean "oncall"\? expected oncall\n$/],
  [
    "oncall",
    {},
    true,
    1,
    /: notify\.oncall\.url: environment variable HOOK: expected a secret, got nothing\n$/,
  ],
  ["oncall", { HOOK: "http://127.0.0.1:1/s3cr3t" }, true, 1, /the connection failed \(ECONNREFUSED\)\n$/],
  [
    "oncall",
    { HOOK: "http://127.0.0.1:1/s3cr3t" },
    false,
    1,
    /its url is a private address; allowPrivate: true/,
  ],
  ["oncall", { HOOK: "s3cr3t" }, true, 1, /its url is no http\(s\) address\n$/],
] as const)(
  "of %s with %j says what is wrong, and never the address",
  async (name, env, allow, code, text) => {
    const { notifyTest } = await createStand(allow);
    const answer = await notifyTest(name, env);
    expect(answer).toMatchObject({ exitCode: code, out: "" });
    expect(answer.err).toMatch(text);
    expect(answer.err).not.toContain("s3cr3t");
  },
);

it("config show has the place of the address alone", async () => {
  const { show } = await createStand();
  const { exitCode, out } = await show();
  expect(exitCode).toBe(0);
  expect(out).toMatch(/ {2}oncall:\n[^]* {4}url:\n {6}env: HOOK\n/);
  expect(out).not.toContain("s3cr3t");
});
