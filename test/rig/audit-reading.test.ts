import { expect, it } from "vitest";
import { createRedisAudit } from "../../src/job/store/audit/redis-audit.ts";
import type { DrainName, SourceId } from "../../src/job/contracts/ids.ts";
import { useRedis } from "../support/redis.ts";
import { createAuditReading, createDeclarations, lossReason } from "./declarations.ts";

const redis = useRedis();
const sourceId = "default";

it("reads what redriver declares as redriver writes it, each entry once, at Redis's time", async () => {
  const connection = redis.fresh();
  const source = sourceId as SourceId;
  const audit = createRedisAudit(connection, source, { keepMs: 60_000, maxBytes: 1_000_000 });
  const declarations = createDeclarations(() => 0);
  const readAudit = createAuditReading(declarations, sourceId);
  const common = { act: "republish", by: "test", source, drain: "main" as DrainName } as const;
  const before = Date.now();
  await audit.append([
    {
      ...common,
      records: [
        { dlqId: "1-0", rule: "outage", reason: lossReason, attempt: 1 },
        { dlqId: "2-0", rule: "outage", reason: "reconcile", notes: ["unknown-outcome-past-window"] },
        { dlqId: "3-0", rule: "outage", reason: "due" },
      ],
    },
  ]);
  await readAudit(connection);
  await readAudit(connection);
  const [one] = declarations.of("1-0");
  expect(declarations.of("1-0").map(({ why }) => why)).toEqual([lossReason]);
  expect(declarations.of("2-0").map(({ why }) => why)).toEqual(["unknown-outcome-past-window"]);
  expect(declarations.of("3-0")).toEqual([]);
  expect(one?.latest).toBeGreaterThanOrEqual(before - 1);
  expect(one?.latest).toBeLessThanOrEqual(Date.now() + 1);
});
