import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { shown, type Figure } from "../rig/figures.ts";
import type { Buildah } from "./buildah.ts";

/** Of the layers that the Dockerfile adds. The base's are the base's. */
export async function sizeFigures(buildah: Buildah, image: string, base: string): Promise<readonly Figure[]> {
  const layers = await buildah.layers(image);
  let [bytes, packed] = [0, 0];
  for (const layer of layers.slice(await buildah.layerCount(base))) {
    bytes += layer.bytes;
    await pipeline(createReadStream(layer.file), createGzip(), async (chunks) => {
      for await (const chunk of chunks as AsyncIterable<Buffer>) packed += chunk.byteLength;
    });
  }
  const [added, sent] = [bytes, packed].map((size) => (size / 1_048_576).toFixed(1));
  return [shown("own layers", `${added} MiB, packed ${sent} MiB`)];
}
