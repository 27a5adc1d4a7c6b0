import { describe, expect, it } from "vitest";
import { startConsole, toText, type ConsoleHere } from "../../support/console-forms.ts";
import { readArchive } from "../../support/archives.ts";
import { createFolder } from "../../support/command.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../support/plan-stand.ts";
import { useRedis } from "../../support/redis.ts";
import { freePort } from "../../support/redis-servers.ts";

const redis = useRedis();

const operator = { REDRIVER_CONSOLE_ROLE: "operator" };
const within = { timeout: 20_000, interval: 100 };

async function setUp(env: Readonly<Record<string, string>> = {}): Promise<PlanStand> {
  return createPlanStand(redis.url(), { env: { ...operator, ...env } });
}

async function waitForText(here: ConsoleHere, path: string, text: string): Promise<void> {
  await expect.poll(async () => toText((await here.get(path)).text), within).toContain(text);
}

async function expectDelivered({ emulator, receiver }: PlanStand, count: number): Promise<void> {
  await emulator.idle();
  expect(receiver.counts().size).toBe(count);
  expect(receiver.deliveries).toHaveLength(count);
}

describe("plans in the console", () => {
  it("are made, shown by another replica, applied there, and deliver each message once", async () => {
    const stand = await setUp();
    stand.seed(230, { header: { Authorization: ["Bearer of-a-header"] } });
    stand.seed(4, { responseStatus: 422 });
    stand.seed(3, { responseStatus: 404 });
    const [one, two] = [await startConsole(stand.env), await startConsole(stand.env)];
    const made = await one.act("/plans?rule=outage", "plan-keep", { by: "ada" });
    expect(made.path).toMatch(/^\/plans\/[\w-]+$/);
    expect(toText(made.text)).toMatch(/plan \S+ is being made; nothing is changed by it/);
    await waitForText(two, made.path, "The plan is ready");

    const shown = await two.get(made.path);
    const text = toText(shown.text);
    expect(text).toContain("orders, rule outage");
    expect(text).toContain("by ada (console)");
    expect(text).toContain("230 records, 230 to act on");
    expect(text).toContain("7 left out by the plan's filter");
    expect(text).toMatch(/destination due now due later lane, when made 127\.0\.0\.1:\d+ 230 0 /);
    expect(text).toMatch(/230 503 upstream is not there: 127\.0\.0\.1:\d+ republish 230/);
    expect(text).toContain("Apply to 230 messages");
    const file = (await two.get(`${made.path}/file`)).text;
    for (const content of ["order 1<", "of-a-header"]) expect(shown.text + file).not.toContain(content);
    expect(text).toContain(/"sha256":"([0-9a-f]{64})"/.exec(file)?.[1] ?? "none");
    expect(stand.emulator.journal.counts().accepted).toBe(0);
    // One replica shows what the other shows.
    const [part = "none"] = /Plan of orders.*You \(/s.exec(text) ?? [];
    expect(toText((await one.get(made.path)).text)).toContain(part);

    const applied = await two.act(made.path, "apply", { by: "bob", reason: "the receiver is up again" });
    expect(toText(applied.text)).toMatch(/plan \S+ is being applied: 230 messages/);
    await waitForText(one, made.path, "The plan is applied.");
    const ended = toText((await one.get(made.path)).text);
    expect(ended).toContain("By bob (console): the receiver is up again.");
    await expectDelivered(stand, 230);

    // Nothing is left, so no form offers it once more.
    await waitForText(one, made.path, "Apply to 230 messages: all of it is done or skipped");
    await expectDelivered(stand, 230);
    const list = toText((await one.get("/plans")).text);
    expect(list).toContain("ada (console) orders, rule outage applied 230 230 230");
    const removed = await one.act(made.path, "plans-remove", { by: "bob", reason: "INC-7" });
    expect(removed.path).toBe("/plans");
    expect((await two.get(made.path)).status).toBe(404);
    expect(toText((await two.get("/plans")).text)).toContain("There is no plan.");
  });

  it("discard a kind from its page, without a script: archived first, with a reason, and told so", async () => {
    const { path: dir } = createFolder();
    const archive = `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`;
    const document = outageDocument.replace(
      "mode: plan",
      "mode: plan\n    schedule: { every: 500ms, full: 1s }",
    );
    const stand = await createPlanStand(redis.url(), { env: operator, document });
    const ids = stand.seed(12);
    stand.seed(3, { responseStatus: 404 });
    const here = await startConsole(stand.env);
    const kind = async () =>
      /href="(\/failures\/[0-9a-f]{10}[^"]*)"(?:(?!<\/tr>).)*503/s.exec(
        (await here.get("/failures")).text,
      )?.[1];
    await expect.poll(kind, within).toBeDefined();
    const page = ((await kind()) ?? "").replaceAll("&amp;", "&");
    await waitForText(here, page, "12 waiting");
    await waitForText(
      here,
      page,
      "Plan to discard these 12: they are archived first, and the document has no archive",
    );
    stand.document(document + archive);
    await waitForText(here, page, "Plan to discard these 12 Lists the queue");

    const { path } = await here.act(page, "plan-keep", { by: "ada", discard: "true" });
    await waitForText(here, path, "The plan is ready");
    const shown = toText((await here.get(path)).text);
    expect(shown).toMatch(/orders, to discard, failure [0-9a-f]{10}/);
    expect(shown).toContain(
      `All 12 are archived in ${dir} first, then deleted from the queue: nothing of it is sent again.`,
    );
    expect(shown).toContain("3 left out by the plan's filter");
    expect(shown).toMatch(/503 upstream is not there: \S+ drop 12/);
    expect(shown).toContain("Discard 12 messages");
    const without = await here.act(path, "apply", { by: "bob", reason: "" });
    expect([without.status, toText(without.text)]).toEqual([400, expect.stringContaining("reason")]);
    await here.act(path, "apply", { by: "bob", reason: "INC-7" });
    await waitForText(here, path, `orders: 12 discarded; archived in ${dir}.`);
    const ended = await here.get(path);
    expect(ended.text).toMatch(/class="verdict good" role="status">orders: /);
    expect((await readArchive(dir)).ids.toSorted()).toEqual([...ids].toSorted());
    expect(stand.emulator.dlq.size).toBe(3);
    expect(stand.emulator.journal.counts().accepted).toBe(0);
    await waitForText(here, page, "0 waiting");
    expect(toText((await here.get("/history")).text)).toContain(`plan ${path.slice(7)}: INC-7`);
  });

  it("end with what became of what they sent: in red if it came back, by callbacks if it was delivered", async () => {
    const lanes = outageDocument
      .replace("lane: none", "lane: { canary: 5, watch: 10m, haltAt: 20%, probeEvery: 15m }")
      // What is sent again has no URL Group to select by.
      .replace("    select: { topicName: orders }\n", "")
      .replace("mode: plan", "mode: plan\n    schedule: { every: 500ms, full: 1s }");
    const port = await freePort();
    const env = { ...operator, REDRIVER_CALLBACK_HOST: "127.0.0.1", REDRIVER_CALLBACK_PORT: String(port) };
    const stand = await createPlanStand(redis.url(), { document: lanes, env });
    const keys = createFolder({ key: stand.emulator.signingKeys.current });
    const callbacks = `callbacks: { url: "http://127.0.0.1:${port}/callbacks", keys: [{ file: ${keys.path}/key }] }`;
    stand.document(lanes.replace("default: {}", `default: { ${callbacks} }`));
    stand.seed(5);
    const here = await startConsole(stand.env);
    const apply = async (words: string): Promise<string> => {
      const { path } = await here.act("/plans", "plan-keep", { by: "ada" });
      await waitForText(here, path, "The plan is ready");
      await here.act(path, "apply", { by: "ada", reason: "try five" });
      await waitForText(here, path, words);
      await waitForText(here, path, "The plan is applied.");
      return path;
    };
    // The watch is longer than the test may take.
    await apply("orders: 5 sent, 5 delivered.");

    stand.receiver.answer = () => 503;
    stand.seed(5);
    const { host } = new URL(stand.receiver.url);
    const path = await apply("orders: 5 sent, 5 came back: 503, the receiver was still down at ");
    expect((await here.get(path)).text).toMatch(/<p class="verdict bad"[^>]*>The plan is applied/);
    // The kind under which they came back has a page as soon as a pass has met it.
    const back = /They came back as <a href="(\/failures\/[0-9a-f]{10})"><bdi>503.*?<\/a> \(5\)\./;
    await expect.poll(async () => back.test((await here.get(path)).text), within).toBe(true);
    const kind = back.exec((await here.get(path)).text)?.[1] ?? "";
    expect((await here.get(kind)).status).toBe(200);
    const { out } = await stand.run(["plans", "show", path.slice("/plans/".length), "--json"]);
    const destination = `http://${host}`;
    expect(JSON.parse(out)).toMatchObject({
      plan: {
        apply: {
          drains: [
            { failedAgain: 5, verdict: { isBad: true, failures: [{ destination, status: 503, count: 5 }] } },
          ],
        },
      },
    });
    const shown = await stand.run(["plans", "show", path.slice("/plans/".length)]);
    expect(shown.out).toContain("5 of 5 done, 5 sent, 5 came back: 503, the receiver was still down at ");
    // History and the report say the same in the row of the apply, and where its plan is.
    const history = (await here.get("/history?act=apply")).text;
    expect(history).toContain(`href="${path}"`);
    expect(history).toContain(`They came back as <a href="${kind}"`);
    expect(toText(history)).toMatch(
      /due, 5 ordered its plan They came back as 503.* \(5\) ?\. 5 sent, 5 came back: 503, the receiver was still down at \S+ UTC; plan \S+: try five/,
    );
    expect((await stand.run(["report"])).out).toMatch(
      /\| apply \|.*\| due \|.*\| 5 ordered \| 5 sent, 5 delivered; plan \S+: try five \|/,
    );
  });

  it("begin with what the address names, and refuse what cannot be meant", async () => {
    const stand = await setUp();
    stand.seed(1);
    const here = await startConsole(stand.env);
    const { text } = await here.get(
      "/plans?drain=orders&rule=broken&failure=0123456789&host=*.example.com&limit=20",
    );
    expect(text).toContain('<option value="broken" selected');
    expect(text).toMatch(/<summary>Make a plan.*id="plans-list"/s);
    // Who comes for nothing of it sees the list first.
    const bare = (await here.get("/plans")).text;
    expect(bare).toMatch(/id="plans-list".*<details class="act ?" data-fold="[^"]*"><summary>Make a plan/s);
    // The page is about it, so nobody has to open it first.
    expect(text).toMatch(/<details class="act ?" open(="")?[^>]*><summary>Make a plan/);
    expect(toText(text)).toContain("also those that it holds, parks or drops");
    expect(toText(text)).toContain(
      "redriver plan --keep orders --rule broken --host '*.example.com' --failure 0123456789 --limit 20",
    );
    expect((await here.get("/plans/unknown")).status).toBe(404);
    expect((await here.get("/plans/unknown/file")).status).toBe(404);
    const markup = await here.get("/plans?host=%3Cscript%3Ealert(1)%3C/script%3E");
    expect(markup.text).not.toContain("<script>alert");
  });
});
