import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../../dev/emulator/index.ts";
import { runHere, startHere } from "../../../support/cli.ts";
import { commandsThatAct } from "../../../support/command-table.ts";
import { createFolder } from "../../../support/command.ts";
import { makeHere, startDesk } from "../../../support/desk-stand.ts";
import { createEnv } from "../../../support/daemon.ts";
import { codeSpans, readDoc, tableRows } from "../../../support/markdown.ts";
import { createReceiver } from "../../../support/receiver.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** Their output is data already. */
const withoutJson = ["run", "rules schema", "completions", "mcp"];
/** It needs the built program: dev/test/e2e/demo/demo.heavy.test.ts. */
const testedElsewhere = ["demo", "plans stop", "plans remove"];

/** Each document or line of an output, and how it is written. */
function readJson(out: string): { readonly form: string; readonly values: readonly unknown[] } {
  try {
    const value: unknown = JSON.parse(out);
    return { form: Array.isArray(value) ? "a list of objects" : "an object", values: [value] };
  } catch {
    const values = out
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const isList = values.every((value) => Array.isArray(value));
    return { form: isList ? "a list of objects per line" : "an object per line", values };
  }
}

async function setUp() {
  const receiver = await createReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = () => 503;
  const emulator = await startEmulator({
    retryScale: 0,
    indexes: ["catalog-id"],
    statsCredentials: { username: "index-user", password: "index-password" },
  });
  onTestFinished(() => emulator.close());
  const archive = createFolder();
  const document = `
version: 1
archive: { dir: ${archive.path} }
sources: { default: {} }
drains:
  orders:
    mode: live
    minAge: 1s
    lane: { canary: 2, watch: 2s, probeEvery: 1h }
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: gone, when: { responseStatus: 410 }, then: drop }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
    tests:
      - { name: gone, given: { responseStatus: 410 }, expect: { then: drop } }
indexes:
  catalog: { id: catalog-id, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } } }
notify:
  hook: { url: "${receiver.url}/notices", form: events, allowPrivate: true }
`;
  const { env, folder } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document,
    env: {
      INDEX_USER: "index-user",
      INDEX_PASSWORD: "index-password",
      REDRIVER_STATISTICS_URL: emulator.url,
    },
  });
  const at = Date.now() - 3_600_000;
  const [parked = ""] = emulator.dlq.seed(
    [422, 422, 410, 503, 503, 503, 503].map((responseStatus, index) => ({
      dlqId: `${at + index}-0`,
      createdAt: at,
      url: `${receiver.url}/hook`,
      responseStatus,
      maxRetries: 0,
    })),
  );
  const run = (...argv: readonly string[]) => runHere(argv, env);
  const rows = async (...argv: readonly string[]) => readJson((await run(...argv, "--json")).out).values;
  return { emulator, receiver, run, rows, env, parked, folder, document };
}

it("has a version in every object that --json of any command prints, in the form that docs/commands.md says", async () => {
  const stand = await setUp();
  const { run, rows, parked, folder, document, env } = stand;
  const host = new URL(stand.receiver.url).host;
  const why = ["--reason", "a test", "--by", "ann"];
  const plan = `${folder.path}/plan.ndjson`;
  const other = folder.write("other.yaml", document);

  const outputs = new Map<string, string>();
  const ask = async (name: string, ...argv: readonly string[]): Promise<void> => {
    const { out, err, exitCode } = await run(...name.split(" "), ...argv, "--json");
    expect(out, `${name}: ${exitCode} ${err}`).not.toBe("");
    outputs.set(name, out);
  };
  /** Until it has printed twice. */
  const watch = async (name: string): Promise<void> => {
    let interrupt: (() => void) | undefined;
    let printed = 0;
    const { out } = await runHere([...name.split(" "), "--json"], env, {
      onListening: (stop) => (interrupt = stop),
      onOut: () => {
        printed += 1;
        if (printed === 2) interrupt?.();
      },
    });
    outputs.set(name, out);
  };

  await run("plan", "--all", "--out", plan);
  await ask("plan", "--all");
  await ask("plan --records", "--all");
  const replica = await startDesk({ env, document });
  const made = await makeHere(replica);
  await ask("plans list");
  await ask("plans show", made);
  await ask("apply", plan, ...why);
  await stand.emulator.idle();
  await ask("drain", "--all", "--yes");
  await stand.emulator.idle();
  await ask("doctor");
  await ask("status");
  await watch("status --watch");
  await ask("lanes list");
  await ask("lanes reset", host, ...why);
  await ask("lanes probe", host, ...why);
  await ask("brake", host, ...why);
  await ask("resume", "--host", host, ...why);
  await ask("pause", "orders", ...why);
  await ask("resume", "orders", ...why);
  await ask("parked list");
  await ask("parked summary");
  await ask("parked show", parked);
  await ask("content", parked, ...why);
  await ask("parked release", parked, ...why, "--yes");
  await ask("failures list", "--all");
  const [kind] = (await rows("failures", "list", "--all")) as readonly { readonly id: string }[];
  const id = kind?.id ?? "";
  await ask("failures show", id);
  await ask("failures note", id, "--text", "known");
  await ask("failures acknowledge", id);
  await ask("failures quiet", id, "--until", "1h");
  await ask("history");
  await ask("history --summary");
  await ask("report");
  await ask("rules check");
  await ask(`rules check ${other} ${other}`);
  await ask("rules test");
  await ask("rules explain", parked);
  await ask("config check");
  await ask("config show");
  await ask("archive list");
  await ask("archive show");
  await ask("index stats");
  await watch("index stats --watch");
  await ask("notify test", "hook");
  const emulator = startHere("emulator", "--port", "0", "--control-port", "0", "--json");
  outputs.set("emulator", await emulator.printed);
  emulator.interrupt();
  await emulator.ended;

  const forms = new Map(
    tableRows(readDoc("docs/commands.md"), ["command", "prints"]).flatMap(([commands = "", form = ""]) =>
      commands.split(", ").map((command) => [toDocumented(command), form] as const),
    ),
  );
  const found = [...outputs].map(([name, out]) => [
    name.replace(/^(rules check) .*/, "$1 of several files"),
    readJson(out),
  ]) as readonly (readonly [string, ReturnType<typeof readJson>])[];
  for (const [name, { form, values }] of found) {
    // One line alone may be of either kind.
    const written = form === "an object" && forms.get(name) === "an object per line" ? forms.get(name) : form;
    expect(written, name).toBe(forms.get(name));
    const objects = values.flat() as readonly object[];
    expect(objects.length, name).toBeGreaterThan(0);
    for (const object of objects) expect(Object.entries(object)[0], name).toEqual(["v", 1]);
  }

  const all = await commandsThatAct();
  const [offering, others] = [true, false].map((has) =>
    all.filter(({ hasJson }) => hasJson === has).map(({ name }) => name),
  ) as [string[], string[]];
  expect(others.toSorted()).toEqual(withoutJson.toSorted());
  expect(offering.filter((name) => !outputs.has(name) && !testedElsewhere.includes(name))).toEqual([]);
  expect(offering.filter((name) => !forms.has(name))).toEqual([]);
});

function toDocumented(command: string): string {
  const [span = ""] = codeSpans(command);
  return command.replace(`\`${span}\``, span);
}

it("prints nothing on stdout if a command fails before it has a result", async () => {
  const folder = createFolder({ "drains.yaml": "version: 2\n" });
  for (const command of ["status", "config check", "plan --all"]) {
    const argv = [...command.split(" "), "--json", "--drains", `${folder.path}/drains.yaml`];
    const { out, exitCode, err } = await runHere(argv, {});
    expect({ out, exitCode }, command).toEqual({ out: "", exitCode: 78 });
    expect(err).not.toBe("");
  }
});
