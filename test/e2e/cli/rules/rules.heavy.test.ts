import { expect, it } from "vitest";
import { createFolder, start } from "../../../support/command.ts";
import { rawRecord } from "../../../support/letters.ts";
import { wholeDocument } from "../../../support/whole-document.ts";

it("rules explain, built, explains a record that is piped into it", async () => {
  const folder = createFolder({ "drains.yaml": wholeDocument });
  const running = start(["rules", "explain", "-", "--drains", `${folder.path}/drains.yaml`, "--json"]);
  running.child.stdin?.end(
    JSON.stringify({ record: rawRecord({ topicName: "orders", responseStatus: 489 }) }),
  );
  const { exitCode, out, err } = await running.ended;
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ decision: { then: "park", rule: "receiver-said-never" } });
});
