/** What `deploy/` renders to, by the kustomize of kubectl. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse, parseAllDocuments, stringify } from "yaml";
import { createFolder } from "../command.ts";
import { root } from "../markdown.ts";
import { isHere, pathOf } from "../tools.ts";

export type Tree = any; // oxlint-disable-line typescript/no-explicit-any -- Kubernetes objects, as kubectl prints them

export const deploy = path.join(root, "deploy");
export const isKustomizeHere = isHere("kubectl");

export const renderOverlay = (overlay: string): readonly Tree[] =>
  renderAt(path.join(deploy, "overlays", overlay));

export function renderAt(folder: string): readonly Tree[] {
  const run = spawnSync(pathOf("kubectl"), ["kustomize", folder], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  return parseAllDocuments(run.stdout).map((document) => document.toJS());
}

/**
 * An overlay over these resources with these components, both as paths in `deploy`. It has production's
 * settings, also as a copy if it is over neither production nor plan.
 */
export function renderWith(resources: readonly string[], components: readonly string[]): readonly Tree[] {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "redriver-test-")));
  const to = (part: string): string => path.relative(folder, path.join(deploy, part));
  const settings = resources.some((name) => /^overlays\/(plan|production)$/.test(name))
    ? []
    : ["settings.yaml"];
  try {
    cpSync(path.join(deploy, "overlays/production/settings.yaml"), path.join(folder, "settings.yaml"));
    writeFileSync(
      path.join(folder, "kustomization.yaml"),
      JSON.stringify({
        namespace: "redriver",
        resources: [...resources.map(to), ...settings],
        components: components.map(to),
      }),
    );
    return renderAt(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A folder of one test with a copy of `deploy`, for an overlay that is made in it. */
export function copyOfDeploy(): string {
  const clone = createFolder().path;
  for (const part of ["base", "redis", "components", "overlays"]) {
    cpSync(path.join(deploy, part), path.join(clone, "deploy", part), { recursive: true });
  }
  return clone;
}

/** Gives the overlay in this folder these fields too. */
export function changeOverlay(folder: string, fields: Tree): void {
  const file = path.join(folder, "kustomization.yaml");
  writeFileSync(file, stringify({ ...parse(readFileSync(file, "utf8")), ...fields }));
}

export const withComponents = (...names: readonly string[]): readonly Tree[] =>
  renderWith(
    ["base"],
    names.map((name) => `components/${name}`),
  );

export function only(objects: readonly Tree[], kind: string, prefix = ""): Tree {
  const found = objects.filter(({ kind: k, metadata }) => k === kind && metadata.name.startsWith(prefix));
  if (found.length !== 1) throw new Error(`expected one ${kind} ${prefix}, got ${found.length}`);
  return found[0];
}

export function named(objects: readonly Tree[], kind: string, name: string): Tree {
  const found = objects.find(({ kind: k, metadata }) => k === kind && metadata.name === name);
  if (found === undefined) throw new Error(`expected ${kind} ${name}`);
  return found;
}

/** With lists in an order of their own: that of ports, volumes and variables means nothing. */
export function sorted(value: Tree): Tree {
  if (Array.isArray(value)) {
    return value.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, of]) => [name, sorted(of)]));
}
