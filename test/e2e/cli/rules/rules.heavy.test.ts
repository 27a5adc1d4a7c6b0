import { describe, expect, it } from "vitest";
import { createFolder, runToEnd, start } from "../../../support/command.ts";
import { rawRecord } from "../../../support/letters.ts";
import { root } from "../../../support/markdown.ts";
import { wholeDocument } from "../../../support/whole-document.ts";

describe("redriver rules, built", () => {
  it("checks and tests what is shipped, with nothing in its environment", async () => {
    for (const file of ["config/drains.example.yaml", "config/cookbook/receiver-moved.yaml"]) {
      const path = `${root}/${file}`;
      expect(await runToEnd(["rules", "check", path, "--strict"])).toMatchObject({ exitCode: 0, err: "" });
      expect(await runToEnd(["rules", "test", path])).toMatchObject({ exitCode: 0, err: "" });
    }
  });

  it("ends with 78 and with 1 as scripts expect", async () => {
    const folder = createFolder({
      "bad.yaml": "version: 2\n",
      "failing.yaml": wholeDocument.replace("reason: too-young", "reason: waiting"),
    });
    expect(await runToEnd(["rules", "check", `${folder.path}/bad.yaml`])).toMatchObject({ exitCode: 78 });
    expect(await runToEnd(["rules", "test", `${folder.path}/failing.yaml`])).toMatchObject({ exitCode: 1 });
  });

  it("explains a record that is piped into it", async () => {
    const folder = createFolder({ "drains.yaml": wholeDocument });
    const running = start(["rules", "explain", "-", "--drains", `${folder.path}/drains.yaml`, "--json"]);
    running.child.stdin?.end(
      JSON.stringify({ record: rawRecord({ topicName: "orders", responseStatus: 489 }) }),
    );
    const { exitCode, out, err } = await running.ended;
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({ decision: { then: "park", rule: "receiver-said-never" } });
  });
});
