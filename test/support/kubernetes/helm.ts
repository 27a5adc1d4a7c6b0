/** What `deploy/chart` renders to, by helm. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { root } from "../markdown.ts";
import { isHere, pathOf } from "../tools.ts";
import type { Tree } from "./kustomize.ts";

export const isHelmHere = isHere("helm");

export interface HelmRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `values` as in a values file. */
export function helm(command: readonly string[], values: object): HelmRun {
  const args = [...command, path.join(root, "deploy/chart"), "--namespace", "redriver", "--values", "-"];
  return spawnSync(pathOf("helm"), args, { encoding: "utf8", input: JSON.stringify(values) });
}

export function renderChart(values: object): readonly Tree[] {
  const run = helm(["template", "redriver"], values);
  if (run.status !== 0) throw new Error(run.stderr);
  return parseAllDocuments(run.stdout).map((document) => document.toJS());
}
