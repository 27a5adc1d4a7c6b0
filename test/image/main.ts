/**
 * Builds the image and runs it as the manifests do: read-only, without capabilities, in its memory limit.
 *
 *     npm run test:image
 *     npm run test:image -- --node-image docker.io/library/node:26-bookworm-slim [--results file]
 *     npm run test:image -- drain                          some scenarios
 *     npm run test:image -- bases                          makes the bases alone, and prints them for .ci/release
 *
 * Without `--node-image` the bases are made on this machine, out of Debian's packages and npm's, and kept for
 * the next time. Exits 1 if something did not hold, 2 if it was used wrongly. What
 * was said is kept in .cache/image.
 */
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { countChecks, same, shown, toTable, type Figure, type ScenarioResult } from "../rig/figures.ts";
import { startGuard } from "../rig/guard.ts";
import {
  chooseOrEnd,
  createSay,
  makeEmpty,
  parseOrEnd,
  root,
  runWorks,
  writeResults,
  type Work,
} from "../rig/program.ts";
import { makeBareBase, makeBases, parseBase } from "./bases.ts";
import { createBuildah, type Buildah } from "./buildah.ts";
import { configFigures, developmentFigures, fileFigures, linkFigure, type Build } from "./contents.ts";
import { drainFigures } from "./drain.ts";
import { readManifests } from "./manifest.ts";
import { releaseFigures } from "./release.ts";
import { sizeFigures } from "./sizes.ts";
import { createStage, mountImage } from "./stage.ts";
import { findMissing } from "./tools.ts";
import {
  bareProductionImage,
  developmentImage,
  productionImage,
  registry,
  version,
  type World,
} from "./world.ts";

const scenarios = ["production", "development", "drain"] as const;
const { values, positionals } = parseOrEnd({
  allowPositionals: true,
  options: {
    "node-image": { type: "string" },
    results: { type: "string" },
  },
});
const onlyBases = positionals[0] === "bases";
const chosen = onlyBases ? [] : chooseOrEnd(positionals, scenarios);

const say = createSay();
const dir = resolve(root, ".cache/image");
const dockerfile = resolve(root, "Dockerfile");

if (onlyBases) await printBases();
else {
  const why = await begin();
  if (why !== null) skip(why);
}

/** Lines of a shell. Exits 1 if none could be made. */
async function printBases(): Promise<void> {
  makeEmpty(join(dir, "runs"));
  const buildah = await createBuildah(dir);
  const bases = "unfit" in buildah ? buildah : await findBases(buildah);
  if ("unfit" in bases || "unfit" in buildah) {
    process.stderr.write(`No base could be made: ${"unfit" in bases ? bases.unfit : ""}\n`);
    process.exitCode = 1;
    return;
  }
  const lines = Object.entries(toReleaseEnv(buildah, bases)).map(
    ([name, value]) => `export ${name}='${value}'`,
  );
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Answers why nothing could be tried; null if something was. */
async function begin(): Promise<string | null> {
  const missing = await findMissing(values["node-image"] === undefined);
  if (missing.length > 0) return `Missing: ${missing.join("; ")}`;
  makeEmpty(join(dir, "runs"));
  const buildah = await createBuildah(dir);
  if ("unfit" in buildah) return `buildah cannot work here: ${buildah.unfit}`;
  const guard = startGuard();
  try {
    const bases = await findBases(buildah);
    if ("unfit" in bases) return `No base could be made: ${bases.unfit}`;
    const manifests = readManifests(root);
    await report({ buildah, guard, dir: join(dir, "runs"), bases, manifests });
    return null;
  } finally {
    guard.close();
    await buildah.close();
  }
}
async function report(world: World): Promise<void> {
  const results = await play(world);
  const counts = countChecks(results);
  writeResults(values.results, counts);
  process.stdout.write(`${toTable(results)}\n${counts.passed} passed, ${counts.failed} failed\n`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

async function findBases(buildah: Buildah): Promise<World["bases"] | { readonly unfit: string }> {
  const given = values["node-image"];
  if (given !== undefined) return { nodeImage: given, runtimeImage: given };
  const name = parseBase(readFileSync(dockerfile, "utf8"));
  try {
    return await makeBases(buildah, dir, name, say);
  } catch (error) {
    // Without Debian's mirror or npm's registry there is nothing to build on.
    return { unfit: String(error).slice(0, 500) };
  }
}

async function play(world: World): Promise<readonly ScenarioResult[]> {
  let bare: string | null = null;
  const build = toBuild();
  const figuresOf = {
    production: () => productionFigures(world, build),
    development: async () => developmentFigures(await mountImage(world, developmentImage)),
    drain: () => drainFigures(world, bare !== null),
  };
  const works: readonly Work[] = [
    { name: "build", run: async () => ((bare = await buildImages(world, build)), []) },
    ...chosen.map((name) => ({ name, run: figuresOf[name] })),
  ];
  const results: ScenarioResult[] = [];
  for (const work of works) {
    const [result] = await runWorks([work], 1, say);
    results.push(result!);
    // Nothing else can be tried on an image that is not there.
    if (work.name === "build" && countChecks(results).failed > 0) break;
  }
  return results;
}

/** Answers the base that has Node alone; null if this base cannot be cut down. */
async function buildImages(world: World, build: Build): Promise<string | null> {
  const { nodeImage, runtimeImage } = world.bases;
  const args = {
    NODE_IMAGE: nodeImage,
    RUNTIME_IMAGE: runtimeImage,
    VERSION: build.version,
    REVISION: build.revision,
    CREATED: build.created,
    SOURCE: build.source,
  };
  const common = { file: dockerfile, context: root } as const;
  const { buildah } = world;
  await makeRelease(world, build);
  await buildah.build({ ...common, target: "dev", image: developmentImage, args });
  const bare = await makeBareBase(buildah, dir, runtimeImage);
  if (bare !== null) {
    const bareArgs = { ...args, RUNTIME_IMAGE: bare };
    await buildah.build({ ...common, target: "runtime", image: bareProductionImage, args: bareArgs });
  }
  return bare;
}

/** The production images are those of a release, for both architectures. */
async function makeRelease({ buildah, bases }: World, { source }: Build): Promise<void> {
  const env = { ...process.env, ...toReleaseEnv(buildah, bases), REGISTRY: registry, SOURCE: source };
  await promisify(execFile)(join(root, ".ci/release"), ["--dry-run", "image"], { cwd: root, env });
}

function toReleaseEnv(buildah: Buildah, bases: World["bases"]): Readonly<Record<string, string>> {
  return {
    BUILDAH: buildah.command.join(" "),
    // Where no container may be started.
    BUILDAH_ISOLATION: "chroot",
    NODE_IMAGE: bases.nodeImage,
    RUNTIME_IMAGE: bases.runtimeImage,
  };
}

async function productionFigures(world: World, build: Build): Promise<readonly Figure[]> {
  const { buildah, manifests, bases } = world;
  const image = await mountImage(world, productionImage);
  const stage = createStage(world, "version", { "redriver-drains": {}, redriver: {} });
  const printed = await stage.run({
    name: "version",
    container: manifests.daemon,
    image,
    command: ["redriver", "--version"],
  });
  const [, revision = "none", node = "none"] = /\((\w+)\), Node ([\d.]+), for Redis/.exec(printed.out) ?? [];
  return [
    ...(await sizeFigures(buildah, productionImage, bases.runtimeImage)),
    ...configFigures(image, build, manifests.daemon),
    ...(await releaseFigures(buildah, bases.runtimeImage)),
    ...fileFigures(image),
    linkFigure(image),
    shown("redriver --version", printed.out),
    same("its version", printed.out.split(" ")[1] ?? "none", version),
    same("its commit", revision, build.revision),
    ...(values["node-image"] === undefined
      ? [same("its Node", node, parseBase(readFileSync(dockerfile, "utf8")).nodeVersion)]
      : []),
  ];
}

function toBuild(): Build {
  return {
    version,
    revision: git("rev-parse", "HEAD"),
    created: git("log", "-1", "--format=%cI"),
    source: sourceOfReleases(),
  };
}

/** As .ci/release finds it: a builder that keeps layers of the same commit keeps its labels too. */
function sourceOfReleases(): string {
  try {
    return process.env["SOURCE"] ?? git("remote", "get-url", "origin");
  } catch {
    return "unknown";
  }
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

/** Nothing was tried, so nothing has passed either. */
function skip(why: string): void {
  writeResults(values.results, { passed: 0, failed: 0 }, { skipped: why });
  process.stdout.write(
    `\nSKIPPED: THE IMAGE WAS NOT TRIED. ${why}.\n` +
      "So nobody has built the Dockerfile, looked into its image, or run it read-only, without capabilities and in its memory limit.\n" +
      "`apt-get install buildah runc debootstrap redis-server`, as root, is what this needs on Debian.\n\n",
  );
}
