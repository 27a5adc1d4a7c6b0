import { none, same, type Figure } from "../rig/figures.ts";
import { hogCommand, probeCommand, type Seen } from "./probe.ts";
import { createStage, mountImage } from "./stage.ts";
import { productionImage, type World } from "./world.ts";

const filesOf = { "redriver-drains": { "drains.yaml": "x" }, redriver: { "service-token": "x" } };

/** What the container may do, seen from inside, against what the manifest says. */
export async function rightsFigures(world: World): Promise<readonly Figure[]> {
  const { daemon } = world.manifests;
  const { rights, memoryLimitBytes, mounts } = daemon;
  const image = await mountImage(world, productionImage);
  const stage = createStage(world, "rights", filesOf);
  const command = probeCommand({
    writes: ["/written", "/app/dist/main.js", "/tmp/written", "/proc/sys/kernel/domainname"].concat(
      mounts.map(({ path }) => `${path}/written`),
    ),
    reads: ["/etc/redriver/drains.yaml", "/run/secrets/redriver/service-token"],
  });
  const { exitCode, out } = await stage.run({ name: "probe", container: daemon, image, command });
  if (exitCode !== 0) throw new Error(`the probe ended with ${exitCode}: ${out}`);
  const { user, status, writes, reads } = JSON.parse(out) as Seen;
  return [
    same(
      "user, group and groups",
      user,
      `${rights.user}:${rights.group} ${[...new Set([rights.group, rights.fsGroup])].join()}`,
    ),
    none(
      "capabilities",
      ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].filter((name) => !/^0+$/.test(status[name] ?? "?")),
    ),
    same("no new privileges", status["NoNewPrivs"] ?? "none", "1"),
    same(
      "files that it could write",
      Object.keys(writes)
        .filter((path) => writes[path] === "written")
        .join(),
      mounts
        .filter(({ isReadOnly }) => !isReadOnly)
        .map(({ path }) => `${path}/written`)
        .join(),
    ),
    same("root filesystem", writes["/tmp/written"] ?? "none", "EROFS"),
    none(
      "mounts that it could not read",
      Object.keys(reads).filter((path) => reads[path] !== "read"),
    ),
    same(
      `a process that takes a third more than ${memoryLimitBytes / 1_048_576} MiB`,
      await hogEnd(world, image),
      "killed",
    ),
  ];
}

async function hogEnd(world: World, image: Awaited<ReturnType<typeof mountImage>>): Promise<string> {
  const { daemon } = world.manifests;
  const command = hogCommand((daemon.memoryLimitBytes * 4) / 3);
  const stage = createStage(world, "rights", filesOf);
  const { exitCode, out } = await stage.run({ name: "hog", container: daemon, image, command });
  return exitCode === 137 ? "killed" : `ended with ${exitCode}: ${out}`;
}
