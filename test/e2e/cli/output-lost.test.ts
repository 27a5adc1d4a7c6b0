import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { expect, test } from "vitest";

const main = new URL("../../../dist/main.js", import.meta.url).pathname;

test("output that cannot be written ends a command with 1 and says so", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [main, "rules", "schema"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: "redriver: stdout cannot be written: ENOSPC\n" });
});

test("a reader that goes away is no failure", () => {
  const { stdout } = spawnSync(
    "sh",
    [
      "-c",
      `{ "$0" "$1" rules schema; echo "exit $?" >&2; } 2>&1 >/dev/null | head -5; true`,
      process.execPath,
      main,
    ],
    { encoding: "utf8" },
  );
  expect(stdout).toBe("exit 0\n");
});
