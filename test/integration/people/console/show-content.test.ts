import { expect, it } from "vitest";
import { createConsoleStand, formTokenOf, toText } from "../../../support/console-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");

const drain = `
    minAge: 0s
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;

it("content is not shown, nor read, if Redis refuses the audit's entry", async () => {
  const stand = await createConsoleStand({ redisUrl: redis.url(), drain }, { "console.role": "admin" });
  const { core, emulator, page, send } = stand;
  const [id = ""] = stand.seed(1, { responseStatus: 422, body: "of-a-body" });
  const formToken = formTokenOf(await page(`/messages/default/${id}`));
  const order = { formToken, by: "ann", source: "default", dlqId: id, reason: "a customer asks" };
  const ask = async () => {
    const answer = await send("content", order);
    return { status: answer.status, html: toText(await answer.text()) };
  };
  const lists = () => emulator.journal.entries("request").length;
  const before = lists();

  // All else goes on: only the audit writes by this command.
  await core.redis.command("ACL", "SETUSER", "default", "-xadd");
  const refused = await ask();
  expect(refused.status).toBeGreaterThanOrEqual(500);
  expect(refused.html).not.toContain("of-a-body");
  expect(lists()).toBe(before);
  expect((await stand.get("/parked")).status).toBe(200);

  await core.redis.command("ACL", "SETUSER", "default", "+xadd");
  const shown = await ask();
  expect(shown.status).toBe(200);
  expect(shown.html).toContain("of-a-body");
  // As on the page of the dead letter, from which it was asked for.
  expect(shown.html).toMatch(/aria-current="page">Failures</);
  expect(shown.html).toContain("Pause all drains");
  const acts = (await stand.audit()).map(({ act, by, why }) => [act, by, why]);
  expect(acts).toEqual([["show-content", "ann (console)", "a customer asks"]]);

  emulator.faults.add({ kind: "status", operation: "list", status: 401 });
  expect(await ask()).toMatchObject({ status: 303, html: "" });
});
