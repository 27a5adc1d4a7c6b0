import { expect, it } from "vitest";
import { startConsoleDaemon, type ConsoleDaemon } from "../../support/console-daemon.ts";
import { toText } from "../../support/console-forms.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();

/** Its passes are an hour apart, so that nobody but the pages asks the service, and in plan mode, so that its records stay. */
const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: plan
    lane: none
    schedule: { every: 1h }
    minAge: 1s
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish, set: { headers: { X-Redriven: "yes" } } }
`;

async function setUp(): Promise<ConsoleDaemon> {
  return startConsoleDaemon(redis.url(), document);
}

/** The daemon's own first reads are over. */
async function quiet(stand: ConsoleDaemon): Promise<number> {
  let before = -1;
  await expect
    .poll(
      () => {
        const now = stand.lists();
        const isSame = now === before && now > 0;
        before = now;
        return isSame;
      },
      { interval: 1_500 },
    )
    .toBe(true);
  return before;
}

it("the page of a dead letter asks the service once, and shows nothing of its content", async () => {
  const stand = await setUp();
  const [id = ""] = stand.seed(1, { responseStatus: 503, responseBody: "of-an-answer" });
  const path = `/messages/default/${id}`;
  const before = await quiet(stand);
  const html = await stand.page(path, "admin");
  expect(stand.lists() - before).toBe(1);
  for (const content of ["of-a-body", "of-a-header", "of-a-query"]) expect(html).not.toContain(content);
  const text = toText(html);
  expect(text).toContain("X-Redriven");
  expect(text).toContain("What is lost");
  expect(text).toContain("attempts none");
  expect(html).toContain('<a href="/rules#12"><bdi>outage</bdi></a>');
  // Nobody knows it: not the queue, the ledger or the audit.
  expect((await stand.get("/messages/default/1700000000000-0")).status).toBe(404);
  expect(stand.lists() - before).toBe(2);
  expect((await stand.get(`/messages/other/${id}`)).status).toBe(404);
  expect((await stand.get("/messages/default/none")).status).toBe(404);
  expect(stand.lists() - before).toBe(2);
});

it("a release is offered for what could be sent, and not for what would only be parked again", async () => {
  const live = document.replace("mode: plan", "mode: live").replace("every: 1h", "every: 2s");
  const stand = await startConsoleDaemon(redis.url(), live);
  const [binary = ""] = stand.seed(1, { responseStatus: 503, body: "", bodyBase64: "/w==" });
  const [broken = ""] = stand.seed(1, { responseStatus: 422 });
  const pageOf = (id: string): Promise<string> => stand.page(`/messages/default/${id}`, "operator");
  for (const id of [binary, broken]) {
    await expect.poll(async () => toText(await pageOf(id)), { timeout: 30_000 }).toContain("ledger parked");
  }
  expect(
    await stand.submit(`/messages/default/${binary}`, "release-parked", { reason: "a try" }, "operator"),
  ).toBeNull();
  expect(toText(await pageOf(binary))).toContain(
    "it would be parked again (binary-body): add a rule `via: service` first",
  );
  expect(await pageOf(broken)).toContain('action="/acts/parked-release"');
  // An act about a record that nobody knows is not found either.
  const unknown = { dlqId: "1700000000000-0", source: "default", reason: "a look" };
  const answer = await stand.api("/content", unknown, "admin");
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: "not-found" } }]);
});

it("content is shown to an admin alone, after the audit has who and why, by no address, and as text alone", async () => {
  const stand = await setUp();
  const evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'\u202Eevil\u0007";
  const [id = ""] = stand.seed(1, {
    responseStatus: 503,
    body: `of-a-body ${evil}${"x".repeat(5_000_000)}`,
    responseBody: evil,
    label: evil,
    callerIP: evil,
    topicName: evil,
    header: { Authorization: ["Bearer of-a-header"], "X-Evil": [evil] },
    responseHeader: { "<b>bold": [evil] },
    url: `${stand.receiver.url}/<svg/onload=alert(3)>?token=of-a-query`,
  });
  const path = `/messages/default/${id}`;
  expect(await stand.submit(path, "content", { reason: "a look" }, "operator")).toBeNull();
  expect(await stand.page(path, "operator")).toContain(
    `needs the role admin; yours is operator. <a href="/sign-in?back=${encodeURIComponent(path)}">`,
  );
  const values = { source: "default", dlqId: id, reason: "a look" };
  expect((await stand.post("content", values, "operator")).status).toBe(403);
  expect((await stand.post("content", values, "admin")).status).toBe(403);
  expect((await stand.submit(path, "content", {}, "admin"))?.status).toBe(400);
  expect(await stand.page("/history?act=show-content")).toContain("Nothing was done that fits.");

  const shown = await stand.submit(path, "content", { reason: `a customer asks ${evil}` }, "admin");
  expect(shown?.status).toBe(200);
  expect(shown?.headers.get("cache-control")).toBe("no-store");
  expect(shown?.url).toBe(`${stand.address}/acts/content`);
  const content = (await shown?.text()) ?? "";
  for (const text of ["of-a-body", "of-a-header", "of-a-query"]) expect(content).toContain(text);
  expect((await stand.get("/acts/content", "admin")).status).toBe(404);
  // A line of 5 MB is cut.
  expect(content.length).toBeLessThan(500_000);
  expect(toText(content)).toMatch(/The first 65,536 of 5,000,0\d\d characters/);

  const history = await stand.page("/history?act=show-content");
  expect(toText(history)).toContain("a customer asks");
  expect(toText(history)).toContain("admin-person (console)");
  expect(toText(history)).toContain(id);
  const masked = await stand.page(path);
  for (const html of [masked, content, history]) {
    expect(html).not.toMatch(/<script>alert|<img|<svg\/|<b>bold/);
    expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    expect(html).not.toContain("\u0007");
    expect(toText(html)).toContain("\\u{202e}evil");
  }
  expect(masked).toContain("&lt;script&gt;alert(1)");
});
