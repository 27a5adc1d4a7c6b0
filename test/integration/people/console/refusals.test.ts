import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { createConsoleStand } from "../../../support/console-stand.ts";
import { atOnce } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

it("the API does nothing for a viewer who acts", async () => {
  const rig = { redisUrl: redis.url(), drain: atOnce };
  const { url, audit } = await createConsoleStand(rig, { "console.role": "viewer" });
  const acted = await fetch(`${url}/api/v1/pauses`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ drains: ["main"], reason: "wait", by: "ann" }),
  });
  const message = "this needs the role operator; yours is viewer";
  expect([acted.status, await acted.json()]).toEqual([403, { error: { code: "not-allowed", message } }]);
  expect(await audit()).toEqual([]);
});

it("the API takes no name of who acts that cannot be seen whole", async () => {
  const rig = { redisUrl: redis.url(), drain: atOnce };
  const { url, audit } = await createConsoleStand(rig, { "console.role": "operator" });
  const acted = await fetch(`${url}/api/v1/pauses`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ drains: ["main"], reason: "wait", by: "ann\n\u202e." }),
  });
  const message = "the body: by: expected a name of at most 100 visible characters";
  expect([acted.status, await acted.json()]).toEqual([400, { error: { code: "request-invalid", message } }]);
  expect(await audit()).toEqual([]);
});

it.each([
  ["/api/v1/pauses", "application/json"],
  ["/acts/pause", "application/x-www-form-urlencoded"],
])("who leaves in the middle of a body to %s is no defect, and nothing is done", async (path, type) => {
  const rig = { redisUrl: redis.url(), drain: atOnce };
  const { port, get, audit, defects } = await createConsoleStand(rig, { "console.role": "operator" });
  const half = connect(port, "127.0.0.1");
  half.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 50\r\n\r\n{"drains"`,
  );
  // Its head is read: what was asked behind it is answered.
  expect((await get("/api/v1/status")).status).toBe(200);
  half.destroy();
  await once(half, "close");
  await expect.poll(() => get("/api/v1/status").then(({ status }) => status)).toBe(200);
  expect([defects, await audit()]).toEqual([[], []]);
});
