/**
 * Objects against the types of the Kubernetes API. TypeScript refuses a literal with an unknown field, with
 * one that is missing, or with one of another type; an API server drops unknown fields without a word.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../markdown.ts";
import type { Tree } from "./kustomize.ts";

const folders: Readonly<Record<string, string>> = {
  v1: "kubernetes-types/core/v1.js",
  "apps/v1": "kubernetes-types/apps/v1.js",
  "batch/v1": "kubernetes-types/batch/v1.js",
  "networking.k8s.io/v1": "kubernetes-types/networking/v1.js",
  "policy/v1": "kubernetes-types/policy/v1.js",
  "monitoring.coreos.com/v1": "../../test/support/kubernetes/custom-resources.ts",
  "keda.sh/v1alpha1": "../../test/support/kubernetes/custom-resources.ts",
};

/** A line for each field that does not fit; none: all fit. An object may be there many times. */
export function typeProblems(objects: readonly Tree[]): readonly string[] {
  const texts = [...new Set(objects.map((object) => JSON.stringify(object)))];
  const lines = texts.map((text, index) => {
    const { apiVersion, kind } = JSON.parse(text);
    const folder = folders[apiVersion];
    if (folder === undefined) throw new Error(`expected a type for ${apiVersion} ${kind}`);
    return `export const object${index}: import("${folder}").${kind} = ${text};`;
  });
  mkdirSync(path.join(root, ".cache"), { recursive: true });
  const dir = mkdtempSync(path.join(root, ".cache/kubernetes-"));
  try {
    writeFileSync(path.join(dir, "objects.ts"), lines.join("\n"));
    const options = {
      extends: path.join(root, "tsconfig.json"),
      compilerOptions: { noEmit: true, rootDir: root, exactOptionalPropertyTypes: false },
      include: ["objects.ts"],
    };
    writeFileSync(path.join(dir, "tsconfig.json"), JSON.stringify(options));
    const run = spawnSync(path.join(root, "node_modules/.bin/tsc"), ["-p", dir, "--pretty", "false"], {
      encoding: "utf8",
      cwd: dir,
    });
    const problems = run.stdout.split("\n").filter((line) => line.trim() !== "");
    if (run.status !== 0 && problems.length === 0) throw new Error(run.stderr);
    return problems.map((line) => nameObject(line, texts));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function nameObject(problem: string, texts: readonly string[]): string {
  const [, line = "0", what = problem] = /^objects\.ts\((\d+),\d+\): (.*)$/.exec(problem) ?? [];
  const text = texts[Number(line) - 1];
  if (text === undefined) return problem;
  const { kind, metadata } = JSON.parse(text);
  return `${kind} ${metadata.name}: ${what}`;
}
