import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { createConsoleStand } from "../../../support/console-stand.ts";
import { atOnce } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

it.each([
  ["for a viewer", "viewer", "ann", 403, "not-allowed", "this needs the role operator; yours is viewer"],
  [
    "under a name that cannot be seen whole",
    "operator",
    "ann\n\u202e.",
    400,
    "request-invalid",
    "the body: by: expected a name of at most 100 visible characters",
  ],
] as const)("the API does nothing %s", async (_who, role, by, status, code, message) => {
  const rig = { redisUrl: redis.url(), drain: atOnce };
  const { url, audit } = await createConsoleStand(rig, { "console.role": role });
  const acted = await fetch(`${url}/api/v1/pauses`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ drains: ["main"], reason: "wait", by }),
  });
  expect([acted.status, await acted.json()]).toEqual([status, { error: { code, message } }]);
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
