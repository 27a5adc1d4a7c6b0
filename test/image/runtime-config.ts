/** What Kubernetes makes of a container of a manifest, as the configuration of an OCI runtime. */
import type { FileVolume, PodContainer } from "../rig/pod.ts";
import { limitsSwap } from "./tools.ts";

/** What the image says of itself. */
export interface ImageConfig {
  readonly User?: string;
  readonly Env?: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
  readonly ExposedPorts?: Readonly<Record<string, object>>;
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface RuntimeOptions {
  readonly container: PodContainer;
  readonly image: ImageConfig;
  readonly rootfs: string;
  /** In place of the image's entry point and the manifest's arguments. */
  readonly command?: readonly string[] | undefined;
  /** In place of the manifest's arguments. */
  readonly args?: readonly string[] | undefined;
  /** Over what the manifest says. */
  readonly env: Readonly<Record<string, string>>;
  readonly dirOf: (volume: FileVolume) => string;
  readonly cgroupsPath: string;
}

/** The node's network, so that whatever listens does so on the node's loopback. */
export function toRuntimeConfig(options: RuntimeOptions) {
  const { container, image, rootfs, cgroupsPath } = options;
  const { rights } = container;
  const [imageUser, imageGroup] = (image.User ?? "").split(":");
  const user = {
    uid: rights.user ?? toId(imageUser),
    gid: rights.group ?? toId(imageGroup),
    additionalGids: rights.fsGroup === null ? [] : [rights.fsGroup],
  };
  const env = { ...toEnv(image.Env), ...container.env, ...options.env };
  return {
    ociVersion: "1.0.2",
    hostname: "redriver",
    process: {
      terminal: false,
      user,
      cwd: image.WorkingDir ?? "/",
      args: options.command ?? [...(image.Entrypoint ?? []), ...(options.args ?? container.args)],
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      // The manifest drops ALL.
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
      noNewPrivileges: !rights.mayGainPrivileges,
    },
    root: { path: rootfs, readonly: rights.isRootReadOnly },
    mounts: [...ownMounts, ...container.mounts.map((one) => toMount(one, options))],
    linux: {
      namespaces: ["pid", "ipc", "uts", "mount"].map((type) => ({ type })),
      maskedPaths,
      readonlyPaths,
      cgroupsPath,
      resources: { memory: toMemory(container) },
    },
  };
}

function toId(text: string | undefined): number {
  if (!/^\d+$/.test(text ?? "")) throw new Error(`expected a numeric user and group, got "${text}"`);
  return Number(text);
}

const toEnv = (lines: readonly string[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

/** With the same number for memory and swap together, nothing is swapped. */
const toMemory = ({ memoryLimitBytes }: PodContainer) => ({
  limit: memoryLimitBytes,
  ...(limitsSwap ? { swap: memoryLimitBytes } : {}),
});

function toMount(mount: PodContainer["mounts"][number], { dirOf, container }: RuntimeOptions) {
  const { path: destination, isReadOnly } = mount;
  const access = isReadOnly ? "ro" : "rw";
  if (mount.from !== "emptyDir") {
    return { destination, type: "bind", source: dirOf(mount), options: ["rbind", "rprivate", access] };
  }
  // As the kubelet makes it: everybody may write, and what is made there belongs to the pod's group.
  const size = mount.maxBytes === null ? [] : [`size=${mount.maxBytes}`];
  const options = ["mode=2777", `gid=${container.rights.fsGroup ?? 0}`, ...size, access];
  return { destination, type: "tmpfs", source: "tmpfs", options };
}

/** What every runtime of Kubernetes mounts. */
const ownMounts = [
  { destination: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"] },
  { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "strictatime", "mode=755"] },
  {
    destination: "/dev/pts",
    type: "devpts",
    source: "devpts",
    options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"],
  },
  {
    destination: "/dev/shm",
    type: "tmpfs",
    source: "shm",
    options: ["nosuid", "noexec", "nodev", "mode=1777", "size=65536k"],
  },
  { destination: "/sys", type: "sysfs", source: "sysfs", options: ["nosuid", "noexec", "nodev", "ro"] },
];

const maskedPaths = [
  "/proc/acpi",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
];
const readonlyPaths = [
  "/proc/asound",
  "/proc/bus",
  "/proc/fs",
  "/proc/irq",
  "/proc/sys",
  "/proc/sysrq-trigger",
];
