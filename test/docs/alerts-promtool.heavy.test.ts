import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { alertTestFiles } from "../support/alert-tests.ts";
import { readDoc, root } from "../support/markdown.ts";
import { isHere } from "../support/tools.ts";

const { spec } = parse(readDoc("deploy/components/monitoring/prometheus-rule.yaml")) as {
  readonly spec: object;
};

it.skipIf(!isHere("promtool"))(
  "the alerts pass promtool",
  () => {
    const directory = mkdtempSync(path.join(tmpdir(), "redriver-alerts-"));
    try {
      writeFileSync(path.join(directory, "rules.yaml"), stringify(spec));
      for (const file of alertTestFiles) {
        cpSync(path.join(root, "deploy/components/monitoring", file), path.join(directory, file));
      }
      for (const args of [
        ["check", "rules", "rules.yaml"],
        ["test", "rules", ...alertTestFiles],
      ]) {
        const run = spawnSync("promtool", args, { cwd: directory, encoding: "utf8" });
        expect({ status: run.status, said: run.stdout + run.stderr }).toMatchObject({ status: 0 });
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
  240_000,
);
