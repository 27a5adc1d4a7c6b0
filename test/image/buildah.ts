/** Images of this program's own store, so that nobody else's are touched. */
import { execFile, type ExecFileException } from "node:child_process";
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ImageConfig } from "./runtime-config.ts";

export type Buildah = ReturnType<typeof createWith>;

export interface BuildOptions {
  readonly file: string;
  readonly context: string;
  readonly target: string;
  readonly image: string;
  readonly platform?: string;
  readonly args?: Readonly<Record<string, string>>;
}

const exec = promisify(execFile);

/** `dir`: an existing folder for the store. Null, with the reason, if nothing can be mounted here. */
export async function createBuildah(dir: string): Promise<Buildah | { readonly unfit: string }> {
  const store = join(dir, "store");
  let unfit = "";
  // vfs copies each layer, and works where overlays do not.
  for (const driver of ["overlay", "vfs"]) {
    const flags = ["--root", store, "--runroot", join(dir, "run"), "--storage-driver", driver];
    const buildah = createWith(flags, dir, store);
    try {
      await buildah.run("rm", "--all");
      await buildah.run("mount", await buildah.run("from", "scratch"));
      await buildah.run("rm", "--all");
      return buildah;
    } catch (error) {
      unfit = String(error).slice(-500);
    }
  }
  return { unfit };
}

function createWith(flags: readonly string[], dir: string, store: string) {
  const logFile = join(dir, "buildah.log");
  async function run(...args: readonly string[]): Promise<string> {
    appendFileSync(logFile, `\n${new Date().toISOString()} buildah ${args.join(" ")}\n`);
    try {
      const { stdout, stderr } = await exec("buildah", [...flags, ...args], { maxBuffer: 1 << 28 });
      appendFileSync(logFile, stdout + stderr);
      return stdout.trim();
    } catch (error) {
      const { stdout, stderr } = error as ExecFileException;
      appendFileSync(logFile, `${stdout}${stderr}`);
      throw new Error(`buildah ${args[0]}: ${String(stderr).trim().slice(-1_500)} (all of it: ${logFile})`, {
        cause: error,
      });
    }
  }
  const inspect = async (image: string): Promise<Inspected> =>
    JSON.parse(await run("inspect", "--type", "image", image)) as Inspected;

  return {
    run,
    /** With the options that lead to the store. */
    command: ["buildah", ...flags],
    /** One name for images of several architectures. */
    async makeList(name: string, images: readonly string[]) {
      if (await this.has(name)) await run("rmi", name);
      await run("manifest", "create", name, ...images);
    },
    /** Builds one target of a Dockerfile and names the image. Rejects with the end of what was said. */
    async build({ file, context, target, image, platform, args = {} }: BuildOptions) {
      const values = Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
      // In a chroot it works where no container may be started. Layers are kept, so that both targets share a build.
      const how = ["--isolation", "chroot", "--format", "oci", "--layers"];
      if (platform !== undefined) how.push("--platform", platform);
      await run("bud", ...how, ...values, "--target", target, "-t", image, "-f", file, context);
    },
    async has(image: string) {
      const images = JSON.parse((await run("images", "--json")) || "[]") as readonly {
        readonly names: readonly string[] | null;
      }[];
      return images.some(({ names }) => names?.includes(image) === true);
    },
    /** Resolves with the path of its files. They can be written to, without a change of the image. */
    mount: async (image: string) => await run("mount", await run("from", image)),
    id: async (image: string) => (await inspect(image)).FromImageID,
    config: async (image: string) => (await inspect(image)).OCIv1.config,
    layerCount: async (image: string) => (await inspect(image)).OCIv1.rootfs.diff_ids.length,
    /** From the lowest up. */
    async layers(image: string) {
      const to = join(dir, "pushed");
      rmSync(to, { recursive: true, force: true });
      await run("push", "--disable-compression", "--format", "oci", image, `dir:${to}`);
      const { layers } = JSON.parse(readFileSync(join(to, "manifest.json"), "utf8")) as Manifest;
      return layers.map(({ size, digest }) => ({
        bytes: size,
        /** Its archive, which is not compressed. */
        file: join(to, digest.replace("sha256:", "")),
      }));
    },
    /** Unmounts everything. The images stay. */
    async close() {
      await run("rm", "--all");
      // It mounts the store onto itself, and leaves that behind.
      await exec("umount", [join(store, "overlay")]).catch(() => undefined);
      rmSync(join(dir, "pushed"), { recursive: true, force: true });
    },
  };
}

interface Inspected {
  readonly FromImageID: string;
  readonly OCIv1: {
    readonly config: ImageConfig;
    readonly rootfs: { readonly diff_ids: readonly string[] };
  };
}
interface Manifest {
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}
