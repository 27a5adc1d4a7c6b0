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

export async function releaseFigures(buildah: Buildah, base: string): Promise<readonly Figure[]> {
  const dir = join(root, ".cache/release");
  const [list] = read(join(dir, "image/index.json")).manifests;
  const blob = join(dir, "image/blobs", list!.digest.replace(":", "/"));
  const architectures = read(blob).manifests.map(({ platform }) => platform?.architecture);
  // By size: a layer that an earlier build left has the dates of that one.
  const layersOf = async (image: string): Promise<readonly number[]> =>
    (await buildah.layers(image)).map(({ bytes }) => bytes);
  const own = (await layersOf(productionImage)).slice(await buildah.layerCount(base));
  const foreign = (await layersOf(foreignImage)).slice(-own.length);
  return [
    same("architectures of its release", architectures.join(), "amd64,arm64"),
    same("its tag", list!.annotations?.["org.opencontainers.image.ref.name"] ?? "none", version),
    same("its digest", list!.digest, readFileSync(join(dir, "files/image-digest.txt"), "utf8").trim()),
    same("bytes of its layers for arm64, as for amd64", foreign.join(), own.join()),
  ];
}

const read = (file: string): Index => JSON.parse(readFileSync(file, "utf8")) as Index;
