import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** What a reader has after `npm ci && npm run build`, in a folder that goes at the end. */
export function openCheckout(root: string) {
  const cwd = mkdtempSync(path.join(os.tmpdir(), "redriver-incident-"));
  for (const name of ["dist", "node_modules", "package.json"]) {
    symlinkSync(path.resolve(root, name), path.join(cwd, name));
  }
  const given = process.env["REDRIVER_TEST_REDIS_URL"];
  return {
    cwd,
    /** Nothing that leads to somebody's real service. */
    env: {
      PATH: process.env["PATH"],
      HOME: cwd,
      LANG: "C.UTF-8",
      ...(given === undefined ? {} : { REDRIVER_TEST_REDIS_URL: given }),
    },
    [Symbol.dispose](): void {
      rmSync(cwd, { recursive: true });
    },
  };
}
