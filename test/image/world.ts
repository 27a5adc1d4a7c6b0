import type { Guard } from "../rig/guard.ts";
import type { Buildah } from "./buildah.ts";
import type { Manifests } from "./manifest.ts";
import type { RuntimeProfile } from "./seccomp.ts";

/** What every scenario has. */
export interface World {
  readonly buildah: Buildah;
  readonly guard: Guard;
  /** An existing folder for what a scenario writes. */
  readonly dir: string;
  readonly manifests: Manifests;
  /** Command of an OCI runtime. */
  readonly runtime: readonly string[];
  readonly seccomp: RuntimeProfile | null;
  readonly cgroups: { readonly limitsSwap: boolean } | null;
  readonly bases: { readonly nodeImage: string; readonly runtimeImage: string };
}

export const productionImage = "localhost/redriver-test/redriver:latest";
export const developmentImage = "localhost/redriver-test/redriver-dev:latest";
export const bareProductionImage = "localhost/redriver-test/redriver-bare:latest";
