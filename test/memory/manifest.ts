import { readFileSync } from "node:fs";
import { parse } from "yaml";

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

export interface Shipped {
  readonly limitBytes: number;
  readonly nodeOptions: string;
}

/** What the shipped manifest gives the daemon. */
export function readShipped(file: string): Shipped {
  const document = parse(readFileSync(file, "utf8")) as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
  };
  const [{ env, resources }] = document.spec.template.spec.containers;
  const limit = /^(\d+)Mi$/.exec(resources.limits.memory)?.[1];
  if (limit === undefined) throw new Error(`expected a memory limit in Mi, got ${resources.limits.memory}`);
  return {
    limitBytes: Number(limit) * 1_048_576,
    nodeOptions: env.find(({ name }) => name === "NODE_OPTIONS")?.value ?? "",
  };
}
