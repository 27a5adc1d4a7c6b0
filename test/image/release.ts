/** What a dry run of the release has made of both architectures. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { same, type Figure } from "../rig/figures.ts";
import { root } from "../rig/program.ts";
import type { Buildah } from "./buildah.ts";
import { foreignImage, productionImage, version } from "./world.ts";

interface Index {
  readonly manifests: readonly {
    readonly digest: string;
    readonly platform?: { readonly architecture: string };
    readonly annotations?: Readonly<Record<string, string>>;
  }[];
}

export async function releaseFigures(buildah: Buildah): Promise<readonly Figure[]> {
  const dir = join(root, ".cache/release");
  const [list] = read(join(dir, "image/index.json")).manifests;
  const blob = join(dir, "image/blobs", list!.digest.replace(":", "/"));
  const architectures = read(blob).manifests.map(({ platform }) => platform?.architecture);
  const [own, foreign] = [await appLayers(buildah, productionImage), await appLayers(buildah, foreignImage)];
  return [
    same("architectures of its release", architectures.join(), "amd64,arm64"),
    same("its tag", list!.annotations?.["org.opencontainers.image.ref.name"] ?? "none", version),
    same("its digest", list!.digest, readFileSync(join(dir, "files/image-digest.txt"), "utf8").trim()),
    same("layers of the program for arm64, as for amd64", foreign.join(), own.join()),
  ];
}

const read = (file: string): Index => JSON.parse(readFileSync(file, "utf8")) as Index;

/** Digests of what the Dockerfile adds, which is the same everywhere. */
async function appLayers(buildah: Buildah, image: string): Promise<readonly string[]> {
  const layers = await buildah.layers(image);
  return layers.filter(({ madeBy }) => madeBy.includes("COPY")).map(({ file }) => file.split("/").at(-1)!);
}
