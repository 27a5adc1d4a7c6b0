/** What an image has to contain, and what it must not. */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { none, same, shown, type Figure } from "../rig/figures.ts";
import type { PodContainer } from "../rig/pod.ts";
import { root } from "../rig/program.ts";
import type { MountedImage } from "./stage.ts";

export interface Build {
  readonly version: string;
  readonly revision: string;
  readonly created: string;
  readonly source: string;
}

/** Of the production image: its labels and user. */
export function configFigures(
  { config }: MountedImage,
  build: Build,
  { rights, args, ports }: PodContainer,
): readonly Figure[] {
  const label = (name: string): string => config.Labels?.[`org.opencontainers.image.${name}`] ?? "none";
  return [
    same("label title", label("title"), "redriver"),
    ...(["version", "revision", "created", "source"] as const).map((name) =>
      same(`label ${name}`, label(name), build[name]),
    ),
    same("user, as the manifest has it", config.User ?? "none", `${rights.user}:${rights.group}`),
    same("command, as the manifest has it", (config.Cmd ?? []).join(" "), args.join(" ")),
    same(
      "port, as the manifest has it",
      Object.keys(config.ExposedPorts ?? {}).join(),
      ports.map((port) => `${port}/tcp`).join(),
    ),
  ];
}

/** Of the production image: its files. */
export function fileFigures({ rootfs }: MountedImage): readonly Figure[] {
  const app = join(rootfs, "app");
  const files = readdirSync(app, { recursive: true, withFileTypes: true });
  const named = (pattern: RegExp): readonly string[] =>
    files.filter(({ name }) => pattern.test(name)).map((one) => nameOf(app, one));
  const loose = files.filter((one) => {
    const { mode, uid } = lstatSync(join(one.parentPath, one.name));
    return !one.isSymbolicLink() && (uid !== 0 || (mode & 0o022) !== 0);
  });
  return [
    none("TypeScript, declarations and source maps", named(/\.([cm]?ts|map)$/)),
    none(
      "files that others than root may write",
      loose.map((one) => nameOf(app, one)),
    ),
    none(
      "emulator and demo",
      ["emulator", "demo"].filter((name) => existsSync(join(app, "dist", name))),
    ),
    ...billFigures(
      app,
      files.filter(({ name }) => name === "package.json").map((one) => nameOf(app, one)),
    ),
  ];
}

/** The bill of materials has every package that is there. Else it has those for other platforms alone. */
function billFigures(app: string, packageFiles: readonly string[]): readonly Figure[] {
  const { bomFormat, components } = JSON.parse(readFileSync(join(app, "sbom.cdx.json"), "utf8")) as {
    readonly bomFormat: string;
    readonly components: readonly { readonly purl: string }[];
  };
  const listed = new Set(components.map(({ purl }) => decodeURIComponent(purl).replace(/\?.*$/, "")));
  const there = new Set(
    packageFiles
      .filter((file) => /^node_modules\/(.+\/node_modules\/)?(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map((file) => JSON.parse(readFileSync(join(app, file), "utf8")) as NameAndVersion)
      .map(({ name, version }) => `pkg:npm/${name}@${version}`),
  );
  const optional = new Set(optionalPackages());
  return [
    same("bill of materials", bomFormat, "CycloneDX"),
    shown("packages in it, and in the image", `${listed.size}, ${there.size}`),
    none(
      "packages that it lacks",
      [...there].filter((one) => !listed.has(one)),
    ),
    none(
      "packages that it has and the image lacks",
      [...listed].filter((one) => !there.has(one) && !optional.has(one)),
    ),
  ];
}

/** Packages of one platform, by the lock file. */
function optionalPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<
      Record<string, { readonly version: string; readonly optional?: boolean; readonly cpu?: object }>
    >;
  };
  return Object.entries(packages)
    .filter(([, { optional, cpu }]) => optional === true && cpu !== undefined)
    .map(([path, { version }]) => `pkg:npm/${path.replace(/^.*node_modules\//, "")}@${version}`);
}

interface NameAndVersion {
  readonly name: string;
  readonly version: string;
}

/** Of the development image: what it has more. */
export function developmentFigures({ rootfs }: MountedImage): readonly Figure[] {
  const has = (name: string): boolean => existsSync(join(rootfs, name));
  return [
    none(
      "lacks",
      ["app/dist-dev/commands", "usr/bin/redis-server"].filter((name) => !has(name)),
    ),
  ];
}

const nameOf = (app: string, one: { readonly parentPath: string; readonly name: string }): string =>
  relative(app, join(one.parentPath, one.name));

/** `redriver` on PATH is the program: as `kubectl exec` calls it. */
export const linkFigure = ({ rootfs }: MountedImage): Figure =>
  same("redriver on PATH", readlinkSync(join(rootfs, "usr/local/bin/redriver")), "/app/dist/main.js");
