import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/markdown.ts";

/** What may be shipped: licences that ask for no more than to be named. */
const mayBeShipped: ReadonlySet<string> = new Set(
  "0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT Python-2.0 Unlicense".split(" "),
);

/** Of tools that are used as they are and never shipped. */
const mayBuild: ReadonlySet<string> = new Set([...mayBeShipped, "MPL-2.0"]);

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

interface Package extends Locked {
  /** `node_modules/…` */
  readonly path: string;
  readonly name: string;
  readonly isInstalled: boolean;
  readonly licence: string | undefined;
}

const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const packages: readonly Package[] = Object.entries(lock.packages)
  .filter(([path]) => path !== "")
  .map(([path, locked]) => {
    const manifest = join(root, path, "package.json");
    const isInstalled = existsSync(manifest);
    const said = isInstalled
      ? (JSON.parse(readFileSync(manifest, "utf8")) as { license?: unknown }).license
      : locked.license;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    return { ...locked, path, name, isInstalled, licence: typeof said === "string" ? said : undefined };
  });
/**
 * As `npm ci --omit=dev` installs it, which what is both a tool's and an optional part of something shipped
 * is among.
 */
const shipped = packages.filter(({ dev }) => dev !== true);

/** `MIT OR Apache-2.0` is what one chooses; of `MIT AND ISC` all must be kept. */
function isIn(allowed: ReadonlySet<string>, licence: string): boolean {
  return licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((one) => allowed.has(one.trim())));
}

/**
 * Builds for other machines are optional, not installed here, and published together with the one that is.
 */
function licenceOf(one: Package): string | undefined {
  if (one.licence !== undefined || one.optional !== true || one.isInstalled) return one.licence;
  const family = one.name.split(/[/]|-(?=[^/]*$)/)[0] ?? "";
  return packages.find(({ name, licence }) => name.startsWith(family) && licence !== undefined)?.licence;
}

const unfit = (list: readonly Package[], allowed: ReadonlySet<string>): readonly string[] =>
  list.flatMap((one) => {
    const licence = licenceOf(one);
    return licence !== undefined && isIn(allowed, licence)
      ? []
      : [`${one.name} ${one.version}: ${licence ?? "none"}`];
  });

describe("the licences of the dependencies", () => {
  it("are all known, and let them be shipped", () => {
    expect(shipped.length).toBeGreaterThan(30);
    expect(unfit(shipped, mayBeShipped)).toEqual([]);
  });

  it("let the others be used for building and testing", () => {
    expect(packages.length).toBeGreaterThan(shipped.length + 50);
    expect(unfit(packages, mayBuild)).toEqual([]);
  });
});

const nameOf = ({ name, version }: Readonly<Record<"name" | "version", unknown>>) => `${name} ${version}`;

it("the bill of materials lists exactly what is shipped, with the licence and hash of what is installed", () => {
  const run = spawnSync(process.execPath, [join(root, "deploy/supply-chain/sbom.mjs")], { encoding: "utf8" });
  const { bomFormat, components } = JSON.parse(run.stdout) as {
    readonly bomFormat: string;
    readonly components: readonly Readonly<Record<string, unknown>>[];
  };
  expect(bomFormat).toBe("CycloneDX");
  expect(components.map(nameOf).toSorted()).toEqual([...new Set(shipped.map(nameOf))].toSorted());
  const installed = new Set(shipped.filter(({ isInstalled }) => isInstalled).map(nameOf));
  const bare = components.filter(({ licenses, hashes }) => licenses === undefined || hashes === undefined);
  expect(bare.map(nameOf).filter((name) => installed.has(name))).toEqual([]);
});
