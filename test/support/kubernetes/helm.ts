/** What `deploy/chart` renders to, by helm. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { root } from "../markdown.ts";
import { kubernetesTool, type Tree } from "./kustomize.ts";

const program = kubernetesTool("helm");
export const isHelmHere = spawnSync(program, ["version"]).error === undefined;
if (!isHelmHere) {
  process.stderr.write(
    "\nNOT TESTED: deploy/chart is not rendered, because helm is not on PATH (.ci/get-kubernetes-tools gets it).\n\n",
  );
}

export interface HelmRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `values` as in a values file. */
export function helm(command: readonly string[], values: object): HelmRun {
  const args = [...command, path.join(root, "deploy/chart"), "--namespace", "redriver", "--values", "-"];
  return spawnSync(program, args, { encoding: "utf8", input: JSON.stringify(values) });
}

export function renderChart(values: object): readonly Tree[] {
  const run = helm(["template", "redriver"], values);
  if (run.status !== 0) throw new Error(run.stderr);
  return parseAllDocuments(run.stdout).map((document) => document.toJS());
}
