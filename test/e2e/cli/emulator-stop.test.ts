import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { root } from "../../support/markdown.ts";

test.each(["SIGTERM", "stdin"])("an emulator that stops with its parent ends at %s", async (by) => {
  const args = ["dist/main.js", "emulator", "--port=0", "--control-port=0", "--stop-with-parent"];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  try {
    await once(child.stdout, "data");
    if (by === "stdin") child.stdin.end();
    else child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});
