import { spawn, spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { commandDocument } from "../../support/command-stand.ts";
import { createEnv } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";

const redis = useRedis();

const main = new URL("../../../dist/main.js", import.meta.url).pathname;

test("output that cannot be written ends a command with 1 and says so", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [main, "rules", "schema"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: "redriver: stdout cannot be written: ENOSPC\n" });
});

test("a plan is said to be written only if it was", async () => {
  const { emulator } = await startService();
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document: commandDocument });
  const plan = async (out: "pipe" | number): Promise<string> => {
    const argv = [main, "plan", "--all", "--out", "-"];
    const child = spawn(process.execPath, argv, {
      env: { ...process.env, ...env, REDRIVER_SOCKET_PATH: "none" },
      stdio: ["ignore", out, "pipe"],
    });
    child.stdout?.resume();
    return text(child.stderr!);
  };
  expect(await plan("pipe")).toContain("0 records written to stdout");
  const full = await plan(openSync("/dev/full", "w"));
  expect(full).toContain("redriver: stdout cannot be written: ENOSPC\n");
  expect(full).not.toContain("written to");
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
