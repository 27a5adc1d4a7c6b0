import { expect, it } from "vitest";
import { isRedriverError } from "../../../../src/job/contracts/errors.ts";
import { examine } from "../../../../src/people/operations/doctor/examine.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, never } from "../../../support/rig.ts";

const redis = useRedis();

it("the doctor tells why a service does not answer, although a daemon leaves it alone for now", async () => {
  const settings = { "service.url": "http://127.0.0.1:1" };
  const { core, drain } = await createRig({ redisUrl: redis.url(), settings });
  const list = () =>
    drain.source.service.list({ select: {}, count: 1 }).then(
      () => "listed",
      (error: unknown) => (isRedriverError(error) ? error.code : "another error"),
    );
  await expect.poll(list).toBe("service-resting");
  const found = (await examine(core, never, {})).find(({ subject }) => subject === "source default");
  expect(found).toMatchObject({
    state: "failed",
    message: expect.stringContaining("ECONNREFUSED") as string,
  });
});

it("the doctor tells which indexes cannot be read", async () => {
  const settings = { "statistics.url": "http://127.0.0.1:1" };
  const indexes = `indexes:
  catalog: { id: c, credentials: { user: { env: U }, password: { env: P } } }
  stock: { id: s, credentials: { user: { env: U }, password: { env: U } } }`;
  const { core } = await createRig({ redisUrl: redis.url(), settings, document: `${indexes}\n` });
  const found = await examine(core, never, { U: "ann" });
  expect(found.find(({ subject }) => subject === "index catalog")).toMatchObject({
    state: "warning",
    message: expect.stringMatching(/variable P: .*; guards on it hold/) as string,
  });
  expect(found.find(({ subject }) => subject === "index stock")?.message).toContain("the connection failed");
});
