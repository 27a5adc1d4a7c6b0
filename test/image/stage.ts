/** The containers of the manifests on this machine's loopback. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PodContainer } from "../rig/pod.ts";
import { runContainer, startContainer } from "./container.ts";
import { toRuntimeConfig, type ImageConfig } from "./runtime-config.ts";
import { makeVolumes } from "./volumes.ts";
import type { World } from "./world.ts";

/** An image whose files are mounted. */
export interface MountedImage {
  readonly config: ImageConfig;
  readonly rootfs: string;
}

export async function mountImage({ buildah }: World, image: string): Promise<MountedImage> {
  return { config: await buildah.config(image), rootfs: await buildah.mount(image) };
}

export interface Start {
  readonly name: string;
  readonly container: PodContainer;
  readonly image: MountedImage;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export type Stage = ReturnType<typeof createStage>;

/** `files`: of the ConfigMaps and Secrets that the manifests name. */
export function createStage(
  world: World,
  scenario: string,
  files: Readonly<Record<string, Readonly<Record<string, string>>>>,
) {
  const dir = join(world.dir, scenario);
  mkdirSync(dir, { recursive: true });
  const toOptions = ({ name, container, image, command, args, env = {} }: Start) => ({
    dir,
    name,
    guard: world.guard,
    config: toRuntimeConfig({
      container,
      image: image.config,
      rootfs: image.rootfs,
      command,
      args,
      env,
      dirOf: makeVolumes(join(dir, "volumes"), container, files),
      cgroupsPath: `/redriver-image-${process.pid}-${scenario}-${name}`,
    }),
  });
  return {
    start: (start: Start) => startContainer(toOptions(start)),
    /** Until it ends. */
    run: (start: Start) => runContainer(toOptions(start)),
  };
}
