/** What `deploy/` says of the containers, read from its own files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { parsePod, type PodContainer } from "../rig/pod.ts";

export interface Manifests {
  /** With the variables of its ConfigMaps. */
  readonly daemon: PodContainer;
  /** The daemon's container with the component's arguments: what is empty there becomes the daemon's. */
  readonly doctor: PodContainer;
  readonly emulator: PodContainer;
}

/** Of a checkout. */
export function readManifests(root: string): Manifests {
  const readDeploy = (name: string): string => readFileSync(join(root, "deploy", name), "utf8");
  const pod = parsePod(readDeploy("base/deployment.yaml"));
  const settings = readSettings(parse(readDeploy("base/kustomization.yaml")) as Kustomization);
  const daemon = { ...pod, env: { ...settings(pod.envFrom), ...pod.env } };
  const component = parse(readDeploy("components/doctor/init-container.yaml")) as {
    readonly spec: {
      readonly template: {
        readonly spec: { readonly initContainers: readonly [{ readonly args: readonly string[] }] };
      };
    };
  };
  const [{ args }] = component.spec.template.spec.initContainers;
  const emulator = parsePod(readDeploy("overlays/development/emulator.yaml"));
  return { daemon, doctor: { ...daemon, args }, emulator };
}

interface Kustomization {
  readonly configMapGenerator: readonly { readonly name: string; readonly literals?: readonly string[] }[];
}

const readSettings =
  ({ configMapGenerator }: Kustomization) =>
  (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const literals = configMapGenerator.find((one) => one.name === name)?.literals;
        if (literals === undefined) throw new Error(`expected literals of the ConfigMap ${name}`);
        return literals.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]);
      }),
    );
