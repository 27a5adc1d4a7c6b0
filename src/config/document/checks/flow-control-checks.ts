import type { ValuePath } from "../../problem.ts";
import { misfitOfFlowControl } from "../schema/flow-control-schema.ts";
import { asMap, type Report } from "../schema/raw.ts";

/**
 * `defaults` and a drain together give a whole flow control. A mistake is reported where it was written last,
 * one in `defaults` once.
 */
export function checkFlowControls(document: Readonly<Record<string, unknown>>, report: Report): void {
  const below = asMap(document["defaults"])["flowControl"];
  const drains = Object.entries(asMap(document["drains"]));
  const own = drains.flatMap(([name, drain]) => {
    const written = asMap(drain)["flowControl"];
    return written === undefined || written === "none"
      ? []
      : [{ written, path: ["drains", name, "flowControl"] }];
  });
  for (const { written, path } of own) checkWhole({ ...asMap(below), ...asMap(written) }, path, report);
  const isInherited =
    drains.length === 0 || drains.some(([, one]) => asMap(one)["flowControl"] === undefined);
  if (below !== undefined && below !== "none" && isInherited) {
    checkWhole(asMap(below), ["defaults", "flowControl"], report);
  }
}

function checkWhole(flow: Readonly<Record<string, unknown>>, path: ValuePath, report: Report): void {
  const expected = misfitOfFlowControl(flow);
  if (expected !== null) report(path, "value", expected);
}
