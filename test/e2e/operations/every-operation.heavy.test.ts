/** Every operation on every face and by every role: it does the same, and the audit has who and why. */
import { describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import { fieldsOf, kindOf, type Operation, type Texts } from "../../../src/people/operations/define.ts";
import { personActs } from "../../../src/job/contracts/audit.ts";
import { nameOf } from "../../../src/people/operations/load-operations.ts";
import { operations } from "../../../src/people/operations/operations.ts";
import { toFlag, toOperationLine } from "../../../src/people/operations/command-line.ts";
import { linesOf, runHere } from "../../support/cli.ts";
import { startConsoleDaemon, toBody, type ConsoleDaemon, type Role } from "../../support/console-daemon.ts";
import { formTokenOf, toText } from "../../support/console-stand.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const within = { timeout: 60_000, interval: 100 };

const document = `
version: 1
sources: { default: {} }
defaults:
  schedule: { every: 500ms, full: 1s }
  minAge: 1s
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
drains:
  copies:
    mode: plan
    lane: none
    select: { topicName: copies }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
  orders:
    mode: live
    select: { topicName: orders }
    lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 1h }
    attempts: { max: 9, wait: [1s] }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

const roles: readonly Role[] = ["viewer", "operator", "admin"];

/** A daemon with one parked dead letter, and a destination whose lane is halted. */
async function setUp() {
  const stand = await startConsoleDaemon(redis.url(), document);
  stand.receiver.answer = () => 503;
  stand.seed(12, { responseStatus: 503, topicName: "orders" });
  const [parked = ""] = stand.seed(1, { topicName: "orders" });
  const parkedIds = async () =>
    (await json(stand, "/parked"))["parked"]?.map((one) => (one as { dlqId: string }).dlqId);
  await expect.poll(parkedIds, within).toContain(parked);
  await expect
    .poll(async () => (await json(stand, "/lanes"))["lanes"], within)
    .toMatchObject([{ state: "halted" }]);
  const [lane] = ((await json(stand, "/lanes"))["lanes"] ?? []) as { origin: string }[];
  const [failure] = ((await json(stand, "/failures?all=true"))["failures"] ?? []) as { id: string }[];
  return { ...stand, parkedIds, known: { id: failure?.id, host: lane?.origin, dlqId: parked } };
}

type Stand = Awaited<ReturnType<typeof setUp>>;

/** What has to be there before an act can be done once more. */
async function toValues(operation: Operation, stand: Stand): Promise<Texts> {
  const { example, words } = operation;
  const known = Object.fromEntries(Object.entries(stand.known).filter(([name]) => name in example));
  if (words === "resume") await runHere(["pause", "orders", "--reason", "to resume it"], stand.env);
  if (words === "parked release") {
    const [dlqIds = ""] = stand.seed(1, { topicName: "orders" });
    await vi.waitUntil(async () => (await stand.parkedIds())?.includes(dlqIds), within);
    return { dlqIds, reason: example["reason"] };
  }
  if (words.startsWith("plan")) await plansEnded(stand);
  if (words.startsWith("plans ")) return { ...example, id: await makePlan(stand, words) };
  if (words === "apply") {
    stand.seed(1, { responseStatus: 503, topicName: "copies" });
    return { ...example, id: await makePlan(stand, words) };
  }
  return { ...example, ...known };
}

async function plansEnded(stand: Stand): Promise<void> {
  stand.emulator.faults.remove("slow");
  const states = async () => ((await json(stand, "/plans"))["plans"] ?? []) as { state: string }[];
  await expect
    .poll(async () => (await states()).filter(({ state }) => state.endsWith("ing")), within)
    .toEqual([]);
}

/** Whole, or while it is made. */
async function makePlan(stand: Stand, words: string): Promise<string> {
  await plansEnded(stand);
  if (words === "plans stop") {
    stand.emulator.faults.add({ kind: "latency", operation: "list", ms: 5_000, name: "slow" });
  }
  const answer = await stand.api("/plans", { drains: ["copies"] }, "operator");
  const { results } = (await answer.json()) as { results: { id: string }[] };
  if (words !== "plans stop") await plansEnded(stand);
  return results[0]?.id ?? "none";
}

async function json({ get }: Pick<ConsoleDaemon, "get">, path: string): Promise<Record<string, object[]>> {
  return (await (await get(`/api/v1${path}`)).json()) as Record<string, object[]>;
}

interface Tried {
  readonly said: string;
  /** As the audit has it. */
  readonly by: string;
}

type Face = (operation: Operation, values: Texts, stand: Stand) => Promise<Tried>;

const faces: Readonly<Record<string, Face>> = {
  async command(operation, values, { env }) {
    const words = operation.words.split(" ");
    for (const [name, , face] of fieldsOf(operation)) {
      const text = values[name];
      const isSwitch = kindOf(operation.input.shape[name] as z.ZodType) === "boolean";
      if (face.isArgument !== true && text !== undefined) words.push(toFlag(name, face));
      if (!isSwitch && text !== undefined) words.push(text);
    }
    if (operation.reasonOf !== null) words.push("--reason", values["reason"] ?? "");
    if (operation.consentTo !== undefined) words.push("--yes");
    const { exitCode, err, out } = await runHere([...words, "--by", "cli-person", "--json"], env);
    expect({ exitCode, err: exitCode === 0 ? "" : err }).toEqual({ exitCode: 0, err: "" });
    expect([JSON.parse(out)].flat()).toMatchObject([{ v: 1 }]);
    return { said: err, by: "cli-person" };
  },
  async api(operation, values, stand) {
    const path = operation.path.replace(":id", values["id"] ?? "");
    const answers = await byRole(operation, operation.isBegun === true ? 202 : 200, (role) =>
      stand.api(path, toBody(operation, values), role),
    );
    const { done } = (await answers.json()) as { done: string[] };
    return { said: done.join("\n"), by: `${operation.role}-person (api)` };
  },
  async form(operation, values, stand) {
    const name = nameOf(operation);
    const status = operation.isReading === true ? 200 : 303;
    const answer = await byRole(operation, status, async (role) => {
      const formToken = formTokenOf(await stand.page("/", "operator"));
      const own = role === "operator" ? formToken : formTokenOf(await stand.page("/", role));
      const sent = Object.entries({ ...values, formToken: own || formToken });
      return stand.post(
        name,
        Object.fromEntries(sent.flatMap(([key, text]) => (text === undefined ? [] : [[key, text]]))),
        role,
      );
    });
    const cookie = /redriver_said=([^;.]+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? "";
    const said = Buffer.from(cookie, "base64url").toString() || toText(await answer.text());
    return { said, by: `${operation.role}-person (console)` };
  },
};

/** Roles below the operation's are refused, before anything is done. */
async function byRole(
  operation: Operation,
  expected: number,
  ask: (role: Role) => Promise<Response>,
): Promise<Response> {
  for (const role of roles.slice(0, roles.indexOf(operation.role))) {
    expect([role, (await ask(role)).status]).toEqual([role, 403]);
  }
  const answer = await ask(operation.role);
  if (answer.status !== expected) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer;
}

async function auditOf({ env }: ConsoleDaemon): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return linesOf((await runHere(["history", "--json", "--act", personActs.join(",")], env)).out);
}

describe("every operation", () => {
  it("is done by command, API and form alike, by who may, and the audit has it before it is done", async () => {
    const stand = await setUp();
    for (const operation of operations) {
      for (const [name, tryFace] of Object.entries(faces)) {
        const values = await toValues(operation, stand);
        const before = (await auditOf(stand)).length;
        const { said, by } = await tryFace(operation, values, stand);
        const place = `${operation.words} by ${name}`;
        expect({ place, said }).toMatchObject({ said: expect.stringMatching(/\w/) as string });
        const ownActs = async () => {
          const entries = await auditOf(stand);
          return entries.slice(0, entries.length - before).filter((one) => one["by"] === by);
        };
        // What was begun only goes on after the answer.
        await expect.poll(ownActs, within).not.toEqual([]);
        const own = await ownActs();
        expect({ place, said, own }).toMatchObject({ own: [{ by }] });
        // What asks for none explains itself.
        const why = operation.reasonOf === null ? "" : (values["reason"] ?? "none");
        expect({ place, why: own[0]?.["why"] }).toEqual({
          place,
          why: expect.stringContaining(why) as string,
        });
      }
    }
  }, 240_000);

  it("has one command, one path and one form, and help with its example", async () => {
    for (const operation of operations) {
      const words = operation.words.split(" ");
      const { out, exitCode } = await runHere([...words, "--help"], {});
      expect({ words, exitCode }).toEqual({ words, exitCode: 0 });
      expect(out).toContain(toOperationLine(operation, operation.example));
      for (const [name, , face] of fieldsOf(operation)) {
        expect(out).toContain(face.isArgument === true ? face.value : toFlag(name, face));
      }
    }
    const forms = operations.map(nameOf);
    expect(new Set(forms).size).toBe(forms.length);
    expect(new Set(operations.map(({ path }) => path)).size).toBe(forms.length);
  });
});
