/** Volumes as the kubelet makes them: files of root, and of the pod's group. */
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileVolume, PodContainer } from "../rig/pod.ts";

/** Answers where each volume is. `files`: content by name, of each ConfigMap and Secret by its name. */
export function makeVolumes(
  dir: string,
  { mounts, rights }: PodContainer,
  files: Readonly<Record<string, Readonly<Record<string, string>>>>,
): (volume: FileVolume) => string {
  const dirOf = ({ name }: FileVolume): string => join(dir, name);
  for (const mount of mounts) {
    if (mount.from === "emptyDir") continue;
    const own = files[mount.name];
    if (own === undefined) throw new Error(`expected files of ${mount.from} ${mount.name}`);
    mkdirSync(dirOf(mount), { recursive: true });
    for (const [name, content] of Object.entries(own)) {
      const file = join(dirOf(mount), name);
      writeFileSync(file, content);
      chownSync(file, 0, rights.fsGroup ?? 0);
      chmodSync(file, mount.fileMode);
    }
  }
  return dirOf;
}
