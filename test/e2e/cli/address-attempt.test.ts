import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const main = new URL("../../../dist/main.js", import.meta.url).pathname;
const report = `
  import { getDefaultAutoSelectFamilyAttemptTimeout as timeout } from "node:net";
  process.once("exit", () => process.stderr.write(String(timeout())));
`;

// Node's 250 ms end a slow handshake, and the next address of the host may be one that nobody answers at.
test("each address of a host has 2 s for its handshake", () => {
  const script = `data:text/javascript,${encodeURIComponent(report)}`;
  const { stderr } = spawnSync(process.execPath, ["--import", script, main, "--version"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("2000");
});
