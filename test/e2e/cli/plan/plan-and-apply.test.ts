import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { start } from "../../../support/command.ts";
import { createPlanStand } from "../../../support/plan-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

it("freezes 2,000 records in a file, and applies exactly these", async () => {
  const stand = await createPlanStand(redis.url());
  stand.seed(2_000);
  const planned = await start(["plan", "orders", "--json", "--out", stand.file], stand.env).ended;
  expect({ exitCode: planned.exitCode, err: planned.err }).toMatchObject({
    exitCode: 0,
    err: expect.stringContaining("2000 records written to"),
  });
  expect(readFileSync(stand.file, "utf8").trimEnd().split("\n")).toHaveLength(2_002);
  stand.seed(10, { body: "came later" });

  const who = ["--reason", "the receiver is up again", "--by", "ada"];
  const applied = await start(["apply", stand.file, ...who, "--json"], stand.env).ended;
  expect({ exitCode: applied.exitCode, err: applied.err }).toMatchObject({ exitCode: 0 });
  await stand.emulator.idle();
  expect(stand.receiver.deliveries).toHaveLength(2_000);
  expect(stand.receiver.counts().get("came later")).toBeUndefined();
  expect(stand.emulator.dlq.size).toBe(10);
});
