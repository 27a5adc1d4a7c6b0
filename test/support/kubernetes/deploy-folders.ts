import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { deploy } from "./kustomize.ts";

const foldersIn = (folder: string): readonly string[] =>
  readdirSync(path.join(deploy, folder))
    .filter((name) => existsSync(path.join(deploy, folder, name, "kustomization.yaml")))
    .map((name) => `${folder}/${name}`);

export const overlays = foldersIn("overlays");
export const components = foldersIn("components");
