import { describe, expect, it } from "vitest";
import { cameBackFrom, whyUnselected } from "../../../../../src/people/operations/records/why-unselected.ts";
import { nextLineage } from "../../../../../src/job/message/lineage.ts";
import { letterOf, rawRecord, writeLineage } from "../../../../support/letters.ts";

describe("why a drain does not select a record", () => {
  it.each([
    [{ topicName: ["orders"] }, {}, "topicName is nothing", "orders"],
    [{ responseStatus: [502, 503] }, { responseStatus: 500 }, "responseStatus is 500", "502 or 503"],
    [{ flowControlKey: ["a"] }, { flowControlKey: "b" }, "flowControlKey is b", "a"],
    [{ label: ["a"] }, { labels: ["b", "c"] }, "label is b, c", "a"],
    [{ callerIp: ["10.0.0.1"] }, { callerIP: "10.0.0.2" }, "callerIp is 10.0.0.2", "10.0.0.1"],
    [
      { url: ["https://a/?k=s3cret"] },
      { url: "https://b/?k=s3cret" },
      "url is https://b/?k=***",
      "https://a/?k=***",
    ],
    [{ queueName: "123456".split("") }, {}, "queueName is nothing", "1 or 2 or 3 or 4 or 5, … (6 in all)"],
  ])("%j of %j", (select, fields, is, asked) => {
    expect(whyUnselected({ select }, rawRecord(fields))).toEqual([`its ${is}, select asks for ${asked}`]);
  });

  it("is nothing of one that it selects", () => {
    expect(whyUnselected({ select: { topicName: ["a"] } }, rawRecord({ topicName: "a" }))).toEqual([]);
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
