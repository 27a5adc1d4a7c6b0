import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { createFolder } from "../support/command.ts";
import { isHelmHere, renderChart } from "../support/kubernetes/helm.ts";
import type { Tree } from "../support/kubernetes/kustomize.ts";
import { readDoc, root } from "../support/markdown.ts";

const { version } = JSON.parse(readDoc("package.json")) as { readonly version: string };
const out = path.join(root, ".cache/release");
const read = (file: string): string => readFileSync(path.join(out, file), "utf8");
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

const namesOf = (objects: readonly Tree[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
const imageOf = (objects: readonly Tree[]): string =>
  objects.find(({ kind }) => kind === "Deployment").spec.template.spec.containers[0].image;

/** `test/image` makes and tries its third part, the image. */
describe.skipIf(!isHelmHere)("a dry run of the release", { timeout: 300_000 }, () => {
  it("makes a package that runs, a chart and what proves them, and pushes nothing", () => {
    const { status, stdout, stderr } = spawnSync(".ci/release", ["--dry-run", "package", "chart"], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, REGISTRY: "mirror.example.com/team" },
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    // Of the package, installed from its file alone.
    expect(stdout).toMatch(new RegExp(`^redriver ${version} \\(`));
    expect([...stdout.matchAll(/^not run: (\S+ \S+)/gm)].map(([, what]) => what)).toEqual([
      "helm push",
      "cosign sign",
      "cosign sign-blob",
      "gh release",
    ]);
    execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: path.join(out, "files") });
    expect(read("files/SHA256SUMS").split("\n").length - 1).toBe(
      readdirSync(path.join(out, "files")).length - 1,
    );
  });

  it("installs exactly the packages of its bill of materials", () => {
    const { components } = JSON.parse(read(`files/redriver-${version}.cdx.json`)) as {
      readonly components: readonly { readonly name: string; readonly version: string }[];
    };
    const modules = path.join(out, "installed/lib/node_modules/redriver/node_modules");
    const installed = readdirSync(modules, { recursive: true, encoding: "utf8" })
      .filter((file) => /(^|\/node_modules\/)(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map(
        (file) =>
          JSON.parse(readFileSync(path.join(modules, file), "utf8")) as { name: string; version: string },
      )
      .map((one) => `${one.name} ${one.version}`);
    const listed = new Set(components.map((one) => `${one.name} ${one.version}`));
    expect(installed.length).toBeGreaterThan(50);
    expect(installed.filter((one) => !listed.has(one))).toEqual([]);
  });

  it("packs the chart of the checkout, with the image of its registry", () => {
    const image = { repository: "mirror.example.com/team/redriver", tag: version };
    const packed = parseAllDocuments(read("chart.yaml")).map((one) => one.toJS());
    const own = renderChart({ image });
    expect(namesOf(packed)).toEqual(namesOf(own));
    expect(imageOf(packed)).toBe(imageOf(own));
  });

  it("has the notes of its version, and says from which commit it is", () => {
    const notes = read("notes.md").trim();
    expect(readDoc("CHANGELOG.md")).toContain(notes);
    expect(notes).not.toMatch(/^## /m);
    const { buildDefinition } = JSON.parse(read("files/provenance.json"));
    const [source, base] = buildDefinition.resolvedDependencies;
    expect(source.digest.gitCommit).toBe(git("rev-parse", "HEAD"));
    expect(readDoc("Dockerfile")).toContain(
      `${base.uri.replace("docker://", "")}@sha256:${base.digest.sha256}`,
    );
  });

  it("refuses a commit without the version's tag", () => {
    const folder = createFolder();
    git("clone", "--quiet", "--no-tags", root, folder.path);
    const { status, stderr } = spawnSync(".ci/release", { cwd: folder.path, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 1, stderr: `release: expected the tag v${version} here\n` });
  });
});
