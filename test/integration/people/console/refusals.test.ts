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
