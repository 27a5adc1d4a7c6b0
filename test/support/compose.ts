/** `deploy/local/compose.yaml`, as tests read it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { readDoc, root } from "./markdown.ts";
import { pathOf } from "./tools.ts";

const file = "deploy/local/compose.yaml";

export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  /** `<from>:<to>[:ro]`. */
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, object>>;
}

const schemaFile = pathOf("compose.schema.json");

/** A line for each thing that the schema of Compose files does not allow. */
export function schemaProblems(compose: unknown): readonly string[] {
  const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
  // It names its dialect by an address that is not the dialect's own.
  const known = z.fromJSONSchema({ ...schema, $schema: "http://json-schema.org/draft-07/schema#" });
  const { error } = known.safeParse(compose);
  return (error?.issues ?? []).map(({ path: at, message }) => `${at.join(".")}: ${message}`);
}

export const readCompose = (): Compose => parse(readDoc(file), { merge: true }) as Compose;

/** Of a path in the file. */
export const composePath = (name: string): string => path.join(root, path.dirname(file), name);

export interface Mount {
  readonly from: string;
  readonly to: string;
}

/** Files and folders of this repository that a service sees, its secrets too. */
export function mountsOf({ secrets }: Compose, service: ComposeService): readonly Mount[] {
  const bound = (service.volumes ?? [])
    .filter((text) => text.startsWith("."))
    .map((text) => text.split(":"))
    .map(([from = "", to = ""]) => ({ from: composePath(from), to }));
  const given = (service.secrets ?? []).map((name) => ({
    from: composePath(secrets[name]?.file ?? "no such secret"),
    to: `/run/secrets/${name}`,
  }));
  return [...bound, ...given];
}

/** A value of a service, with its files where they are here, and `$$` as Docker reads it. */
export function here(mounts: readonly Mount[], text: string): string {
  let found = text.replaceAll("$$", "$");
  for (const { from, to } of mounts) found = found.replaceAll(to, () => from);
  return found;
}
