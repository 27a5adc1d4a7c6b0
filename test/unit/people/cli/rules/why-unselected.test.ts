import { describe, expect, it } from "vitest";
import { cameBackFrom, whyUnselected } from "../../../../../src/people/operations/records/why-unselected.ts";
import { nextLineage } from "../../../../../src/job/message/lineage.ts";
import { letterOf, rawRecord, writeLineage } from "../../../../support/letters.ts";

describe("why a drain does not select a record", () => {
  it.each([
    [{ topicName: ["orders"] }, {}, ["its topicName is nothing, select asks for orders"]],
    [
      { responseStatus: [502, 503], topicName: ["a"] },
      { responseStatus: 500, topicName: "a" },
      ["its responseStatus is 500, select asks for 502 or 503"],
    ],
    [{ flowControlKey: ["a"] }, { flowControlKey: "b" }, ["its flowControlKey is b, select asks for a"]],
    [{ label: ["a"] }, { labels: ["b", "c"] }, ["its label is b, c, select asks for a"]],
    [
      { callerIp: ["10.0.0.1"] },
      { callerIP: "10.0.0.2" },
      ["its callerIp is 10.0.0.2, select asks for 10.0.0.1"],
    ],
    [
      { url: ["https://a.example/?k=s3cret"] },
      { url: "https://b.example/?k=s3cret" },
      ["its url is https://b.example/?k=***, select asks for https://a.example/?k=***"],
    ],
    [
      { queueName: ["1", "2", "3", "4", "5", "6"] },
      {},
      ["its queueName is nothing, select asks for 1 or 2 or 3 or 4 or 5, … (6 in all)"],
    ],
    [{ topicName: ["a"] }, { topicName: "a" }, []],
  ])("%j of %j", (select, fields, why) => {
    expect(whyUnselected({ select }, rawRecord(fields))).toEqual(why);
  });

  it("tells a come-back by its signed lineage alone", () => {
    const parent = letterOf({});
    const header = writeLineage(nextLineage(parent, { kind: "none" }, 0), parent.body, "key");
    const raw = rawRecord({ header: { "X-Redriver": [header] } });
    expect(cameBackFrom(raw, ["key"])).toBe(`it came back from ${parent.dlqId} after attempt 1`);
    expect(cameBackFrom(raw, ["another"])).toBeNull();
    for (const sentAs of ["canary", "probe"]) {
      const step = { lane: "l", step: 3, isCanary: true, isProbe: sentAs === "probe" };
      const sent = writeLineage({ ...nextLineage(parent, { kind: "none" }, 0), step }, parent.body, "key");
      expect(cameBackFrom(rawRecord({ header: { "X-Redriver": [sent] } }), ["key"])).toBe(
        `it came back from ${parent.dlqId} after attempt 1, sent as a ${sentAs}`,
      );
    }
    expect(cameBackFrom(rawRecord({}), ["key"])).toBeNull();
  });
});
