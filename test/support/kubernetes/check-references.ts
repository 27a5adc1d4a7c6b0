/** What types cannot say: names and values that an API server refuses, and names that lead nowhere. */
import type { Tree } from "./kustomize.ts";

interface Pod {
  readonly owner: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Tree;
  /** Volumes that a StatefulSet makes itself. */
  readonly claims: readonly string[];
}

/** What people make, and no overlay has: see the comments of the components. */
const madeByPeople: ReadonlySet<string> = new Set([
  "Secret redriver",
  "Secret redriver-console",
  "Secret redriver-redis",
  "ConfigMap redriver-plan",
]);

/** A line for each problem; none: nothing is known to be wrong. */
export function referenceProblems(objects: readonly Tree[]): readonly string[] {
  const pods = objects.flatMap(podsOf);
  const known = new Set([...madeByPeople, ...objects.map(nameOf)]);
  return [
    ...repeated(objects.map(nameOf)).map((name) => `${name} is there twice`),
    ...objects.flatMap((object) => nameProblems(object).map((problem) => `${nameOf(object)}: ${problem}`)),
    ...pods.flatMap((pod) => podProblems(pod, known).map((problem) => `${pod.owner}: ${problem}`)),
    ...objects.flatMap((object) =>
      targetProblems(object, pods, known).map((problem) => `${nameOf(object)}: ${problem}`),
    ),
  ];
}

const nameOf = ({ kind, metadata }: Tree): string => `${kind} ${metadata.name}`;

function podsOf(object: Tree): readonly Pod[] {
  const template = object.spec?.jobTemplate?.spec.template ?? object.spec?.template;
  if (template === undefined) return [];
  const claims = (object.spec.volumeClaimTemplates ?? []).map(({ metadata }: Tree) => metadata.name);
  return [{ owner: nameOf(object), labels: template.metadata.labels, spec: template.spec, claims }];
}

function nameProblems({ metadata, kind }: Tree): readonly string[] {
  const problems = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(metadata.name) ? [] : ["its name"];
  for (const [name, value] of Object.entries(metadata.labels ?? {})) {
    if (!/^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/.test(String(value))) problems.push(`label ${name}`);
  }
  if (kind !== "Namespace" && metadata.namespace === undefined) problems.push("it has no namespace");
  return problems;
}

function podProblems({ spec, claims }: Pod, known: ReadonlySet<string>): readonly string[] {
  const volumes: readonly Tree[] = spec.volumes ?? [];
  const containers: readonly Tree[] = [...(spec.initContainers ?? []), ...spec.containers];
  const ports = containers.flatMap((container) => container.ports ?? []);
  return [
    ...repeated(names(containers)).map((name) => `two containers ${name}`),
    ...repeated(names(volumes)).map((name) => `two volumes ${name}`),
    ...repeated(names(ports)).map((name) => `two ports ${name}`),
    ...names(ports)
      .filter((name) => name.length > 15)
      .map((name) => `port name ${name} is too long`),
    ...volumes.flatMap(({ configMap, secret, persistentVolumeClaim }) => [
      ...missing("ConfigMap", configMap?.name, known),
      ...missing("Secret", secret?.secretName, known),
      ...missing("PersistentVolumeClaim", persistentVolumeClaim?.claimName, known),
    ]),
    ...containers.flatMap(({ name, env, envFrom, volumeMounts = [] }) => [
      ...repeated(names(env)).map((variable) => `${name} has two ${variable}`),
      ...volumeMounts
        .filter((mount: Tree) => ![...names(volumes), ...claims].includes(mount.name))
        .map((mount: Tree) => `${name} mounts ${mount.name}, which is no volume`),
      ...repeated(volumeMounts.map(({ mountPath }: Tree) => mountPath)),
      ...(envFrom ?? []).flatMap((from: Tree) => missing("ConfigMap", from.configMapRef?.name, known)),
      ...(env ?? []).flatMap(({ valueFrom }: Tree) => [
        ...missing("Secret", valueFrom?.secretKeyRef?.name, known),
        ...missing("ConfigMap", valueFrom?.configMapKeyRef?.name, known),
      ]),
    ]),
  ];
}

function targetProblems(object: Tree, pods: readonly Pod[], known: ReadonlySet<string>): readonly string[] {
  const { kind, spec } = object;
  switch (kind) {
    case "Service": {
      const chosen = pods.filter(({ labels }) => fits(spec.selector, labels));
      // Without the daemon nothing is behind its Services.
      if (chosen.length === 0) return known.has("Deployment redriver") ? ["it selects no pod"] : [];
      const ports = chosen.flatMap((pod) => pod.spec.containers).flatMap(({ ports: of }) => of ?? []);
      return spec.ports
        .filter(({ targetPort }: Tree) => typeof targetPort === "string")
        .filter(({ targetPort }: Tree) => !ports.some(({ name }) => name === targetPort))
        .map(({ targetPort }: Tree) => `no pod has the port ${targetPort}`);
    }
    case "Ingress":
      return spec.rules
        .flatMap(({ http }: Tree) => http.paths)
        .flatMap(({ backend }: Tree) => missing("Service", backend.service.name, known));
    default:
      return [];
  }
}

const fits = (selector: Tree, labels: Tree): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

const missing = (kind: string, name: string | undefined, known: ReadonlySet<string>): readonly string[] =>
  name === undefined || known.has(`${kind} ${name}`) ? [] : [`there is no ${kind} ${name}`];

const names = (list: readonly Tree[] = []): readonly string[] => list.map(({ name }) => name);

const repeated = (names: readonly string[]): readonly string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);
