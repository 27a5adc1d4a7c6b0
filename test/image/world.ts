import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../rig/program.ts";
import type { Guard } from "../rig/guard.ts";
import type { Buildah } from "./buildah.ts";
import type { Manifests } from "./manifest.ts";

/** What every scenario has. */
export interface World {
  readonly buildah: Buildah;
  readonly guard: Guard;
  /** An existing folder for what a scenario writes. */
  readonly dir: string;
  readonly manifests: Manifests;
  readonly bases: { readonly nodeImage: string; readonly runtimeImage: string };
}

/** Where a dry run of the release leaves its images. */
export const registry = "localhost/redriver-test";
export const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
};
export const productionImage = `${registry}/redriver:${version}-amd64`;
export const foreignImage = `${registry}/redriver:${version}-arm64`;
export const developmentImage = "localhost/redriver-test/redriver-dev:latest";
export const bareProductionImage = "localhost/redriver-test/redriver-bare:latest";
