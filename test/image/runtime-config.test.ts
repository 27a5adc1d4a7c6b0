import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parsePod, type PodContainer } from "../rig/pod.ts";
import { root } from "../support/markdown.ts";
import { readManifests } from "./manifest.ts";
import { toRuntimeConfig, type RuntimeOptions } from "./runtime-config.ts";
import { toRuntimeProfile } from "./seccomp.ts";

const deployment = readFileSync(join(root, "deploy/base/deployment.yaml"), "utf8");
const image = {
  User: "7:8",
  Env: ["PATH=/bin", "NODE_ENV=production"],
  Entrypoint: ["node", "main.js"],
  Cmd: ["run"],
  WorkingDir: "/app",
};

const toConfig = (container: PodContainer, more: Partial<RuntimeOptions> = {}) =>
  toRuntimeConfig({
    container,
    image,
    rootfs: "/rootfs",
    env: {},
    dirOf: ({ name }) => `/volumes/${name}`,
    seccomp: null,
    cgroup: null,
    ...more,
  });

it("the shipped Deployment runs as its user, without capabilities, on a root that it cannot write", () => {
  const { process, root } = toConfig(parsePod(deployment));
  expect(process.user).toEqual({ uid: 10001, gid: 10001, additionalGids: [10001] });
  expect(Object.values(process.capabilities).flat()).toEqual([]);
  expect(process.noNewPrivileges).toBe(true);
  expect(root).toEqual({ path: "/rootfs", readonly: true });
});

it("the shipped memory limit is the group's, of memory and swap together", () => {
  const { linux } = toConfig(parsePod(deployment), { cgroup: { path: "/one", limitsSwap: true } });
  expect(linux.resources?.memory).toEqual({ limit: 768 * 1_048_576, swap: 768 * 1_048_576 });
  expect(toConfig(parsePod(deployment)).linux).not.toHaveProperty("resources");
});

it("volumes are mounted where the manifest says, with the modes that YAML 1.1 reads", () => {
  const container = parsePod(deployment);
  expect(container.mounts).toMatchObject([
    { name: "redriver-drains", fileMode: 0o644 },
    { name: "redriver", fileMode: 0o440 },
    { from: "emptyDir", maxBytes: 1_048_576 },
  ]);
  const { mounts } = toConfig(container);
  const binds = mounts.filter(({ type }) => type === "bind");
  expect(binds.map(({ source, destination, options }) => [source, destination, options.at(-1)])).toEqual([
    ["/volumes/redriver-drains", "/etc/redriver", "ro"],
    ["/volumes/redriver", "/run/secrets/redriver", "ro"],
  ]);
  // Its own user is not root.
  expect(mounts.at(-1)).toEqual({
    destination: "/run/redriver",
    type: "tmpfs",
    source: "tmpfs",
    options: ["mode=2777", "gid=10001", "size=1048576", "rw"],
  });
});

it("variables of ConfigMaps, of the manifest and of the program come over the image's, in this order", () => {
  const { daemon } = readManifests(root);
  expect(daemon.env["REDRIVER_LOG_LEVEL"]).toBe("info");
  const { env } = toConfig(daemon, { env: { REDRIVER_HTTP_PORT: "1", NODE_ENV: "other" } }).process;
  expect(env).toContain("PATH=/bin");
  expect(env).toContain("NODE_ENV=other");
  expect(env.filter((line) => line.startsWith("REDRIVER_HTTP_PORT="))).toEqual(["REDRIVER_HTTP_PORT=1"]);
});

it("the doctor is the daemon's container with other arguments, and the emulator has the image's user", () => {
  const { daemon, doctor, emulator } = readManifests(root);
  expect(doctor).toEqual({ ...daemon, args: ["doctor", "--json"] });
  expect(toConfig(doctor).process.args).toEqual(["node", "main.js", "doctor", "--json"]);
  expect(toConfig(emulator).process.user).toEqual({ uid: 7, gid: 8, additionalGids: [] });
  expect(() => toConfig(emulator, { image: { ...image, User: "node" } })).toThrow(/numeric user/);
  expect(() => toConfig(emulator, { image: {} })).toThrow(/numeric user/);
});

it.each([
  ["readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "root"],
  ["allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "process"],
  ["runAsUser: 10001", "runAsUser: 10002", "process"],
] as const)("%s is carried over: %s makes another configuration", (from, to, part) => {
  expect(deployment).toContain(from);
  const other = toConfig(parsePod(deployment.replace(from, to)));
  expect(other[part]).not.toEqual(toConfig(parsePod(deployment))[part]);
});

it.each([
  [
    "readOnlyRootFilesystem: true",
    "readOnlyRootFilesystem: true\n            procMount: Unmasked",
    /procMount/,
  ],
  ['drop: ["ALL"]', 'drop: ["NET_RAW"]', /drop ALL/],
  ['drop: ["ALL"]', 'drop: ["ALL"]\n              add: ["CHOWN"]', /drop ALL/],
  ["type: RuntimeDefault", "type: Unconfined", /RuntimeDefault/],
  ["runAsNonRoot: true", "runAsNonRoot: false", /runAsNonRoot/],
  ["runAsUser: 10001", "runAsUser: 0", /runAsNonRoot/],
  ["memory: 768Mi", "memory: 1G", /in Mi/],
  ["emptyDir:", "hostPath:", /an emptyDir as volume sockets/],
] as const)("in place of %s, %s is refused, not dropped", (from, to, message) => {
  expect(deployment).toContain(from);
  expect(() => parsePod(deployment.replace(from, to))).toThrow(message);
});

const one = (name: string, more: object = {}) => ({ names: [name], action: "SCMP_ACT_ALLOW", ...more });

it("a profile keeps what holds on amd64 for a process without capabilities", () => {
  const profile = toRuntimeProfile({
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: 38,
    archMap: [{ architecture: "SCMP_ARCH_X86_64", subArchitectures: ["SCMP_ARCH_X86"] }],
    syscalls: [
      one("read", { args: [], includes: {}, excludes: {} }),
      one("arch_prctl", { includes: { arches: ["amd64"] } }),
      one("arm_fadvise64_64", { includes: { arches: ["arm64"] } }),
      one("mount", { includes: { caps: ["CAP_SYS_ADMIN"] } }),
      one("bpf", { action: "SCMP_ACT_ERRNO", errnoRet: 1, excludes: { caps: ["CAP_SYS_ADMIN"] } }),
      one("modify_ldt", { excludes: { arches: ["amd64"] } }),
      one("socket", { args: null }),
    ],
  });
  expect(profile).toEqual({
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: 38,
    architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86"],
    syscalls: [
      one("read"),
      one("arch_prctl"),
      one("bpf", { action: "SCMP_ACT_ERRNO", errnoRet: 1 }),
      one("socket"),
    ],
  });
  const { linux } = toConfig(parsePod(deployment), { seccomp: profile });
  expect(linux.seccomp).toEqual(profile);
});
