/** A profile as container tools keep it, with conditions, and as a runtime takes it, without. */

interface Condition {
  readonly arches?: readonly string[];
  readonly caps?: readonly string[];
  readonly minKernel?: string;
}

interface ArgumentRule {
  readonly index: number;
  readonly value: number;
  readonly valueTwo: number;
  readonly op: string;
}

export interface ToolsProfile {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly archMap: readonly {
    readonly architecture: string;
    readonly subArchitectures: readonly string[];
  }[];
  readonly syscalls: readonly {
    readonly names: readonly string[];
    readonly action: string;
    readonly errnoRet?: number;
    readonly args?: readonly ArgumentRule[] | null;
    readonly includes?: Condition;
    readonly excludes?: Condition;
  }[];
}

export interface RuntimeProfile {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly architectures: readonly string[];
  readonly syscalls: readonly {
    readonly names: readonly string[];
    readonly action: string;
    readonly errnoRet?: number;
    readonly args?: readonly ArgumentRule[];
  }[];
}

/** For amd64 and a process without any capability. */
export function toRuntimeProfile(profile: ToolsProfile): RuntimeProfile {
  const native = profile.archMap.find(({ architecture }) => architecture === "SCMP_ARCH_X86_64");
  if (native === undefined) throw new Error("expected a profile that knows SCMP_ARCH_X86_64");
  return {
    defaultAction: profile.defaultAction,
    ...(profile.defaultErrnoRet === undefined ? {} : { defaultErrnoRet: profile.defaultErrnoRet }),
    architectures: [native.architecture, ...native.subArchitectures],
    syscalls: profile.syscalls
      .filter(({ includes = {}, excludes = {} }) => isIncluded(includes) && !isExcluded(excludes))
      .map(({ names, action, errnoRet, args }) => ({
        names,
        action,
        ...(errnoRet === undefined ? {} : { errnoRet }),
        ...(args === undefined || args === null || args.length === 0 ? {} : { args }),
      })),
  };
}

/** Kernels that run containers today are newer than any `minKernel` of these profiles (4.8). */
const isIncluded = ({ arches, caps = [] }: Condition): boolean =>
  (arches === undefined || arches.includes("amd64")) && caps.length === 0;

const isExcluded = ({ arches = [] }: Condition): boolean => arches.includes("amd64");
