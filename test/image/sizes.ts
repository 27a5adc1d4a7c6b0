import { createReadStream } from "node:fs";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { shown, type Figure } from "../rig/figures.ts";
import type { Buildah, Layer } from "./buildah.ts";

/** Of the image and of each layer that its Dockerfile adds. The base's are the base's. */
export async function sizeFigures(buildah: Buildah, image: string, base: string): Promise<readonly Figure[]> {
  const baseLayers = await buildah.layerCount(base);
  const layers = await buildah.layers(image);
  const own = layers.slice(baseLayers);
  const figures: Figure[] = [
    shown("size", `${toMiB(sumOf(layers))}, of which the base ${toMiB(sumOf(layers.slice(0, baseLayers)))}`),
  ];
  let packed = 0;
  for (const layer of own) {
    const bytes = await packedBytes(layer.file);
    packed += bytes;
    figures.push(shown(`layer ${toCopied(layer.madeBy)}`, `${toMiB(layer.bytes)}, packed ${toMiB(bytes)}`));
  }
  figures.push(shown("own layers", `${toMiB(sumOf(own))}, packed ${toMiB(packed)}`));
  return figures;
}

async function packedBytes(file: string): Promise<number> {
  let bytes = 0;
  const count = new Writable({
    write(chunk: Buffer, _, done) {
      bytes += chunk.byteLength;
      done();
    },
  });
  await pipeline(createReadStream(file), createGzip(), count);
  return bytes;
}

/** `/app/dist`, out of what made the layer: `/bin/sh -c #(nop) COPY dir:… in ./dist`. */
const toCopied = (madeBy: string): string => / in (\S+)/.exec(madeBy)?.[1] ?? (madeBy.slice(0, 60) || "?");

const sumOf = (layers: readonly Layer[]): number => layers.reduce((sum, { bytes }) => sum + bytes, 0);

export const toMiB = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;
