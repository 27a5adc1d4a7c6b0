/** What a manifest of Kubernetes says about one container, as plain data. */
import { parseAllDocuments } from "yaml";

export interface PodContainer {
  readonly args: readonly string[];
  /** Written out in the manifest. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of ConfigMaps that are variables. */
  readonly envFrom: readonly string[];
  readonly ports: readonly number[];
  readonly memoryLimitBytes: number;
  readonly graceSeconds: number;
  readonly rights: Rights;
  readonly mounts: readonly Mount[];
}

export interface Rights {
  /** Null: the image's. */
  readonly user: number | null;
  readonly group: number | null;
  /** Owns the files of volumes, and the process has it besides its own. */
  readonly fsGroup: number | null;
  readonly isRootReadOnly: boolean;
  readonly mayGainPrivileges: boolean;
}

export type Mount = { readonly path: string; readonly isReadOnly: boolean } & (FileVolume | EmptyVolume);

export interface FileVolume {
  readonly from: "configMap" | "secret";
  /** Of the ConfigMap or Secret. */
  readonly name: string;
  readonly fileMode: number;
}

/** A folder that each start of the pod finds empty. */
interface EmptyVolume {
  readonly from: "emptyDir";
  readonly maxBytes: number | null;
}

interface PodSpec {
  readonly securityContext?: Context;
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly [ContainerSpec];
  readonly volumes?: readonly VolumeSpec[];
}

interface ContainerSpec {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly securityContext?: Context;
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

type Context = Readonly<Record<string, unknown>>;

interface VolumeSpec {
  readonly name: string;
  readonly configMap?: { readonly name: string; readonly defaultMode?: number };
  readonly secret?: { readonly secretName: string; readonly defaultMode?: number };
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
}

/** The first container of the Deployment in `text`. Throws at what it cannot carry over. */
export function parsePod(text: string): PodContainer {
  // Kubernetes reads YAML 1.1, in which 0440 is octal.
  const documents = parseAllDocuments(text, { version: "1.1" }).map((one): unknown => one.toJS());
  const deployment = documents.find(isDeployment);
  if (deployment === undefined) throw new Error("expected a Deployment");
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;
  return {
    args: container.args ?? [],
    env: Object.fromEntries((container.env ?? []).map(toVariable)),
    envFrom: (container.envFrom ?? []).map(({ configMapRef }) => configMapRef.name),
    ports: (container.ports ?? []).map(({ containerPort }) => containerPort),
    memoryLimitBytes: toBytes(container.resources.limits.memory),
    graceSeconds: spec.terminationGracePeriodSeconds ?? 30,
    // A container's own word counts more than its pod's.
    rights: toRights({ ...spec.securityContext, ...container.securityContext }),
    mounts: (container.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
      path: mountPath,
      isReadOnly: readOnly === true,
      ...toVolume(spec.volumes?.find((one) => one.name === name)),
    })),
  };
}

function isDeployment(document: unknown): document is {
  readonly spec: { readonly template: { readonly spec: PodSpec } };
} {
  return (document as { readonly kind?: string } | null)?.kind === "Deployment";
}

function toVariable({ name, value }: { readonly name: string; readonly value?: string }): [string, string] {
  if (value === undefined) throw new Error(`expected the variable ${name} to have its value in the manifest`);
  return [name, value];
}

/** A word that is not known here would be dropped in silence, so it is refused. */
function toRights(context: Context): Rights {
  const {
    runAsNonRoot,
    runAsUser = null,
    runAsGroup = null,
    fsGroup = null,
    fsGroupChangePolicy: _when,
    seccompProfile,
    allowPrivilegeEscalation = true,
    readOnlyRootFilesystem = false,
    capabilities,
    ...others
  } = context;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new Error(`securityContext: cannot carry over ${unknown.join(", ")}`);
  if (runAsNonRoot !== true || runAsUser === 0) throw new Error("expected runAsNonRoot");
  const kept = capabilities as { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  if (kept?.drop?.join() !== "ALL" || kept.add !== undefined) {
    throw new Error("expected capabilities to drop ALL and to add none");
  }
  const profile = (seccompProfile as { readonly type?: string } | undefined)?.type;
  if (profile !== undefined && profile !== "RuntimeDefault") {
    throw new Error(`expected the seccomp profile RuntimeDefault, got ${profile}`);
  }
  return {
    user: runAsUser as number | null,
    group: runAsGroup as number | null,
    fsGroup: fsGroup as number | null,
    isRootReadOnly: readOnlyRootFilesystem === true,
    mayGainPrivileges: allowPrivilegeEscalation === true,
  };
}

function toVolume(volume: VolumeSpec | undefined): FileVolume | EmptyVolume {
  if (volume?.configMap !== undefined) {
    const { name, defaultMode = 0o644 } = volume.configMap;
    return { from: "configMap", name, fileMode: defaultMode };
  }
  if (volume?.secret !== undefined) {
    const { secretName, defaultMode = 0o644 } = volume.secret;
    return { from: "secret", name: secretName, fileMode: defaultMode };
  }
  if (volume?.emptyDir !== undefined) {
    const { sizeLimit } = volume.emptyDir;
    return { from: "emptyDir", maxBytes: sizeLimit === undefined ? null : toBytes(sizeLimit) };
  }
  throw new Error(`expected a ConfigMap, a Secret or an emptyDir as volume ${volume?.name}`);
}

function toBytes(quantity: string): number {
  const count = /^(\d+)Mi$/.exec(quantity)?.[1];
  if (count === undefined) throw new Error(`expected a limit in Mi, got ${quantity}`);
  return Number(count) * 1_048_576;
}
